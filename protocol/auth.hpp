// auth: the AUTH packet of enhanced authentication, MQTT 5.0 section 3.15.
//
// Lives here: the struct, decode and encode. 3.1.1 has no such packet.
// Errors:  decode answers errc values only; encode refuses before the first octet.
// Costs:   no allocation; 2 octets when the reason is success and there are no properties.
#pragma once

#include "errc.hpp"
#include "outbox.hpp"
#include "properties.hpp"
#include "reason_code.hpp"
#include "result.hpp"
#include "vocabulary.hpp"

namespace troupe::protocol {

struct auth {
  reason_code reason = reason_code::success;
  properties_view properties{};
};

result<auth> decode_auth(octet first, octets body, version v, role receiver) noexcept;
result<void> encode_auth(outbox& out, const auth& packet, version v, role sender);
std::size_t encoded_size(const auth& packet) noexcept;

} // namespace troupe::protocol
