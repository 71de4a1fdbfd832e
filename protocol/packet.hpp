// packet: one of fifteen; the only switch over packet kinds.
//
// Lives here: inbound_packet, the form in which packets rise from connection to session.
// Holds:   PUBLISH and the four acknowledgements are decoded here, since they are the stream; every
//          other kind is rare, stays a frame, and is decoded by the machine that knows what to do.
// Costs:   no allocation.
#pragma once

#include "ack.hpp"
#include "framer.hpp"
#include "outbox.hpp"
#include "publish.hpp"

#include <string_view>
#include <variant>

namespace troupe::protocol {

/// `publish` with the bytes it came in (for unchanged forwarding), an ack, or another frame.
struct inbound_publish {
  publish packet;
  octets whole{};
};
using inbound_packet = std::variant<inbound_publish, ack, frame>;

/// Decodes what is frequent, passes the rest on. The first-octet flags were judged by the framer.
result<inbound_packet> decode_packet(const frame& f, version v, role receiver) noexcept;
/// The same, decoded where the packet is to stay, which spares a copy; 0 means that all is well.
errc decode_packet_into(inbound_packet& into, const frame& f, version v, role receiver) noexcept;

/// PINGREQ and PINGRESP say nothing but that they came: `body` must be empty [MQTT-3.12.1-1].
result<void> decode_ping(octet first, octets body) noexcept;
inline constexpr std::size_t ping_size = 2;
void encode_pingreq(outbox& out);
void encode_pingresp(outbox& out);

/// "PUBLISH", "CONNACK", ... for logs and messages.
std::string_view name(packet_type type) noexcept;

} // namespace troupe::protocol
