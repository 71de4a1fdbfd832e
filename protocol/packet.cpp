#include "packet.hpp"

#include <array>

namespace troupe::protocol {

namespace {

constexpr errc fine{};

void append_empty(outbox& out, packet_type type) {
  octet* const to = out.reserve(2);
  to[0] = static_cast<octet>(static_cast<unsigned>(type) << 4U);
  to[1] = 0;
  out.commit(to + 2);
}

} // namespace

errc detail::decode_any_into(inbound_packet& into, const frame& f, version v, role receiver,
                             topic_memory& memory) noexcept {
  switch (f.type()) {
  case packet_type::publish: {
    auto& held = form_in<inbound_publish>(into);
    held.whole = f.whole;
    return decode_publish_into(held.packet, f.first, f.body, v, receiver, memory);
  }
  case packet_type::puback:
  case packet_type::pubrec:
  case packet_type::pubrel:
  case packet_type::pubcomp: return decode_ack_into(form_in<ack>(into), f.first, f.body, v);
  default: into = f; return fine;
  }
}

result<inbound_packet> decode_packet(const frame& f, version v, role receiver) noexcept {
  result<inbound_packet> decoded{std::in_place};
  topic_memory none;
  const auto wrong = decode_packet_into(*decoded, f, v, receiver, none);
  if (wrong != fine) [[unlikely]]
    decoded = wrong;
  return decoded;
}

result<void> decode_ping(octet first, octets body) noexcept {
  const auto type = static_cast<packet_type>(first >> 4U);
  const bool is_ping = type == packet_type::pingreq || type == packet_type::pingresp;
  if (!is_ping || (first & 0x0FU) != 0 || !body.empty()) return errc::malformed_packet;
  return {};
}

void encode_pingreq(outbox& out) { append_empty(out, packet_type::pingreq); }
void encode_pingresp(outbox& out) { append_empty(out, packet_type::pingresp); }

std::string_view name(packet_type type) noexcept {
  static constexpr auto names = std::to_array<std::string_view>(
      {"reserved", "CONNECT", "CONNACK", "PUBLISH", "PUBACK", "PUBREC", "PUBREL", "PUBCOMP", "SUBSCRIBE",
       "SUBACK", "UNSUBSCRIBE", "UNSUBACK", "PINGREQ", "PINGRESP", "DISCONNECT", "AUTH"});
  const auto index = static_cast<std::size_t>(type);
  return index < names.size() ? names[index] : names[0];
}

} // namespace troupe::protocol
