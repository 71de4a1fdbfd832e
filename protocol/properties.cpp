#include "properties.hpp"

#include "wire_reader.hpp"
#include "wire_writer.hpp"

#include <array>

namespace troupe::protocol {

namespace {

using form = property_form;

constexpr std::uint16_t at(property_place place) noexcept {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(place));
}

template <class... Places>
constexpr std::uint16_t at(property_place first, Places... more) noexcept {
  return static_cast<std::uint16_t>(at(first) | at(more...));
}

using enum property_place;

constexpr std::uint16_t message = at(publish_to_server, publish_to_client, will);
constexpr std::uint16_t farewell = at(disconnect_from_client, disconnect_from_server);
constexpr std::uint16_t answers = at(connack, puback, pubrec, pubrel, pubcomp, suback, unsuback,
                                     disconnect_from_client, disconnect_from_server, auth);
constexpr std::uint16_t everywhere = 0xFFFF;

struct row {
  property id;
  form shape;
  std::uint16_t places;
  std::string_view name;
};

/// MQTT 5.0 section 2.2.2.2, the one table.
constexpr auto rows = std::to_array<row>({
    {property::payload_format_indicator, form::flag, message, "payload format indicator"},
    {property::message_expiry_interval, form::four_bytes, message, "message expiry interval"},
    {property::content_type, form::text, message, "content type"},
    {property::response_topic, form::topic_name, message, "response topic"},
    {property::correlation_data, form::binary, message, "correlation data"},
    {property::subscription_identifier, form::variable_above_zero, at(publish_to_client, subscribe),
     "subscription identifier"},
    {property::session_expiry_interval, form::four_bytes, at(connect, connack, disconnect_from_client),
     "session expiry interval"},
    {property::assigned_client_identifier, form::text, at(connack), "assigned client identifier"},
    {property::server_keep_alive, form::two_bytes, at(connack), "server keep alive"},
    {property::authentication_method, form::text, at(connect, connack, auth), "authentication method"},
    {property::authentication_data, form::binary, at(connect, connack, auth), "authentication data"},
    {property::request_problem_information, form::flag, at(connect), "request problem information"},
    {property::will_delay_interval, form::four_bytes, at(will), "will delay interval"},
    {property::request_response_information, form::flag, at(connect), "request response information"},
    {property::response_information, form::text, at(connack), "response information"},
    {property::server_reference, form::text, at(connack, disconnect_from_server), "server reference"},
    {property::reason_string, form::text, answers, "reason string"},
    {property::receive_maximum, form::two_bytes_above_zero, at(connect, connack), "receive maximum"},
    {property::topic_alias_maximum, form::two_bytes, at(connect, connack), "topic alias maximum"},
    {property::topic_alias, form::two_bytes_above_zero, at(publish_to_server, publish_to_client),
     "topic alias"},
    {property::maximum_qos, form::flag, at(connack), "maximum QoS"},
    {property::retain_available, form::flag, at(connack), "retain available"},
    {property::user_property, form::pair, everywhere, "user property"},
    {property::maximum_packet_size, form::four_bytes_above_zero, at(connect, connack), "maximum packet size"},
    {property::wildcard_subscription_available, form::flag, at(connack), "wildcard subscription available"},
    {property::subscription_identifier_available, form::flag, at(connack),
     "subscription identifier available"},
    {property::shared_subscription_available, form::flag, at(connack), "shared subscription available"},
});
static_assert((farewell & ~everywhere) == 0 && rows.size() == 27);

constexpr std::size_t identifiers = 0x2B;

constexpr auto forms = [] {
  std::array<form, identifiers> by_id{};
  for (const row& r : rows) by_id[static_cast<std::size_t>(r.id)] = r.shape;
  return by_id;
}();

constexpr std::uint64_t bit(property id) noexcept { return std::uint64_t{1} << static_cast<unsigned>(id); }

/// Bit 0 belongs to no identifier; it says that subscription identifiers repeat.
constexpr std::uint64_t repeated = 1;

constexpr auto allowed = [] {
  std::array<std::uint64_t, 16> by_place{};
  for (std::size_t place = 0; place < by_place.size(); ++place)
    for (const row& r : rows)
      if ((r.places >> place) & 1U) by_place[place] |= bit(r.id);
  by_place[static_cast<std::size_t>(publish_to_client)] |= repeated;
  return by_place;
}();

constexpr errc fine{};

/// Moves behind the value at `at` of a validated block and answers where it ends.
const octet* skip(form shape, const octet* from) noexcept {
  const auto binary_end = [](const octet* p) { return p + 2 + ((p[0] << 8U) | p[1]); };
  switch (shape) {
  case form::none: return from;
  case form::flag: return from + 1;
  case form::two_bytes:
  case form::two_bytes_above_zero: return from + 2;
  case form::four_bytes:
  case form::four_bytes_above_zero: return from + 4;
  case form::variable_above_zero:
    while (*from >= 0x80U) ++from;
    return from + 1;
  case form::text:
  case form::topic_name:
  case form::binary: return binary_end(from);
  case form::pair: return binary_end(binary_end(from));
  }
  return from;
}

/// Where the value of the first property `id` at or after `from` starts; null = none.
const octet* find(property id, const octet* from, const octet* end) noexcept {
  while (from != end) {
    const auto here = static_cast<property>(*from++);
    if (here == id) return from;
    from = skip(forms[static_cast<std::size_t>(here)], from);
  }
  return nullptr;
}

const octet* find(properties_view view, property id) noexcept {
  if (!view.has(id)) return nullptr;
  return find(id, view.block().data(), view.block().data() + view.block().size());
}

std::uint32_t big_endian(const octet* from, std::size_t count) noexcept {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = (value << 8U) | from[i];
  return value;
}

std::uint32_t variable_at(const octet* from) noexcept {
  std::uint32_t value = 0;
  for (unsigned shift = 0;; shift += 7U, ++from) {
    value |= static_cast<std::uint32_t>(*from & 0x7FU) << shift;
    if (*from < 0x80U) return value;
  }
}

octets binary_at(const octet* from) noexcept { return {from + 2, big_endian(from, 2)}; }

errc judge_topic(octets raw) noexcept {
  if (raw.empty()) return errc::protocol_error;
  switch (find_topic_fault(raw)) {
  case text_fault::none: return fine;
  case text_fault::wildcard: return errc::protocol_error; // [MQTT-3.3.2-14]
  case text_fault::malformed: break;
  }
  return errc::malformed_packet;
}

/// Reads one value; the value of a two-byte property is left in `number`.
errc read_value(wire_reader& from, form shape, std::uint32_t& number) noexcept {
  octet byte = 0;
  std::uint16_t two = 0;
  octets raw;
  std::string_view text;
  switch (shape) {
  case form::flag:
    if (!from.read_byte(byte)) return errc::malformed_packet;
    return byte > 1 ? errc::protocol_error : fine;
  case form::two_bytes:
  case form::two_bytes_above_zero:
    if (!from.read_two_bytes(two)) return errc::malformed_packet;
    number = two;
    return two == 0 && shape == form::two_bytes_above_zero ? errc::protocol_error : fine;
  case form::four_bytes:
  case form::four_bytes_above_zero:
    if (!from.read_four_bytes(number)) return errc::malformed_packet;
    return number == 0 && shape == form::four_bytes_above_zero ? errc::protocol_error : fine;
  case form::variable_above_zero:
    if (!from.read_variable(number)) return errc::malformed_packet;
    return number == 0 ? errc::protocol_error : fine; // [MQTT-3.8.2.1.2]
  case form::text: return from.read_text(text) ? fine : errc::malformed_packet;
  case form::topic_name: return from.read_binary(raw) ? judge_topic(raw) : errc::malformed_packet;
  case form::binary: return from.read_binary(raw) ? fine : errc::malformed_packet;
  case form::pair: return from.read_text(text) && from.read_text(text) ? fine : errc::malformed_packet;
  case form::none: break;
  }
  return errc::malformed_packet;
}

/// The same packet sent the other way.
property_place other_way(property_place place) noexcept {
  switch (place) {
  case publish_to_server: return publish_to_client;
  case disconnect_from_client: return disconnect_from_server;
  case disconnect_from_server: return disconnect_from_client;
  default: return place;
  }
}

/// The error for an identifier that is not allowed, or a second time.
errc refuse(octet id, std::uint64_t seen, property_place place) noexcept {
  if (id == 0 || id >= identifiers) return errc::malformed_packet;
  if (((seen >> id) & 1U) != 0) return errc::protocol_error; // once is the rule, section 2.2.2.2
  // Right in this packet, but not from this sender [MQTT-3.3.4-6] [MQTT-3.14.2-2].
  const std::uint64_t elsewhere = allowed[static_cast<std::size_t>(other_way(place))];
  return ((elsewhere >> id) & 1U) != 0 ? errc::protocol_error : errc::malformed_packet;
}

errc scan(octets block, property_place place, scanned_properties& found) noexcept {
  const std::uint64_t may = allowed[static_cast<std::size_t>(place)];
  constexpr std::uint64_t many = bit(property::user_property);
  std::uint64_t seen = 0;
  wire_reader from{block};
  while (!from.at_end()) {
    octet id = 0;
    static_cast<void>(from.read_byte(id));
    const std::uint64_t here = id < identifiers && id != 0 ? std::uint64_t{1} << id : 0;
    if ((here & may & ~(seen & ~many)) == 0) {
      const bool again = here == bit(property::subscription_identifier) && (may & repeated) != 0;
      if (!again) return refuse(id, seen, place);
      seen |= repeated;
    }
    seen |= here;
    std::uint32_t number = 0;
    const auto wrong = read_value(from, forms[id], number);
    const bool is_alias = here == bit(property::topic_alias);
    if (wrong != fine) return is_alias && wrong == errc::protocol_error ? errc::topic_alias_invalid : wrong;
    if (is_alias) found.topic_alias = static_cast<std::uint16_t>(number);
  }
  found.view = properties_view{block, seen};
  return fine;
}

/// Authentication data without a method is a protocol error, sections 3.1.2.11.10 and 3.15.2.2.3.
bool lacks_method(std::uint64_t seen, property_place place) noexcept {
  const bool has_method = (seen & bit(property::authentication_method)) != 0;
  return !has_method && (place == auth || (seen & bit(property::authentication_data)) != 0);
}

} // namespace

