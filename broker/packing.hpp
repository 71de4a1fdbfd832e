// packing: a publish as octets of its own, to be sent to another shard; and the way back.
//
// Lives here: pack(), for_each_publish().
// Holds:   what is packed is written as 5.0 says, whatever its publisher speaks, and decodes to the same
//          message (QoS 1 and 2 with a packet id that means nothing).
// Threads: a packed run may be dropped on any thread.
// Errors:  pack() answers a run without packets when the message is too large to be written as one.
// Costs:   one allocation per pack: for what cannot be sent on as it came.
#pragma once

#include "routing_messages.hpp"

#include "../protocol/publish.hpp"

#include <functional>

namespace troupe::brokerage {

publish_run pack(const protocol::publish& packet, session_number from, protocol::time_point received);

/// Calls `f(publish, whole)` for each packet of a run.
template <class F>
void for_each_publish(protocol::octets frames, protocol::version form, F f) {
  while (!frames.empty()) {
    std::size_t at = 1;
    std::size_t length = 0;
    for (unsigned shift = 0;; shift += 7U) {
      length |= static_cast<std::size_t>(frames[at] & 0x7FU) << shift;
      if ((frames[at++] & 0x80U) == 0) break;
    }
    const protocol::octets whole = frames.first(at + length);
    frames = frames.subspan(whole.size());
    const auto packet = protocol::decode_publish(whole[0], whole.subspan(at), form, protocol::role::server);
    if (packet) f(*packet, whole);
  }
}

} // namespace troupe::brokerage
