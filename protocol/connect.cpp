#include "connect.hpp"

#include "property_section.hpp"
#include "utf8.hpp"
#include "wire_reader.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

namespace {

constexpr errc fine{};
constexpr octet first_octet = static_cast<octet>(packet_type::connect) << 4U;
constexpr std::string_view protocol_name = "MQTT";
constexpr std::string_view older_protocol_name = "MQIsdp"; // 3.1
constexpr std::size_t longest = 65'535;

/// The connect flags, section 3.1.2.3.
struct connect_flags {
  octet value;
  bool reserved() const noexcept { return (value & 0x01U) != 0; }
  bool clean_start() const noexcept { return (value & 0x02U) != 0; }
  bool will() const noexcept { return (value & 0x04U) != 0; }
  octet will_quality() const noexcept { return (value >> 3U) & 3U; }
  bool will_retain() const noexcept { return (value & 0x20U) != 0; }
  bool password() const noexcept { return (value & 0x40U) != 0; }
  bool user_name() const noexcept { return (value & 0x80U) != 0; }
};

errc judge_flags(connect_flags flags, version v) noexcept {
  if (flags.reserved() || flags.will_quality() == 3) // [MQTT-3.1.2-3] [MQTT-3.1.2-12]
    return errc::malformed_packet;
  if (!flags.will() && (flags.will_quality() != 0 || flags.will_retain()))
    return errc::malformed_packet;                                    // [MQTT-3.1.2-11] [MQTT-3.1.2-13]
  if (v == version::v3_1_1 && flags.password() && !flags.user_name()) // 3.1.1 [MQTT-3.1.2-22]
    return errc::malformed_packet;
  return fine;
}

errc read_protocol(wire_reader& from, version& v) noexcept {
  octets name;
  octet level = 0;
  if (!from.read_binary(name)) return errc::malformed_packet;
  if (as_text(name) == older_protocol_name) return errc::unsupported_version;
  if (as_text(name) != protocol_name || !from.read_byte(level)) // [MQTT-3.1.2-1]
    return errc::malformed_packet;
  v = static_cast<version>(level);
  const bool known = v == version::v3_1_1 || v == version::v5_0;
  return known ? fine : errc::unsupported_version; // [MQTT-3.1.2-2]
}

errc read_will(wire_reader& from, connect_flags flags, version v, will_view& will) noexcept {
  if (const auto wrong = read_section(from, property_place::will, v, will.properties); wrong != fine)
    return wrong;
  octets topic;
  if (!from.read_binary(topic) || !from.read_binary(will.payload)) return errc::malformed_packet;
  const auto fault = find_topic_fault(topic);
  if (fault == text_fault::malformed) // [MQTT-3.1.3-11]
    return errc::malformed_packet;
  if (topic.empty() || fault == text_fault::wildcard) // [MQTT-4.7.3-1] [MQTT-4.7.1-1]
    return errc::invalid_topic_name;
  will.topic = as_text(topic);
  will.quality = static_cast<qos>(flags.will_quality());
  will.retain = flags.will_retain();
  return fine;
}

/// Client identifier, will, user name, password, in this order [MQTT-3.1.3-1].
errc read_payload(wire_reader& from, connect_flags flags, connect& packet) noexcept {
  if (!from.read_text(packet.client_id)) // [MQTT-3.1.3-4]
    return errc::malformed_packet;
  if (flags.will()) {
    const auto wrong = read_will(from, flags, packet.protocol, packet.will.emplace());
    if (wrong != fine) return wrong;
  }
  if (flags.user_name() && !from.read_text(packet.user_name.emplace())) // [MQTT-3.1.3-12]
    return errc::malformed_packet;
  if (flags.password() && !from.read_binary(packet.password.emplace())) return errc::malformed_packet;
  return from.at_end() ? fine : errc::malformed_packet;
}

errc read(wire_reader& from, connect& packet) noexcept {
  if (const auto wrong = read_protocol(from, packet.protocol); wrong != fine) return wrong;
  connect_flags flags{0};
  if (!from.read_byte(flags.value) || !from.read_two_bytes(packet.keep_alive)) return errc::malformed_packet;
  if (const auto wrong = judge_flags(flags, packet.protocol); wrong != fine) return wrong;
  packet.clean_start = flags.clean_start();
  const auto wrong = read_section(from, property_place::connect, packet.protocol, packet.properties);
  return wrong != fine ? wrong : read_payload(from, flags, packet);
}

std::size_t body_size(const connect& packet) noexcept {
  // Name, level, flags and keep-alive take ten octets.
  std::size_t size = 10 + section_size(packet.properties, packet.protocol) + 2 + packet.client_id.size();
  if (packet.will)
    size += section_size(packet.will->properties, packet.protocol) + 4 + packet.will->topic.size()
            + packet.will->payload.size();
  if (packet.user_name) size += 2 + packet.user_name->size();
  if (packet.password) size += 2 + packet.password->size();
  return size;
}

errc judge_will(const will_view& will, version v) noexcept {
  if (will.topic.empty() || will.topic.size() > longest
      || find_topic_fault_exact(as_octets(will.topic)) != text_fault::none)
    return errc::invalid_topic_name;
  if (will.quality > qos::exactly_once) return errc::invalid_argument;
  if (will.payload.size() > longest) return errc::packet_too_large;
  return judge_section(will.properties, property_place::will, v);
}

bool is_writable_text(std::string_view text) noexcept {
  return text.size() <= longest && is_text_exact(as_octets(text));
}

errc judge_credentials(const connect& packet) noexcept {
  if (!is_writable_text(packet.client_id) || (packet.user_name && !is_writable_text(*packet.user_name)))
    return errc::invalid_text;
  if (packet.password && packet.password->size() > longest) return errc::invalid_argument;
  if (packet.protocol == version::v5_0) return fine;
  if (packet.password && !packet.user_name) // 3.1.1 [MQTT-3.1.2-22]
    return errc::version_mismatch;
  const bool nameless = packet.client_id.empty() && !packet.clean_start;
  return nameless ? errc::invalid_argument : fine; // 3.1.1 [MQTT-3.1.3-7]
}

errc judge(const connect& packet) noexcept {
  if (packet.protocol != version::v3_1_1 && packet.protocol != version::v5_0)
    return errc::unsupported_version;
  if (const auto wrong = judge_credentials(packet); wrong != fine) return wrong;
  if (packet.will)
    if (const auto wrong = judge_will(*packet.will, packet.protocol); wrong != fine) return wrong;
  const auto wrong = judge_section(packet.properties, property_place::connect, packet.protocol);
  if (wrong != fine) return wrong;
  return body_size(packet) > max_remaining_length ? errc::packet_too_large : fine;
}

octet flags_of(const connect& packet) noexcept {
  unsigned flags = packet.clean_start ? 0x02U : 0U;
  if (packet.will)
    flags |= 0x04U | (static_cast<unsigned>(packet.will->quality) << 3U) | (packet.will->retain ? 0x20U : 0U);
  flags |= packet.password ? 0x40U : 0U;
  flags |= packet.user_name ? 0x80U : 0U;
  return static_cast<octet>(flags);
}

} // namespace

