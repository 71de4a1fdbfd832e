#include "ack.hpp"

#include "reason_trailer.hpp"
#include "wire_reader.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

namespace {

constexpr errc fine{};

bool is_ack(packet_type type) noexcept { return type >= packet_type::puback && type <= packet_type::pubcomp; }

octet first_octet(packet_type type) noexcept {
  const unsigned flags = type == packet_type::pubrel ? 2U : 0U; // [MQTT-3.6.1-1]
  return static_cast<octet>((static_cast<unsigned>(type) << 4U) | flags);
}

/// Either end acknowledges, so the codes are the same both ways.
trailer_place place_of(packet_type type) noexcept {
  switch (type) {
  case packet_type::pubrec: return {type, role::client, property_place::pubrec};
  case packet_type::pubrel: return {type, role::client, property_place::pubrel};
  case packet_type::pubcomp: return {type, role::client, property_place::pubcomp};
  default: return {type, role::client, property_place::puback};
  }
}

std::size_t body_size(const ack& packet, version v) noexcept {
  return v == version::v5_0 ? 2 + trailer_size(packet.reason, packet.properties) : 2;
}

errc judge(const ack& packet, version v) noexcept {
  if (!is_ack(packet.type)) return errc::invalid_argument;
  if (packet.id == 0) return errc::invalid_packet_id;
  if (packet.reason == reason_code::success && packet.properties.empty()) return fine;
  if (v == version::v3_1_1)
    return is_failure(packet.reason) || !packet.properties.empty() ? errc::version_mismatch : fine;
  return judge_trailer(place_of(packet.type), packet.reason, packet.properties);
}

} // namespace

errc decode_ack_into(ack& packet, octet first, octets body, version v) noexcept {
  const auto type = static_cast<packet_type>(first >> 4U);
  if (!is_ack(type) || first != first_octet(type)) return errc::malformed_packet;
  packet = ack{.type = type, .reason = reason_code::success, .id = 0, .properties = {}};
  wire_reader from{body};
  if (!from.read_two_bytes(packet.id)) return errc::malformed_packet;
  if (packet.id == 0) // [MQTT-2.2.1-3]
    return errc::protocol_error;
  if (from.at_end()) return fine;
  if (v == version::v3_1_1) return errc::malformed_packet;
  return read_trailer(from, place_of(type), packet.reason, packet.properties);
}

result<ack> decode_ack(octet first, octets body, version v) noexcept {
  result<ack> decoded{std::in_place};
  if (const auto wrong = decode_ack_into(*decoded, first, body, v); wrong != fine) decoded = wrong;
  return decoded;
}

result<void> encode_ack(outbox& out, const ack& packet, version v) {
  if (const auto wrong = judge(packet, v); wrong != fine) return wrong;
  const auto remaining = static_cast<std::uint32_t>(body_size(packet, v));
  wire_writer to{out.reserve(packet_size(remaining))};
  to.write_byte(first_octet(packet.type));
  to.write_variable(remaining);
  to.write_two_bytes(packet.id);
  if (remaining > 2) write_trailer(to, packet.reason, packet.properties);
  out.commit(to.position());
  return {};
}

std::size_t encoded_size(const ack& packet, version v) noexcept {
  const std::size_t remaining = body_size(packet, v);
  return packet_size(remaining);
}

} // namespace troupe::protocol
