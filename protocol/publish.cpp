#include "publish.hpp"

#include "utf8.hpp"
#include "wire_reader.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

namespace {

constexpr errc fine{};
constexpr octet publish_bits = static_cast<octet>(packet_type::publish) << 4U;
constexpr std::size_t alias_property_size = 3;

errc read_topic(wire_reader& from, std::string_view& topic) noexcept {
  octets raw;
  if (!from.read_binary(raw)) return errc::malformed_packet;
  topic = as_text(raw);
  switch (find_topic_fault(raw)) {
  case text_fault::none: return fine;
  case text_fault::wildcard: return errc::invalid_topic_name; // [MQTT-3.3.2-2]
  case text_fault::malformed: break;
  }
  return errc::malformed_packet; // [MQTT-1.5.4-1] [MQTT-1.5.4-2]
}

errc read_flags(publish& packet, octet first) noexcept {
  const unsigned quality = (first >> 1U) & 3U;
  if ((first & 0xF0U) != publish_bits || quality == 3) // [MQTT-3.3.1-4]
    return errc::malformed_packet;
  packet.quality = static_cast<qos>(quality);
  packet.retain = (first & 1U) != 0;
  packet.dup = (first & 8U) != 0;
  return packet.dup && quality == 0 ? errc::malformed_packet : fine; // [MQTT-3.3.1-2]
}

/// Octets of the property block that is written, the alias included.
std::size_t block_size(const publish& packet) noexcept {
  return packet.properties.block().size() + (packet.topic_alias != 0 ? alias_property_size : 0);
}

/// Everything between the remaining length and the payload.
std::size_t head_size(const publish& packet, version v) noexcept {
  std::size_t size = 2 + packet.topic.size() + (packet.quality == qos::at_most_once ? 0 : 2);
  if (v == version::v5_0) {
    const std::size_t block = block_size(packet);
    size += variable_size(static_cast<std::uint32_t>(block)) + block;
  }
  return size;
}

octet first_octet(const publish& packet) noexcept {
  return static_cast<octet>(publish_bits | (packet.dup ? 8U : 0U)
                            | (static_cast<unsigned>(packet.quality) << 1U) | (packet.retain ? 1U : 0U));
}

/// The fixed header needs the exact length before the first octet. With the properties kept as an
/// encoded block that is a handful of additions, so nothing has to be moved or patched afterwards.
octet* write_head(octet* to, const publish& packet, version v, std::uint32_t remaining) noexcept {
  wire_writer writer{to};
  writer.write_byte(first_octet(packet));
  writer.write_variable(remaining);
  writer.write_text(packet.topic);
  if (packet.quality != qos::at_most_once) writer.write_two_bytes(packet.id);
  if (v == version::v5_0) {
    writer.write_variable(static_cast<std::uint32_t>(block_size(packet)));
    if (packet.topic_alias != 0) {
      writer.write_byte(static_cast<octet>(property::topic_alias));
      writer.write_two_bytes(packet.topic_alias);
    }
    writer.write_raw(packet.properties.block());
  }
  return writer.position();
}

errc judge_topic(const publish& packet, version v) noexcept {
  if (packet.topic.empty()) {
    const bool alias_stands_for_it = v == version::v5_0 && packet.topic_alias != 0;
    return alias_stands_for_it ? fine : errc::invalid_topic_name; // [MQTT-4.7.3-1]
  }
  if (packet.topic.size() > 65'535 // [MQTT-4.7.3-3]
      || find_topic_fault_exact(as_octets(packet.topic)) != text_fault::none)
    return errc::invalid_topic_name;
  return fine;
}

errc judge_block(const publish& packet, version v, role sender) noexcept {
  if (v == version::v3_1_1)
    return packet.properties.empty() && packet.topic_alias == 0 ? fine : errc::version_mismatch;
  if (packet.properties.empty()) return fine;
  if (packet.properties.has(property::topic_alias))
    return packet.topic_alias != 0 ? errc::property_repeated : errc::property_not_allowed;
  return judge_properties(packet.properties, sender == role::client ? property_place::publish_to_server
                                                                    : property_place::publish_to_client);
}

errc judge(const publish& packet, version v, role sender) noexcept {
  if (const auto wrong = judge_topic(packet, v); wrong != fine) return wrong;
  if (packet.quality > qos::exactly_once) return errc::invalid_argument;
  if ((packet.quality == qos::at_most_once) != (packet.id == 0)) // [MQTT-2.2.1-2] [MQTT-2.2.1-3]
    return errc::invalid_packet_id;
  if (packet.dup && packet.quality == qos::at_most_once) // [MQTT-3.3.1-2]
    return errc::invalid_argument;
  if (const auto wrong = judge_block(packet, v, sender); wrong != fine) return wrong;
  const std::size_t head = head_size(packet, v);
  if (packet.payload.size() > max_remaining_length || head + packet.payload.size() > max_remaining_length)
    return errc::packet_too_large;
  return fine;
}

} // namespace

