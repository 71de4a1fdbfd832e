#include "auth.hpp"

#include "reason_trailer.hpp"
#include "wire_reader.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

namespace {

constexpr errc fine{};
constexpr octet first_octet = static_cast<octet>(packet_type::auth) << 4U;

trailer_place place_of(role sender) noexcept { return {packet_type::auth, sender, property_place::auth}; }

/// Every AUTH names its method, section 3.15.2.2.2; only the one without anything, which stands for
/// success, has no room for it (section 3.15.2.1).
bool says_nothing(const auth& packet) noexcept {
  return packet.reason == reason_code::success && packet.properties.empty();
}

} // namespace

result<auth> decode_auth(octet first, octets body, version v, role receiver) noexcept {
  if (first != first_octet || v != version::v5_0) // [MQTT-3.15.1-1]
    return errc::malformed_packet;
  const role sender = receiver == role::client ? role::server : role::client;
  result<auth> decoded{std::in_place};
  wire_reader from{body};
  errc wrong = read_trailer(from, place_of(sender), decoded->reason, decoded->properties);
  if (wrong == fine && !body.empty() && decoded->properties.empty()) wrong = errc::protocol_error;
  if (wrong == fine && body.empty() && sender == role::client)
    wrong = errc::malformed_packet; // success is the server's word, section 3.15.2.1
  if (wrong != fine) decoded = wrong;
  return decoded;
}

result<void> encode_auth(outbox& out, const auth& packet, version v, role sender) {
  if (v != version::v5_0) return errc::version_mismatch;
  if (!may_stand_in(packet.reason, packet_type::auth, sender)) return errc::invalid_reason_code;
  if (!says_nothing(packet))
    if (const auto wrong = judge_trailer(place_of(sender), packet.reason, packet.properties); wrong != fine)
      return wrong;
  const auto remaining = static_cast<std::uint32_t>(trailer_size(packet.reason, packet.properties));
  wire_writer to{out.reserve(packet_size(remaining))};
  to.write_byte(first_octet);
  to.write_variable(remaining);
  write_trailer(to, packet.reason, packet.properties);
  out.commit(to.position());
  return {};
}

std::size_t encoded_size(const auth& packet) noexcept {
  const std::size_t remaining = trailer_size(packet.reason, packet.properties);
  return packet_size(remaining);
}

} // namespace troupe::protocol