result<connect> decode_connect(octet first, octets body) noexcept {
  result<connect> decoded{std::in_place};
  wire_reader from{body};
  const auto wrong = first == first_octet ? read(from, *decoded) : errc::malformed_packet;
  if (wrong != fine) decoded = wrong;
  return decoded;
}

std::optional<version> peek_version(octets body) noexcept {
  wire_reader from{body};
  version v{};
  if (read_protocol(from, v) != fine) return std::nullopt;
  return v;
}

result<void> encode_connect(outbox& out, const connect& packet) {
  if (const auto wrong = judge(packet); wrong != fine) return wrong;
  const auto remaining = static_cast<std::uint32_t>(body_size(packet));
  wire_writer to{out.reserve(packet_size(remaining))};
  to.write_byte(first_octet);
  to.write_variable(remaining);
  to.write_text(protocol_name);
  to.write_byte(static_cast<octet>(packet.protocol));
  to.write_byte(flags_of(packet));
  to.write_two_bytes(packet.keep_alive);
  write_section(to, packet.properties, packet.protocol);
  to.write_text(packet.client_id);
  if (packet.will) {
    write_section(to, packet.will->properties, packet.protocol);
    to.write_text(packet.will->topic);
    to.write_binary(packet.will->payload);
  }
  if (packet.user_name) to.write_text(*packet.user_name);
  if (packet.password) to.write_binary(*packet.password);
  out.commit(to.position());
  return {};
}

std::size_t encoded_size(const connect& packet) noexcept {
  const std::size_t remaining = body_size(packet);
  return packet_size(remaining);
}

} // namespace troupe::protocol