std::optional<std::uint32_t> properties_view::number(property id) const noexcept {
  const octet* value = find(*this, id);
  if (value == nullptr) return std::nullopt;
  switch (form_of(id)) {
  case form::flag: return *value;
  case form::two_bytes:
  case form::two_bytes_above_zero: return big_endian(value, 2);
  case form::four_bytes:
  case form::four_bytes_above_zero: return big_endian(value, 4);
  case form::variable_above_zero: return variable_at(value);
  default: return std::nullopt;
  }
}

std::optional<std::string_view> properties_view::text(property id) const noexcept {
  const form shape = form_of(id);
  if (shape != form::text && shape != form::topic_name) return std::nullopt;
  const octet* value = find(*this, id);
  if (value == nullptr) return std::nullopt;
  return as_text(binary_at(value));
}

std::optional<octets> properties_view::binary(property id) const noexcept {
  const octet* value = form_of(id) == form::binary ? find(*this, id) : nullptr;
  if (value == nullptr) return std::nullopt;
  return binary_at(value);
}

std::optional<user_property> properties_view::next_user_property(std::size_t& at) const noexcept {
  if (!has(property::user_property)) return std::nullopt;
  const octet* const begin = block_.data();
  const octet* value = find(property::user_property, begin + at, begin + block_.size());
  if (value == nullptr) {
    at = block_.size();
    return std::nullopt;
  }
  const octets key = binary_at(value);
  const octets text = binary_at(key.data() + key.size());
  at = static_cast<std::size_t>(text.data() + text.size() - begin);
  return user_property{as_text(key), as_text(text)};
}

