#include "disconnect.hpp"

#include "reason_trailer.hpp"
#include "wire_reader.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

namespace {

constexpr errc fine{};
constexpr octet first_octet = static_cast<octet>(packet_type::disconnect) << 4U;

trailer_place place_of(role sender) noexcept {
  return {packet_type::disconnect, sender,
          sender == role::client ? property_place::disconnect_from_client
                                 : property_place::disconnect_from_server};
}

/// 3.1.1 knows one DISCONNECT only: from a client, saying nothing.
errc judge(const disconnect& packet, version v, role sender) noexcept {
  if (v == version::v5_0) return judge_trailer(place_of(sender), packet.reason, packet.properties);
  const bool plain = packet.reason == reason_code::normal_disconnection && packet.properties.empty();
  return plain && sender == role::client ? fine : errc::version_mismatch;
}

std::size_t body_size(const disconnect& packet, version v) noexcept {
  return v == version::v5_0 ? trailer_size(packet.reason, packet.properties) : 0;
}

} // namespace

result<disconnect> decode_disconnect(octet first, octets body, version v, role receiver) noexcept {
  if (first != first_octet) // [MQTT-3.14.1-1]
    return errc::malformed_packet;
  const role sender = receiver == role::client ? role::server : role::client;
  if (v == version::v3_1_1 && sender == role::server) return errc::protocol_error;
  if (v == version::v3_1_1 && !body.empty()) return errc::malformed_packet;
  result<disconnect> decoded{std::in_place};
  wire_reader from{body};
  if (const auto wrong = read_trailer(from, place_of(sender), decoded->reason, decoded->properties);
      wrong != fine)
    decoded = wrong;
  return decoded;
}

result<void> encode_disconnect(outbox& out, const disconnect& packet, version v, role sender) {
  if (const auto wrong = judge(packet, v, sender); wrong != fine) return wrong;
  const auto remaining = static_cast<std::uint32_t>(body_size(packet, v));
  wire_writer to{out.reserve(packet_size(remaining))};
  to.write_byte(first_octet);
  to.write_variable(remaining);
  write_trailer(to, packet.reason, packet.properties);
  out.commit(to.position());
  return {};
}

std::size_t encoded_size(const disconnect& packet, version v) noexcept {
  const std::size_t remaining = body_size(packet, v);
  return packet_size(remaining);
}

} // namespace troupe::protocol
