#include "subscribe.hpp"

#include "property_section.hpp"
#include "topic.hpp"
#include "wire_reader.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

namespace {

constexpr errc fine{};
constexpr octet subscribe_octet = (static_cast<octet>(packet_type::subscribe) << 4U) | 2U;
constexpr octet suback_octet = static_cast<octet>(packet_type::suback) << 4U;
constexpr octet refused_in_3_1_1 = 0x80;

subscription unpack(std::string_view filter, octet options) noexcept {
  return {.filter = filter,
          .quality = static_cast<qos>(options & 3U),
          .no_local = (options & 4U) != 0,
          .retain_as_published = (options & 8U) != 0,
          .handling = static_cast<retain_handling>((options >> 4U) & 3U)};
}

octet pack(const subscription& line) noexcept {
  return static_cast<octet>(static_cast<unsigned>(line.quality) | (line.no_local ? 4U : 0U)
                            | (line.retain_as_published ? 8U : 0U)
                            | (static_cast<unsigned>(line.handling) << 4U));
}

/// Subscription options, section 3.8.3.1.
errc judge_options(std::string_view filter, octet options, version v) noexcept {
  if (v == version::v3_1_1) return options > 2 ? errc::malformed_packet : fine; // 3.1.1 [MQTT-3.8.3-4]
  if ((options & 0xC0U) != 0)                                                   // [MQTT-3.8.3-5]
    return errc::malformed_packet;
  if ((options & 3U) == 3 || (options & 0x30U) == 0x30U) return errc::protocol_error;
  const bool no_local = (options & 4U) != 0;
  return no_local && is_shared(filter) ? errc::protocol_error : fine; // [MQTT-3.8.3-4]
}

errc read_line(wire_reader& from, version v) noexcept {
  std::string_view filter;
  octet options = 0;
  if (!from.read_text(filter) || !from.read_byte(options)) // [MQTT-3.8.3-1]
    return errc::malformed_packet;
  if (const auto checked = check_topic_filter(filter); !checked)
    return static_cast<errc>(checked.error().value());
  return judge_options(filter, options, v);
}

errc read(wire_reader& from, version v, subscribe& packet) noexcept {
  if (const auto wrong = read_packet_id(from, packet.id); wrong != fine) return wrong;
  if (const auto wrong = read_section(from, property_place::subscribe, v, packet.properties); wrong != fine)
    return wrong;
  const octets lines = from.rest();
  if (lines.empty()) // [MQTT-3.8.3-2]
    return errc::protocol_error;
  std::size_t count = 0;
  for (; !from.at_end(); ++count)
    if (const auto wrong = read_line(from, v); wrong != fine) return wrong;
  packet.filters = subscription_list{lines, count};
  return fine;
}

bool is_known(reason_code code, version v) noexcept {
  if (v == version::v3_1_1)
    return code == reason_code::unspecified_error || code <= reason_code::granted_qos_2;
  return may_stand_in(code, packet_type::suback, role::server);
}

errc read(wire_reader& from, version v, suback& packet) noexcept {
  if (const auto wrong = read_packet_id(from, packet.id); wrong != fine) return wrong;
  if (const auto wrong = read_section(from, property_place::suback, v, packet.properties); wrong != fine)
    return wrong;
  const octets codes = from.rest();
  if (codes.empty()) return errc::malformed_packet;
  packet.codes = as_reason_codes(codes);
  for (const reason_code code : packet.codes)
    if (!is_known(code, v)) // [MQTT-3.9.3-2]
      return errc::malformed_packet;
  return fine;
}

errc judge_line(const subscription& line, version v) noexcept {
  if (const auto checked = check_topic_filter(line.filter); !checked)
    return static_cast<errc>(checked.error().value());
  if (line.quality > qos::exactly_once || line.handling > retain_handling::do_not_send)
    return errc::invalid_argument;
  const bool plain = !line.no_local && !line.retain_as_published && line.handling == retain_handling::send;
  if (v == version::v3_1_1) return plain ? fine : errc::version_mismatch;
  return line.no_local && is_shared(line.filter) ? errc::invalid_argument : fine; // [MQTT-3.8.3-4]
}

std::size_t body_size(std::span<const subscription> filters, properties_view properties, version v) noexcept {
  std::size_t size = 2 + section_size(properties, v);
  for (const subscription& line : filters) size += 3 + line.filter.size();
  return size;
}

std::size_t body_size(const suback& packet, version v) noexcept {
  return 2 + section_size(packet.properties, v) + packet.codes.size();
}

} // namespace

