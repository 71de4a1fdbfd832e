// reason_code: verdicts that travel on the wire, MQTT 5.0 section 2.4.
//
// Lives here: the codes with their values, their names, where each may stand, and the return codes
//          of 3.1.1 that stand for them.
// Holds:   a code of 0x80 or more is a failure [MQTT-2.4].
// Costs:   table look-ups; nothing allocates.
#pragma once

#include "vocabulary.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace troupe::protocol {

enum class reason_code : std::uint8_t {
  success = 0x00,
  normal_disconnection = 0x00, // the same octet in DISCONNECT
  granted_qos_0 = 0x00,        // the same octet in SUBACK
  granted_qos_1 = 0x01,
  granted_qos_2 = 0x02,
  disconnect_with_will = 0x04,
  no_matching_subscribers = 0x10,
  no_subscription_existed = 0x11,
  continue_authentication = 0x18,
  reauthenticate = 0x19,
  unspecified_error = 0x80,
  malformed_packet = 0x81,
  protocol_error = 0x82,
  implementation_specific_error = 0x83,
  unsupported_protocol_version = 0x84,
  client_identifier_not_valid = 0x85,
  bad_user_name_or_password = 0x86,
  not_authorized = 0x87,
  server_unavailable = 0x88,
  server_busy = 0x89,
  banned = 0x8A,
  server_shutting_down = 0x8B,
  bad_authentication_method = 0x8C,
  keep_alive_timeout = 0x8D,
  session_taken_over = 0x8E,
  topic_filter_invalid = 0x8F,
  topic_name_invalid = 0x90,
  packet_identifier_in_use = 0x91,
  packet_identifier_not_found = 0x92,
  receive_maximum_exceeded = 0x93,
  topic_alias_invalid = 0x94,
  packet_too_large = 0x95,
  message_rate_too_high = 0x96,
  quota_exceeded = 0x97,
  administrative_action = 0x98,
  payload_format_invalid = 0x99,
  retain_not_supported = 0x9A,
  qos_not_supported = 0x9B,
  use_another_server = 0x9C,
  server_moved = 0x9D,
  shared_subscriptions_not_supported = 0x9E,
  connection_rate_exceeded = 0x9F,
  maximum_connect_time = 0xA0,
  subscription_identifiers_not_supported = 0xA1,
  wildcard_subscriptions_not_supported = 0xA2,
};

/// 0x80 or more.
constexpr bool is_failure(reason_code code) noexcept { return static_cast<std::uint8_t>(code) >= 0x80U; }

/// The granted quality of a SUBACK code below 0x80.
constexpr reason_code granted(qos quality) noexcept { return static_cast<reason_code>(quality); }

/// The name of section 2.4 in lower case, or "unknown reason code".
std::string_view name(reason_code code) noexcept;
/// 0x00 reads "granted QoS 0" in SUBACK and "normal disconnection" in DISCONNECT.
std::string_view name(reason_code code, packet_type where) noexcept;

/// Whether 5.0 lets `sender` put `code` into a packet of this type (the tables of sections 3.2.2.2,
/// 3.4.2.1, 3.5.2.1, 3.6.2.1, 3.7.2.1, 3.9.3, 3.11.3, 3.14.2.1, 3.15.2.1).
bool may_stand_in(reason_code code, packet_type where, role sender) noexcept;

/// Octets as the codes they are, valid or not.
inline std::span<const reason_code> as_reason_codes(std::span<const std::uint8_t> codes) noexcept {
  static_assert(sizeof(reason_code) == 1);
  return {reinterpret_cast<const reason_code*>(codes.data()), codes.size()};
}

/// CONNACK return codes 0..5 of 3.1.1 (section 3.2.2.3) as reason codes; none for any other octet.
std::optional<reason_code> from_return_code(std::uint8_t code) noexcept;
/// The return code that says in 3.1.1 what `code` says in 5.0, as nearly as it can.
std::uint8_t to_return_code(reason_code code) noexcept;

} // namespace troupe::protocol
