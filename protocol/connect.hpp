// connect: the CONNECT packet, MQTT 5.0 and 3.1.1 section 3.1.
//
// Lives here: the struct with the will as a view, decode and encode for both versions.
// Holds:   a decoded connect is a view into the received bytes; it dies with them.
// Errors:  decode answers errc values only; errc::unsupported_version as soon as name and level are
//          read. encode refuses what a server would have to refuse, before the first octet.
// Costs:   no allocation.
#pragma once

#include "errc.hpp"
#include "outbox.hpp"
#include "properties.hpp"
#include "result.hpp"
#include "slice.hpp"
#include "vocabulary.hpp"

#include <optional>
#include <string_view>

namespace troupe::protocol {

/// The message a server publishes when the client is lost, section 3.1.2.5.
struct will_view {
  std::string_view topic{};
  octets payload{};
  properties_view properties{}; // property_place::will
  qos quality = qos::at_most_once;
  bool retain = false;
};

struct connect {
  version protocol = version::v5_0;
  bool clean_start = true;      // clean session in 3.1.1
  std::uint16_t keep_alive = 0; // seconds; 0 = off
  std::string_view client_id{};
  std::optional<std::string_view> user_name{};
  std::optional<octets> password{};
  std::optional<will_view> will{};
  properties_view properties{};
};

/// read_slack octets after `body` must be readable. The version is said by the packet itself.
result<connect> decode_connect(octet first, octets body) noexcept;
/// The version a CONNECT speaks, for the answer to one that could not be decoded; none when it is not
/// one of ours.
std::optional<version> peek_version(octets body) noexcept;
result<void> encode_connect(outbox& out, const connect& packet);
std::size_t encoded_size(const connect& packet) noexcept;

} // namespace troupe::protocol