subscription subscription_list::iterator::operator*() const noexcept {
  const std::size_t size = (std::size_t{at_[0]} << 8U) | at_[1];
  return unpack(as_text({at_ + 2, size}), at_[2 + size]);
}

subscription_list::iterator& subscription_list::iterator::operator++() noexcept {
  at_ += 3 + ((std::size_t{at_[0]} << 8U) | at_[1]);
  return *this;
}

result<subscribe> decode_subscribe(octet first, octets body, version v) noexcept {
  result<subscribe> decoded{std::in_place};
  wire_reader from{body};
  const auto wrong = first == subscribe_octet // [MQTT-3.8.1-1]
                         ? read(from, v, *decoded)
                         : errc::malformed_packet;
  if (wrong != fine) decoded = wrong;
  return decoded;
}

result<void> encode_subscribe(outbox& out, packet_id id, std::span<const subscription> filters,
                              properties_view properties, version v) {
  if (id == 0) return errc::invalid_packet_id;
  if (filters.empty()) // [MQTT-3.8.3-2]
    return errc::invalid_argument;
  for (const subscription& line : filters)
    if (const auto wrong = judge_line(line, v); wrong != fine) return wrong;
  if (const auto wrong = judge_section(properties, property_place::subscribe, v); wrong != fine) return wrong;
  const std::size_t size = body_size(filters, properties, v);
  if (size > max_remaining_length) return errc::packet_too_large;
  wire_writer to{out.reserve(packet_size(size))};
  to.write_byte(subscribe_octet);
  to.write_variable(static_cast<std::uint32_t>(size));
  to.write_two_bytes(id);
  write_section(to, properties, v);
  for (const subscription& line : filters) {
    to.write_text(line.filter);
    to.write_byte(pack(line));
  }
  out.commit(to.position());
  return {};
}

std::size_t encoded_subscribe_size(std::span<const subscription> filters, properties_view properties,
                                   version v) noexcept {
  return packet_size(body_size(filters, properties, v));
}

result<suback> decode_suback(octet first, octets body, version v) noexcept {
  result<suback> decoded{std::in_place};
  wire_reader from{body};
  const auto wrong = first == suback_octet ? read(from, v, *decoded) : errc::malformed_packet;
  if (wrong != fine) decoded = wrong;
  return decoded;
}

result<void> encode_suback(outbox& out, const suback& packet, version v) {
  if (packet.id == 0) return errc::invalid_packet_id;
  if (packet.codes.empty()) return errc::invalid_argument;
  for (const reason_code code : packet.codes)
    if (!may_stand_in(code, packet_type::suback, role::server)) return errc::invalid_reason_code;
  if (const auto wrong = judge_section(packet.properties, property_place::suback, v); wrong != fine)
    return wrong;
  const std::size_t size = body_size(packet, v);
  if (size > max_remaining_length) return errc::packet_too_large;
  wire_writer to{out.reserve(packet_size(size))};
  to.write_byte(suback_octet);
  to.write_variable(static_cast<std::uint32_t>(size));
  to.write_two_bytes(packet.id);
  write_section(to, packet.properties, v);
  for (const reason_code code : packet.codes)
    to.write_byte(v == version::v3_1_1 && is_failure(code) ? refused_in_3_1_1 : static_cast<octet>(code));
  out.commit(to.position());
  return {};
}

std::size_t encoded_size(const suback& packet, version v) noexcept {
  return packet_size(body_size(packet, v));
}

} // namespace troupe::protocol
