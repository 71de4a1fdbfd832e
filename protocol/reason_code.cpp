#include "reason_code.hpp"

#include <array>

namespace troupe::protocol {

namespace {

/// Who may send a code in which packet: bit n of `client` / `server` for packet type n.
struct entry {
  std::uint8_t code;
  std::uint16_t client;
  std::uint16_t server;
  std::string_view name;
};

constexpr std::uint16_t in(packet_type type) noexcept {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(type));
}

constexpr std::uint16_t connack = in(packet_type::connack);
constexpr std::uint16_t rec = in(packet_type::puback) | in(packet_type::pubrec);
constexpr std::uint16_t rel = in(packet_type::pubrel) | in(packet_type::pubcomp);
constexpr std::uint16_t suback = in(packet_type::suback);
constexpr std::uint16_t unsuback = in(packet_type::unsuback);
constexpr std::uint16_t bye = in(packet_type::disconnect);
constexpr std::uint16_t auth = in(packet_type::auth);

constexpr auto table = std::to_array<entry>({
    {0x00, rec | rel | bye, connack | rec | rel | suback | unsuback | bye | auth, "success"},
    {0x01, 0, suback, "granted QoS 1"},
    {0x02, 0, suback, "granted QoS 2"},
    {0x04, bye, 0, "disconnect with will message"},
    {0x10, rec, rec, "no matching subscribers"},
    {0x11, 0, unsuback, "no subscription existed"},
    {0x18, auth, auth, "continue authentication"},
    {0x19, auth, 0, "re-authenticate"},
    {0x80, rec | bye, connack | rec | suback | unsuback | bye, "unspecified error"},
    {0x81, bye, connack | bye, "malformed packet"},
    {0x82, bye, connack | bye, "protocol error"},
    {0x83, rec | bye, connack | rec | suback | unsuback | bye, "implementation specific error"},
    {0x84, 0, connack, "unsupported protocol version"},
    {0x85, 0, connack, "client identifier not valid"},
    {0x86, 0, connack, "bad user name or password"},
    {0x87, rec, connack | rec | suback | unsuback | bye, "not authorized"},
    {0x88, 0, connack, "server unavailable"},
    {0x89, 0, connack | bye, "server busy"},
    {0x8A, 0, connack, "banned"},
    {0x8B, 0, bye, "server shutting down"},
    {0x8C, bye, connack | bye, "bad authentication method"},
    {0x8D, 0, bye, "keep alive timeout"},
    {0x8E, 0, bye, "session taken over"},
    {0x8F, 0, suback | unsuback | bye, "topic filter invalid"},
    {0x90, rec | bye, connack | rec | bye, "topic name invalid"},
    {0x91, rec, rec | suback | unsuback, "packet identifier in use"},
    {0x92, rel, rel, "packet identifier not found"},
    {0x93, bye, bye, "receive maximum exceeded"},
    {0x94, bye, bye, "topic alias invalid"},
    {0x95, bye, connack | bye, "packet too large"},
    {0x96, bye, bye, "message rate too high"},
    {0x97, rec | bye, connack | rec | suback | bye, "quota exceeded"},
    {0x98, bye, bye, "administrative action"},
    {0x99, rec | bye, connack | rec | bye, "payload format invalid"},
    {0x9A, 0, connack | bye, "retain not supported"},
    {0x9B, 0, connack | bye, "QoS not supported"},
    {0x9C, 0, connack | bye, "use another server"},
    {0x9D, 0, connack | bye, "server moved"},
    {0x9E, 0, suback | bye, "shared subscriptions not supported"},
    {0x9F, 0, connack | bye, "connection rate exceeded"},
    {0xA0, 0, bye, "maximum connect time"},
    {0xA1, 0, suback | bye, "subscription identifiers not supported"},
    {0xA2, 0, suback | bye, "wildcard subscriptions not supported"},
});

/// Position in the table + 1, or 0 for octets that are no reason code.
constexpr auto positions = [] {
  std::array<std::uint8_t, 256> at{};
  for (std::size_t i = 0; i < table.size(); ++i) at[table[i].code] = static_cast<std::uint8_t>(i + 1);
  return at;
}();

const entry* find(reason_code code) noexcept {
  const auto at = positions[static_cast<std::uint8_t>(code)];
  return at == 0 ? nullptr : &table[at - 1U];
}

} // namespace

std::string_view name(reason_code code) noexcept {
  const entry* known = find(code);
  return known != nullptr ? known->name : "unknown reason code";
}

std::string_view name(reason_code code, packet_type where) noexcept {
  if (code == reason_code::success && where == packet_type::suback) return "granted QoS 0";
  if (code == reason_code::success && where == packet_type::disconnect) return "normal disconnection";
  return name(code);
}

bool may_stand_in(reason_code code, packet_type where, role sender) noexcept {
  const entry* known = find(code);
  if (known == nullptr) return false;
  return ((sender == role::client ? known->client : known->server) & in(where)) != 0;
}

std::optional<reason_code> from_return_code(std::uint8_t code) noexcept {
  switch (code) {
  case 0: return reason_code::success;
  case 1: return reason_code::unsupported_protocol_version;
  case 2: return reason_code::client_identifier_not_valid;
  case 3: return reason_code::server_unavailable;
  case 4: return reason_code::bad_user_name_or_password;
  case 5: return reason_code::not_authorized;
  default: return std::nullopt;
  }
}

std::uint8_t to_return_code(reason_code code) noexcept {
  switch (code) {
  case reason_code::success: return 0;
  case reason_code::unsupported_protocol_version: return 1;
  case reason_code::client_identifier_not_valid: return 2;
  case reason_code::bad_user_name_or_password:
  case reason_code::bad_authentication_method: return 4;
  case reason_code::not_authorized:
  case reason_code::banned: return 5;
  default: return 3; // server unavailable: the only one that blames nobody
  }
}

} // namespace troupe::protocol
