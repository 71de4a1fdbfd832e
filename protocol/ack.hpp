// ack: the four publish acknowledgements PUBACK, PUBREC, PUBREL, PUBCOMP (sections 3.4 to 3.7).
//
// Lives here: the struct, decode and encode for both versions.
// Holds:   flags, id and reason code are valid for the packet type after decoding.
// Errors:  decode answers errc values only; encode refuses before the first octet. What 3.1.1 cannot
//          say (a refusal, properties) is refused with errc::version_mismatch.
// Costs:   no allocation; 4 octets on the wire when the reason is success and there are no
//          properties.
#pragma once

#include "errc.hpp"
#include "outbox.hpp"
#include "properties.hpp"
#include "reason_code.hpp"
#include "result.hpp"
#include "vocabulary.hpp"

namespace troupe::protocol {

struct ack {
  packet_type type = packet_type::puback; // puback, pubrec, pubrel or pubcomp
  reason_code reason = reason_code::success;
  packet_id id = 0;
  properties_view properties{};
};

result<ack> decode_ack(octet first, octets body, version v) noexcept;
/// For the switch over packets: decodes into `packet`; 0 means that all is well.
errc decode_ack_into(ack& packet, octet first, octets body, version v) noexcept;
/// One that says nothing but success, in either version: its first octet, and the two of its body. False: it is
/// something else, or wrong, and nothing has been written.
inline bool read_bare_ack(ack& into, octet first, const octet* body) noexcept {
  const auto type = static_cast<packet_type>(first >> 4U);
  const unsigned flags = type == packet_type::pubrel ? 2U : 0U; // [MQTT-3.6.1-1]
  const unsigned id = static_cast<unsigned>(body[0]) << 8U | body[1];
  if (type < packet_type::puback || type > packet_type::pubcomp || (first & 0x0FU) != flags || id == 0)
    return false;
  into = {.type = type, .reason = reason_code::success, .id = static_cast<packet_id>(id), .properties = {}};
  return true;
}
result<void> encode_ack(outbox& out, const ack& packet, version v);
std::size_t encoded_size(const ack& packet, version v) noexcept;

} // namespace troupe::protocol
