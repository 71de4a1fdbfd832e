// properties: the one table of MQTT 5.0 properties, and the two forms they have in memory.
//
// Lives here: property (identifiers), property_table questions, properties_view (validated wire
//          bytes, read on demand), property_block (owner and builder of such bytes).
// Holds:   a properties_view always refers to a block that was validated for some packet: the
//          decoder made it, or property_block did. User properties keep order and duplicates.
// Units:   sizes in octets; intervals in seconds, as on the wire.
// Errors:  errc::malformed_packet and errc::protocol_error from validate, errc::property_* from
//          the builder.
// Costs:   a view is 24 octets; a question about an absent property is one bit test, about a
//          present one a walk over the block. Nothing allocates but property_block.
#pragma once

#include "errc.hpp"
#include "result.hpp"
#include "slice.hpp"
#include "vocabulary.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Property identifiers, MQTT 5.0 section 2.2.2.2.
enum class property : std::uint8_t {
  payload_format_indicator = 0x01,
  message_expiry_interval = 0x02,
  content_type = 0x03,
  response_topic = 0x08,
  correlation_data = 0x09,
  subscription_identifier = 0x0B,
  session_expiry_interval = 0x11,
  assigned_client_identifier = 0x12,
  server_keep_alive = 0x13,
  authentication_method = 0x15,
  authentication_data = 0x16,
  request_problem_information = 0x17,
  will_delay_interval = 0x18,
  request_response_information = 0x19,
  response_information = 0x1A,
  server_reference = 0x1C,
  reason_string = 0x1F,
  receive_maximum = 0x21,
  topic_alias_maximum = 0x22,
  topic_alias = 0x23,
  maximum_qos = 0x24,
  retain_available = 0x25,
  user_property = 0x26,
  maximum_packet_size = 0x27,
  wildcard_subscription_available = 0x28,
  subscription_identifier_available = 0x29,
  shared_subscription_available = 0x2A,
};

/// What the value of a property is on the wire.
enum class property_form : std::uint8_t {
  none, // no such identifier
  flag, // one octet, 0 or 1
  two_bytes,
  two_bytes_above_zero,
  four_bytes,
  four_bytes_above_zero,
  variable_above_zero,
  text,
  topic_name,
  binary,
  pair,
};

/// Where a property block stands: one of the packet types, or the will of a CONNECT.
enum class property_place : std::uint8_t {
  connect,
  connack,
  publish_to_server,
  publish_to_client,
  puback,
  pubrec,
  pubrel,
  pubcomp,
  subscribe,
  suback,
  unsubscribe,
  unsuback,
  disconnect_from_client,
  disconnect_from_server,
  auth,
  will,
};

struct user_property {
  std::string_view name;
  std::string_view value;
};

/// A validated property block (without its length), read on demand.
class properties_view {
public:
  properties_view() noexcept = default;
  /// `seen` has bit n set when identifier n occurs. Only validators and builders call this.
  properties_view(octets block, std::uint64_t seen) noexcept : block_{block}, seen_{seen} {}

  bool empty() const noexcept { return block_.empty(); }
  octets block() const noexcept { return block_; }
  /// Bit n is set when identifier n occurs, bit 0 when subscription identifiers repeat.
  std::uint64_t seen() const noexcept { return seen_; }
  bool has(property id) const noexcept { return (seen_ >> static_cast<unsigned>(id)) & 1U; }

  /// The value of a byte, two-byte, four-byte or variable-byte integer property.
  std::optional<std::uint32_t> number(property id) const noexcept;
  /// The value of a text property (view into the block).
  std::optional<std::string_view> text(property id) const noexcept;
  /// The value of a binary property (view into the block).
  std::optional<octets> binary(property id) const noexcept;
  /// Calls `f(user_property)` for each user property, in wire order.
  template <class F>
  void for_each_user_property(F f) const {
    for (std::size_t at = 0; auto next = next_user_property(at);) f(*next);
  }
  /// Calls `f(std::uint32_t)` for each subscription identifier, in wire order.
  template <class F>
  void for_each_subscription_identifier(F f) const {
    for (std::size_t at = 0; auto next = next_subscription_identifier(at);) f(*next);
  }
  /// The first user property at or after offset `at`, which moves behind it.
  std::optional<user_property> next_user_property(std::size_t& at) const noexcept;
  std::optional<std::uint32_t> next_subscription_identifier(std::size_t& at) const noexcept;

private:
  octets block_;
  std::uint64_t seen_ = 0;
};

/// Builds and owns a property block. Every setter refuses a value that MQTT refuses and leaves
/// the block unchanged then. Setting a single-valued property again replaces it.
class property_block {
public:
  property_block() = default;
  /// A copy of what was received; the capacity of an earlier content is used again.
  explicit property_block(properties_view source) { assign(source); }
  void assign(properties_view source);

  result<void> set(property id, std::uint32_t value);
  result<void> set(property id, std::string_view text);
  result<void> set(property id, octets binary);
  result<void> add_user_property(std::string_view name, std::string_view value);
  result<void> add_subscription_identifier(std::uint32_t value);
  void remove(property id);
  void clear() noexcept;
  properties_view view() const noexcept { return {octets{bytes_}, seen_}; }
  bool empty() const noexcept { return bytes_.empty(); }

private:
  std::vector<octet> bytes_;
  std::uint64_t seen_ = 0;
};

/// Validates `block` (the octets after the property length) for `place` [MQTT-2.2.2]: each
/// property allowed there, at most once where it must be, values in range, texts well formed, the
/// last one ending exactly at the block's end. read_slack octets after the block must be readable.
result<properties_view> validate_properties(octets block, property_place place) noexcept;

/// Bit n set when identifier n may stand in `place`; bit 0 when subscription identifiers may repeat.
std::uint64_t allowed_properties(property_place place) noexcept;

property_form form_of(property id) noexcept;

/// The name of section 2.2.2.2 in lower case, for messages.
std::string_view name(property id) noexcept;

// -- for the packets of this folder -------------------------------------------------------------

class wire_reader;

/// The first property `id` of a validated block, identifier included; empty = none.
octets find_property(octets block, property id) noexcept;

/// What one pass over a block learns.
struct scanned_properties {
  properties_view view{};
  std::uint16_t topic_alias = 0;
};
/// Reads property length and block from `from`; the value 0 means that all is well. Answers
/// errc::malformed_packet, errc::protocol_error or errc::topic_alias_invalid.
errc read_properties(wire_reader& from, property_place place, scanned_properties& found) noexcept;

/// Whether an encoder may write `properties` at `place`; the value 0 means that it may.
errc judge_properties(properties_view properties, property_place place) noexcept;

} // namespace troupe::protocol
