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
result<void> encode_ack(outbox& out, const ack& packet, version v);
std::size_t encoded_size(const ack& packet, version v) noexcept;

} // namespace troupe::protocol
