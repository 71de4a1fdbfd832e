#include "ack.hpp"

#include "wire_reader.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

namespace {

constexpr errc fine{};

bool is_ack(packet_type type) noexcept {
  return type >= packet_type::puback && type <= packet_type::pubcomp;
}

octet first_octet(packet_type type) noexcept {
  const unsigned flags = type == packet_type::pubrel ? 2U : 0U; // [MQTT-3.6.1-1]
  return static_cast<octet>((static_cast<unsigned>(type) << 4U) | flags);
}

property_place place_of(packet_type type) noexcept {
  switch (type) {
  case packet_type::pubrec: return property_place::pubrec;
  case packet_type::pubrel: return property_place::pubrel;
  case packet_type::pubcomp: return property_place::pubcomp;
  default: return property_place::puback;
  }
}

/// Either end acknowledges, so the codes are the same both ways.
bool may_say(reason_code reason, packet_type type) noexcept {
  return may_stand_in(reason, type, role::client);
}

errc read_verdict(wire_reader& from, ack& packet) noexcept {
  octet code = 0;
  static_cast<void>(from.read_byte(code));
  packet.reason = static_cast<reason_code>(code);
  if (!may_say(packet.reason, packet.type)) // [MQTT-3.4.2-1] and its kin
    return errc::malformed_packet;
  if (from.at_end())
    return fine;
  scanned_properties found;
  if (const auto wrong = read_properties(from, place_of(packet.type), found); wrong != fine)
    return wrong;
  packet.properties = found.view;
  return from.at_end() ? fine : errc::malformed_packet;
}

/// Octets after the remaining length: the reason and the properties go when they say nothing.
std::size_t body_size(const ack& packet, version v) noexcept {
  const std::size_t block = packet.properties.block().size();
  if (v == version::v3_1_1 || (packet.reason == reason_code::success && block == 0))
    return 2;
  if (block == 0)
    return 3;
  return 3 + variable_size(static_cast<std::uint32_t>(block)) + block;
}

errc judge(const ack& packet, version v) noexcept {
  if (!is_ack(packet.type))
    return errc::invalid_argument;
  if (packet.id == 0)
    return errc::invalid_packet_id;
  if (packet.reason == reason_code::success && packet.properties.empty())
    return fine;
  if (v == version::v3_1_1)
    return is_failure(packet.reason) || !packet.properties.empty() ? errc::version_mismatch : fine;
  if (!may_say(packet.reason, packet.type))
    return errc::invalid_reason_code;
  if (const auto wrong = judge_properties(packet.properties, place_of(packet.type)); wrong != fine)
    return wrong;
  return body_size(packet, v) > max_remaining_length ? errc::packet_too_large : fine;
}

} // namespace

errc decode_ack_into(ack& packet, octet first, octets body, version v) noexcept {
  const auto type = static_cast<packet_type>(first >> 4U);
  if (!is_ack(type) || first != first_octet(type))
    return errc::malformed_packet;
  packet = ack{.type = type, .reason = reason_code::success, .id = 0, .properties = {}};
  wire_reader from{body};
  if (!from.read_two_bytes(packet.id))
    return errc::malformed_packet;
  if (packet.id == 0) // [MQTT-2.2.1-3]
    return errc::protocol_error;
  if (from.at_end())
    return fine;
  return v == version::v5_0 ? read_verdict(from, packet) : errc::malformed_packet;
}

result<ack> decode_ack(octet first, octets body, version v) noexcept {
  result<ack> decoded{std::in_place};
  if (const auto wrong = decode_ack_into(*decoded, first, body, v); wrong != fine)
    decoded = wrong;
  return decoded;
}

result<void> encode_ack(outbox& out, const ack& packet, version v) {
  if (const auto wrong = judge(packet, v); wrong != fine)
    return wrong;
  const auto remaining = static_cast<std::uint32_t>(body_size(packet, v));
  wire_writer to{out.reserve(1 + variable_size(remaining) + remaining)};
  to.write_byte(first_octet(packet.type));
  to.write_variable(remaining);
  to.write_two_bytes(packet.id);
  if (remaining > 2)
    to.write_byte(static_cast<octet>(packet.reason));
  if (remaining > 3) {
    to.write_variable(static_cast<std::uint32_t>(packet.properties.block().size()));
    to.write_raw(packet.properties.block());
  }
  out.commit(to.position());
  return {};
}

std::size_t encoded_size(const ack& packet, version v) noexcept {
  const std::size_t remaining = body_size(packet, v);
  return 1 + variable_size(static_cast<std::uint32_t>(remaining)) + remaining;
}

} // namespace troupe::protocol