std::optional<std::uint32_t> properties_view::next_subscription_identifier(std::size_t& at) const noexcept {
  if (!has(property::subscription_identifier)) return std::nullopt;
  const octet* const begin = block_.data();
  const octet* value = find(property::subscription_identifier, begin + at, begin + block_.size());
  if (value == nullptr) {
    at = block_.size();
    return std::nullopt;
  }
  at = static_cast<std::size_t>(skip(form::variable_above_zero, value) - begin);
  return variable_at(value);
}

result<properties_view> validate_properties(octets block, property_place place) noexcept {
  scanned_properties found;
  if (const auto wrong = scan(block, place, found); wrong != fine) return wrong;
  if (lacks_method(found.view.seen(), place)) return errc::protocol_error;
  return found.view;
}

errc read_properties(wire_reader& from, property_place place, scanned_properties& found) noexcept {
  std::uint32_t size = 0;
  octets block;
  if (!from.read_variable(size) || !from.take(size, block)) return errc::malformed_packet;
  if (block.empty() && place != auth) return fine;
  if (const auto wrong = scan(block, place, found); wrong != fine) return wrong;
  return lacks_method(found.view.seen(), place) ? errc::protocol_error : fine;
}

errc judge_properties(properties_view properties, property_place place) noexcept {
  if ((properties.seen() & ~allowed[static_cast<std::size_t>(place)]) != 0) return errc::property_not_allowed;
  if (lacks_method(properties.seen(), place)) return errc::invalid_argument;
  return properties.block().size() > max_remaining_length ? errc::packet_too_large : fine;
}

property_form form_of(property id) noexcept {
  const auto index = static_cast<std::size_t>(id);
  return index < identifiers ? forms[index] : form::none;
}

octets find_property(octets block, property id) noexcept {
  const octet* value = find(id, block.data(), block.data() + block.size());
  if (value == nullptr) return {};
  return {value - 1, skip(form_of(id), value)};
}

std::uint64_t allowed_properties(property_place place) noexcept {
  return allowed[static_cast<std::size_t>(place)];
}

std::string_view name(property id) noexcept {
  for (const row& r : rows)
    if (r.id == id) return r.name;
  return "unknown property";
}

} // namespace troupe::protocol
