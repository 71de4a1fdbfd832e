#include "connack.hpp"

#include "property_section.hpp"
#include "wire_reader.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

namespace {

constexpr errc fine{};
constexpr octet first_octet = static_cast<octet>(packet_type::connack) << 4U;

errc read_return_code(octet code, connack& packet) noexcept {
  const auto reason = from_return_code(code);
  if (!reason) return errc::malformed_packet;
  packet.reason = *reason;
  return fine;
}

errc read_reason(wire_reader& from, octet code, connack& packet) noexcept {
  // A server of 3.1.1 answers a level it does not know in its own form [MQTT-3.1.2-2].
  if (from.at_end() && code == to_return_code(reason_code::unsupported_protocol_version))
    return read_return_code(code, packet);
  packet.reason = static_cast<reason_code>(code);
  if (!may_stand_in(packet.reason, packet_type::connack, role::server)) // [MQTT-3.2.2-8]
    return errc::malformed_packet;
  return read_section(from, property_place::connack, version::v5_0, packet.properties);
}

errc read(wire_reader& from, version v, connack& packet) noexcept {
  octet flags = 0;
  octet code = 0;
  if (!from.read_byte(flags) || !from.read_byte(code) || flags > 1) // [MQTT-3.2.2-1]
    return errc::malformed_packet;
  packet.session_present = flags == 1;
  const auto wrong = v == version::v5_0 ? read_reason(from, code, packet) : read_return_code(code, packet);
  if (wrong != fine) return wrong;
  if (!from.at_end()) return errc::malformed_packet;
  return packet.session_present && is_failure(packet.reason) ? errc::protocol_error // [MQTT-3.2.2-6]
                                                             : fine;
}

std::size_t body_size(const connack& packet, version v) noexcept {
  return 2 + section_size(packet.properties, v);
}

errc judge(const connack& packet, version v) noexcept {
  if (packet.session_present && is_failure(packet.reason)) // [MQTT-3.2.2-6]
    return errc::invalid_argument;
  if (!may_stand_in(packet.reason, packet_type::connack, role::server)) return errc::invalid_reason_code;
  if (const auto wrong = judge_section(packet.properties, property_place::connack, v); wrong != fine)
    return wrong;
  return body_size(packet, v) > max_remaining_length ? errc::packet_too_large : fine;
}

} // namespace

result<connack> decode_connack(octet first, octets body, version v) noexcept {
  result<connack> decoded{std::in_place};
  wire_reader from{body};
  const auto wrong = first == first_octet ? read(from, v, *decoded) : errc::malformed_packet;
  if (wrong != fine) decoded = wrong;
  return decoded;
}

result<void> encode_connack(outbox& out, const connack& packet, version v) {
  if (const auto wrong = judge(packet, v); wrong != fine) return wrong;
  const auto remaining = static_cast<std::uint32_t>(body_size(packet, v));
  wire_writer to{out.reserve(packet_size(remaining))};
  to.write_byte(first_octet);
  to.write_variable(remaining);
  to.write_byte(packet.session_present ? 1 : 0);
  to.write_byte(v == version::v3_1_1 ? to_return_code(packet.reason) : static_cast<octet>(packet.reason));
  write_section(to, packet.properties, v);
  out.commit(to.position());
  return {};
}

std::size_t encoded_size(const connack& packet, version v) noexcept {
  const std::size_t remaining = body_size(packet, v);
  return packet_size(remaining);
}

} // namespace troupe::protocol
