#include "reason_trailer.hpp"

#include "wire_reader.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

namespace {

constexpr errc fine{};

} // namespace

std::size_t trailer_size(reason_code reason, properties_view properties) noexcept {
  const std::size_t block = properties.block().size();
  if (block == 0) return reason == reason_code::success ? 0 : 1;
  return 1 + variable_size(static_cast<std::uint32_t>(block)) + block;
}

errc read_trailer(wire_reader& from, const trailer_place& place, reason_code& reason,
                  properties_view& properties) noexcept {
  if (from.at_end()) return fine;
  octet code = 0;
  static_cast<void>(from.read_byte(code));
  reason = static_cast<reason_code>(code);
  if (!may_stand_in(reason, place.type, place.sender)) // [MQTT-3.4.2-1] and its kin
    return errc::malformed_packet;
  if (from.at_end()) return fine;
  scanned_properties found;
  if (const auto wrong = read_properties(from, place.properties, found); wrong != fine) return wrong;
  properties = found.view;
  return from.at_end() ? fine : errc::malformed_packet;
}

errc judge_trailer(const trailer_place& place, reason_code reason, properties_view properties) noexcept {
  if (!may_stand_in(reason, place.type, place.sender)) return errc::invalid_reason_code;
  if (const auto wrong = judge_properties(properties, place.properties); wrong != fine) return wrong;
  // Packet id, reason code and length stand before the block.
  return properties.block().size() > max_remaining_length - 7 ? errc::packet_too_large : fine;
}

void write_trailer(wire_writer& to, reason_code reason, properties_view properties) noexcept {
  const std::size_t size = trailer_size(reason, properties);
  if (size == 0) return;
  to.write_byte(static_cast<octet>(reason));
  if (size == 1) return;
  to.write_variable(static_cast<std::uint32_t>(properties.block().size()));
  to.write_raw(properties.block());
}

} // namespace troupe::protocol
