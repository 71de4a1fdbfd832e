#include "unsubscribe.hpp"

#include "property_section.hpp"
#include "topic.hpp"
#include "wire_reader.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

namespace {

constexpr errc fine{};
constexpr octet unsubscribe_octet = (static_cast<octet>(packet_type::unsubscribe) << 4U) | 2U;
constexpr octet unsuback_octet = static_cast<octet>(packet_type::unsuback) << 4U;

errc judge_filter(std::string_view filter) noexcept {
  const auto checked = check_topic_filter(filter);
  return checked ? fine : static_cast<errc>(checked.error().value());
}

errc read_filter(wire_reader& from) noexcept {
  std::string_view filter;
  if (!from.read_text(filter)) // [MQTT-3.10.3-1]
    return errc::malformed_packet;
  return judge_filter(filter);
}

errc read(wire_reader& from, version v, unsubscribe& packet) noexcept {
  if (const auto wrong = read_packet_id(from, packet.id); wrong != fine) return wrong;
  if (const auto wrong = read_section(from, property_place::unsubscribe, v, packet.properties); wrong != fine)
    return wrong;
  const octets lines = from.rest();
  if (lines.empty()) // [MQTT-3.10.3-2]
    return errc::protocol_error;
  std::size_t count = 0;
  for (; !from.at_end(); ++count)
    if (const auto wrong = read_filter(from); wrong != fine) return wrong;
  packet.filters = filter_list{lines, count};
  return fine;
}

errc read_codes(wire_reader& from, unsuback& packet) noexcept {
  const octets codes = from.rest();
  if (codes.empty()) return errc::malformed_packet;
  packet.codes = as_reason_codes(codes);
  for (const reason_code code : packet.codes)
    if (!may_stand_in(code, packet_type::unsuback, role::server)) // [MQTT-3.11.3-2]
      return errc::malformed_packet;
  return fine;
}

errc read(wire_reader& from, version v, unsuback& packet) noexcept {
  if (const auto wrong = read_packet_id(from, packet.id); wrong != fine) return wrong;
  if (v == version::v3_1_1) return from.at_end() ? fine : errc::malformed_packet;
  const auto wrong = read_section(from, property_place::unsuback, v, packet.properties);
  return wrong != fine ? wrong : read_codes(from, packet);
}

std::size_t body_size(std::span<const std::string_view> filters, properties_view properties,
                      version v) noexcept {
  std::size_t size = 2 + section_size(properties, v);
  for (const std::string_view filter : filters) size += 2 + filter.size();
  return size;
}

std::size_t body_size(const unsuback& packet, version v) noexcept {
  return v == version::v3_1_1 ? 2 : 2 + section_size(packet.properties, v) + packet.codes.size();
}

errc judge(const unsuback& packet, version v) noexcept {
  if (packet.id == 0) return errc::invalid_packet_id;
  if (const auto wrong = judge_section(packet.properties, property_place::unsuback, v); wrong != fine)
    return wrong;
  if (v == version::v3_1_1) return fine;
  if (packet.codes.empty()) return errc::invalid_argument;
  for (const reason_code code : packet.codes)
    if (!may_stand_in(code, packet_type::unsuback, role::server)) return errc::invalid_reason_code;
  return body_size(packet, v) > max_remaining_length ? errc::packet_too_large : fine;
}

} // namespace

std::string_view filter_list::iterator::operator*() const noexcept {
  const std::size_t size = (std::size_t{at_[0]} << 8U) | at_[1];
  return as_text({at_ + 2, size});
}

filter_list::iterator& filter_list::iterator::operator++() noexcept {
  at_ += 2 + ((std::size_t{at_[0]} << 8U) | at_[1]);
  return *this;
}

result<unsubscribe> decode_unsubscribe(octet first, octets body, version v) noexcept {
  result<unsubscribe> decoded{std::in_place};
  wire_reader from{body};
  const auto wrong = first == unsubscribe_octet // [MQTT-3.10.1-1]
                         ? read(from, v, *decoded)
                         : errc::malformed_packet;
  if (wrong != fine) decoded = wrong;
  return decoded;
}

result<void> encode_unsubscribe(outbox& out, packet_id id, std::span<const std::string_view> filters,
                                properties_view properties, version v) {
  if (id == 0) return errc::invalid_packet_id;
  if (filters.empty()) // [MQTT-3.10.3-2]
    return errc::invalid_argument;
  for (const std::string_view filter : filters)
    if (const auto wrong = judge_filter(filter); wrong != fine) return wrong;
  if (const auto wrong = judge_section(properties, property_place::unsubscribe, v); wrong != fine)
    return wrong;
  const std::size_t size = body_size(filters, properties, v);
  if (size > max_remaining_length) return errc::packet_too_large;
  wire_writer to{out.reserve(packet_size(size))};
  to.write_byte(unsubscribe_octet);
  to.write_variable(static_cast<std::uint32_t>(size));
  to.write_two_bytes(id);
  write_section(to, properties, v);
  for (const std::string_view filter : filters) to.write_text(filter);
  out.commit(to.position());
  return {};
}

std::size_t encoded_unsubscribe_size(std::span<const std::string_view> filters, properties_view properties,
                                     version v) noexcept {
  return packet_size(body_size(filters, properties, v));
}

result<unsuback> decode_unsuback(octet first, octets body, version v) noexcept {
  result<unsuback> decoded{std::in_place};
  wire_reader from{body};
  const auto wrong = first == unsuback_octet ? read(from, v, *decoded) : errc::malformed_packet;
  if (wrong != fine) decoded = wrong;
  return decoded;
}

result<void> encode_unsuback(outbox& out, const unsuback& packet, version v) {
  if (const auto wrong = judge(packet, v); wrong != fine) return wrong;
  const std::size_t size = body_size(packet, v);
  wire_writer to{out.reserve(packet_size(size))};
  to.write_byte(unsuback_octet);
  to.write_variable(static_cast<std::uint32_t>(size));
  to.write_two_bytes(packet.id);
  write_section(to, packet.properties, v);
  if (v == version::v5_0)
    for (const reason_code code : packet.codes) to.write_byte(static_cast<octet>(code));
  out.commit(to.position());
  return {};
}

std::size_t encoded_size(const unsuback& packet, version v) noexcept {
  return packet_size(body_size(packet, v));
}

} // namespace troupe::protocol