errc decode_publish_into(publish& packet, octet first, octets body, version v, role receiver) noexcept {
  if (const auto wrong = read_flags(packet, first); wrong != fine) return wrong;
  wire_reader from{body};
  if (const auto wrong = read_topic(from, packet.topic); wrong != fine) return wrong;
  packet.id = 0;
  if (packet.quality != qos::at_most_once) {
    if (!from.read_two_bytes(packet.id)) return errc::malformed_packet;
    if (packet.id == 0) // [MQTT-2.2.1-3]
      return errc::protocol_error;
  }
  scanned_properties found;
  if (v == version::v5_0) {
    const auto place =
        receiver == role::server ? property_place::publish_to_server : property_place::publish_to_client;
    if (const auto wrong = read_properties(from, place, found); wrong != fine) return wrong;
  }
  packet.properties = found.view;
  packet.topic_alias = found.topic_alias;
  if (packet.topic.empty() && found.topic_alias == 0) // [MQTT-4.7.3-1], section 3.3.2.1
    return v == version::v5_0 ? errc::protocol_error : errc::invalid_topic_name;
  packet.payload = from.rest();
  return fine;
}

result<publish> decode_publish(octet first, octets body, version v, role receiver) noexcept {
  result<publish> decoded{std::in_place};
  if (const auto wrong = decode_publish_into(*decoded, first, body, v, receiver); wrong != fine)
    decoded = wrong;
  return decoded;
}

result<void> check_encodable(const publish& packet, version v, role sender) noexcept {
  if (const auto wrong = judge(packet, v, sender); wrong != fine) return wrong;
  return {};
}

void append_publish(outbox& out, const publish& packet, version v, keeper* payload_owner) {
  const std::size_t head = head_size(packet, v);
  const auto remaining = static_cast<std::uint32_t>(head + packet.payload.size());
  const bool borrowed = payload_owner != nullptr && packet.payload.size() >= borrow_threshold;
  const std::size_t here = 1 + variable_size(remaining) + (borrowed ? head : remaining);
  octet* const to = out.reserve(here);
  octet* end = write_head(to, packet, v, remaining);
  if (!borrowed) {
    detail::copy(end, packet.payload.data(), packet.payload.size());
    end += packet.payload.size();
  }
  out.commit(end);
  if (borrowed) out.borrow(packet.payload, payload_owner);
}

result<void> encode_publish(outbox& out, const publish& packet, version v, keeper* payload_owner,
                            role sender) {
  if (const auto wrong = judge(packet, v, sender); wrong != fine) return wrong;
  append_publish(out, packet, v, payload_owner);
  return {};
}

std::size_t encoded_size(const publish& packet, version v) noexcept {
  const std::size_t remaining = head_size(packet, v) + packet.payload.size();
  return packet_size(remaining);
}

bool is_payload_as_claimed(const publish& packet) noexcept {
  if (packet.properties.number(property::payload_format_indicator).value_or(0) != 1) return true;
  return is_text_exact(packet.payload);
}

} // namespace troupe::protocol
