// connack: the CONNACK packet, MQTT 5.0 and 3.1.1 section 3.2.
//
// Lives here: the struct, decode and encode for both versions. Return codes of 3.1.1 appear as the
//          reason codes that say the same.
// Holds:   session_present is false in a refusal [MQTT-3.2.2-6].
// Errors:  decode answers errc values only; encode refuses before the first octet.
// Costs:   no allocation.
#pragma once

#include "errc.hpp"
#include "outbox.hpp"
#include "properties.hpp"
#include "reason_code.hpp"
#include "result.hpp"
#include "vocabulary.hpp"

namespace troupe::protocol {

struct connack {
  bool session_present = false;
  reason_code reason = reason_code::success;
  properties_view properties{};
};

result<connack> decode_connack(octet first, octets body, version v) noexcept;
result<void> encode_connack(outbox& out, const connack& packet, version v);
std::size_t encoded_size(const connack& packet, version v) noexcept;

} // namespace troupe::protocol
