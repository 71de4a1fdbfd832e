// disconnect: the DISCONNECT packet, MQTT 5.0 and 3.1.1 section 3.14.
//
// Lives here: the struct, decode and encode for both versions.
// Errors:  decode answers errc values only; a server of 3.1.1 has no DISCONNECT to send, so neither
//          end may see one from there.
// Costs:   no allocation; 2 octets when the reason is 0x00 and there are no properties.
#pragma once

#include "errc.hpp"
#include "outbox.hpp"
#include "properties.hpp"
#include "reason_code.hpp"
#include "result.hpp"
#include "vocabulary.hpp"

namespace troupe::protocol {

struct disconnect {
  reason_code reason = reason_code::normal_disconnection;
  properties_view properties{};
};

result<disconnect> decode_disconnect(octet first, octets body, version v, role receiver) noexcept;
result<void> encode_disconnect(outbox& out, const disconnect& packet, version v, role sender);
std::size_t encoded_size(const disconnect& packet, version v) noexcept;

} // namespace troupe::protocol
