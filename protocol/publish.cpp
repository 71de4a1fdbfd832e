#include "publish.hpp"

#include "topic_memory.hpp"
#include "utf8.hpp"
#include "wire_reader.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

namespace {

constexpr errc fine{};
constexpr octet publish_bits = static_cast<octet>(packet_type::publish) << 4U;
constexpr std::size_t alias_property_size = 3;

errc read_topic(wire_reader& from, std::string_view& topic, topic_memory& memory) noexcept {
  octets raw;
  if (!from.read_binary(raw)) return errc::malformed_packet;
  if (memory.knows(raw)) {
    topic = memory.last();
    return fine;
  }
  topic = as_text(raw);
  switch (find_topic_fault(raw)) {
  case text_fault::none: memory.remember(raw); return fine;
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

/// Sizes of one packet as it will be written. With the properties kept as an encoded block they are a
/// handful of additions, so the fixed header is written first and nothing is moved or patched behind.
struct extent {
  std::size_t block;     // the property block with the alias
  std::size_t remaining; // everything behind the fixed header
};

template <version V>
extent measure(const publish& packet) noexcept {
  std::size_t head = 2 + packet.topic.size() + (packet.quality == qos::at_most_once ? 0 : 2);
  std::size_t block = 0;
  if constexpr (V == version::v5_0) {
    block = packet.properties.block().size() + (packet.topic_alias != 0 ? alias_property_size : 0);
    head += 1 + block;
    if (block >= 128U) [[unlikely]]
      head += variable_size(static_cast<std::uint32_t>(block)) - 1;
  }
  return {block, head + packet.payload.size()};
}

octet first_octet(const publish& packet) noexcept {
  return static_cast<octet>(publish_bits | (static_cast<unsigned>(packet.dup) << 3U)
                            | (static_cast<unsigned>(packet.quality) << 1U)
                            | static_cast<unsigned>(packet.retain));
}

template <version V>
octet* write_head(octet* to, const publish& packet, extent size) noexcept {
  wire_writer writer{to};
  writer.write_byte(first_octet(packet));
  writer.write_variable(static_cast<std::uint32_t>(size.remaining));
  writer.write_text(packet.topic);
  if (packet.quality != qos::at_most_once) writer.write_two_bytes(packet.id);
  if constexpr (V == version::v5_0) {
    writer.write_variable(static_cast<std::uint32_t>(size.block));
    if (size.block != 0) {
      if (packet.topic_alias != 0) {
        writer.write_byte(static_cast<octet>(property::topic_alias));
        writer.write_two_bytes(packet.topic_alias);
      }
      writer.write_raw(packet.properties.block());
    }
  }
  return writer.position();
}

template <version V>
void append(outbox& out, const publish& packet, keeper* payload_owner, extent size) {
  const octets payload = packet.payload;
  const std::size_t whole = packet_size(size.remaining);
  if (payload_owner != nullptr && payload.size() >= borrow_threshold) {
    out.commit(write_head<V>(out.reserve(whole - payload.size()), packet, size));
    out.borrow(payload, payload_owner);
    return;
  }
  octet* const end = write_head<V>(out.reserve(whole), packet, size);
  detail::copy(end, payload.data(), payload.size());
  out.commit(end + payload.size());
}

errc judge_topic(std::string_view topic, version v, std::uint16_t alias) noexcept {
  if (topic.empty()) {
    const bool alias_stands_for_it = v == version::v5_0 && alias != 0;
    return alias_stands_for_it ? fine : errc::invalid_topic_name; // [MQTT-4.7.3-1]
  }
  if (topic.size() > 65'535 // [MQTT-4.7.3-3]
      || find_topic_fault_exact(as_octets(topic)) != text_fault::none)
    return errc::invalid_topic_name;
  return fine;
}

errc judge_block(const publish& packet, role sender) noexcept {
  if (packet.properties.has(property::topic_alias))
    return packet.topic_alias != 0 ? errc::property_repeated : errc::property_not_allowed;
  return judge_properties(packet.properties, sender == role::client ? property_place::publish_to_server
                                                                    : property_place::publish_to_client);
}

template <version V>
errc judge(const publish& packet, role sender, extent size) noexcept {
  if (const auto wrong = judge_topic(packet.topic, V, packet.topic_alias); wrong != fine) return wrong;
  if (packet.quality == qos::at_most_once) {
    if (packet.id != 0) return errc::invalid_packet_id; // [MQTT-2.2.1-2]
    if (packet.dup) return errc::invalid_argument;      // [MQTT-3.3.1-2]
  } else {
    if (packet.quality > qos::exactly_once) return errc::invalid_argument; // [MQTT-3.3.1-4]
    if (packet.id == 0) return errc::invalid_packet_id;                    // [MQTT-2.2.1-3]
  }
  if constexpr (V == version::v3_1_1) {
    if (!packet.properties.empty() || packet.topic_alias != 0) return errc::version_mismatch;
  } else if (!packet.properties.empty()) {
    if (const auto wrong = judge_block(packet, sender); wrong != fine) return wrong;
  }
  return size.remaining > max_remaining_length ? errc::packet_too_large : fine;
}

template <version V>
errc encode(outbox& out, const publish& packet, keeper* payload_owner, role sender) {
  const extent size = measure<V>(packet);
  const auto wrong = judge<V>(packet, sender, size);
  if (wrong == fine) append<V>(out, packet, payload_owner, size);
  return wrong;
}

} // namespace

errc decode_publish_into(publish& packet, octet first, octets body, version v, role receiver,
                         topic_memory& memory) noexcept {
  if (const auto wrong = read_flags(packet, first); wrong != fine) return wrong;
  wire_reader from{body};
  if (const auto wrong = read_topic(from, packet.topic, memory); wrong != fine) return wrong;
  packet.id = 0;
  if (packet.quality != qos::at_most_once) {
    if (!from.read_two_bytes(packet.id)) return errc::malformed_packet;
    if (packet.id == 0) // [MQTT-2.2.1-3]
      return errc::protocol_error;
  }
  packet.properties = {};
  packet.topic_alias = 0;
  // Nothing passes through `found` where there is nothing to be found: copying what was just written in
  // other portions would cost more than all the rest.
  if (v == version::v5_0 && !from.skip_zero()) {
    const auto place =
        receiver == role::server ? property_place::publish_to_server : property_place::publish_to_client;
    scanned_properties found;
    if (const auto wrong = read_properties(from, place, found); wrong != fine) return wrong;
    packet.properties = found.view;
    packet.topic_alias = found.topic_alias;
  }
  if (packet.topic.empty() && packet.topic_alias == 0) // [MQTT-4.7.3-1], section 3.3.2.1
    return v == version::v5_0 ? errc::protocol_error : errc::invalid_topic_name;
  packet.payload = from.rest();
  return fine;
}

result<publish> decode_publish(octet first, octets body, version v, role receiver) noexcept {
  result<publish> decoded{std::in_place};
  topic_memory none;
  if (const auto wrong = decode_publish_into(*decoded, first, body, v, receiver, none); wrong != fine)
    decoded = wrong;
  return decoded;
}

result<void> check_encodable(const publish& packet, version v, role sender) noexcept {
  const auto wrong = v == version::v5_0
                         ? judge<version::v5_0>(packet, sender, measure<version::v5_0>(packet))
                         : judge<version::v3_1_1>(packet, sender, measure<version::v3_1_1>(packet));
  if (wrong != fine) return wrong;
  return {};
}

void append_publish(outbox& out, const publish& packet, version v, keeper* payload_owner) {
  if (v == version::v5_0)
    append<version::v5_0>(out, packet, payload_owner, measure<version::v5_0>(packet));
  else
    append<version::v3_1_1>(out, packet, payload_owner, measure<version::v3_1_1>(packet));
}

result<void> encode_publish(outbox& out, const publish& packet, version v, keeper* payload_owner,
                            role sender) {
  const auto wrong = v == version::v5_0 ? encode<version::v5_0>(out, packet, payload_owner, sender)
                                        : encode<version::v3_1_1>(out, packet, payload_owner, sender);
  if (wrong != fine) return wrong;
  return {};
}

std::size_t encoded_size(const publish& packet, version v) noexcept {
  return packet_size(v == version::v5_0 ? measure<version::v5_0>(packet).remaining
                                        : measure<version::v3_1_1>(packet).remaining);
}

bool is_payload_as_claimed(const publish& packet) noexcept {
  if (packet.properties.number(property::payload_format_indicator).value_or(0) != 1) return true;
  return is_text_exact(packet.payload);
}

} // namespace troupe::protocol
