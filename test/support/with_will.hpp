// with_will: a will for a CONNECT, and the memory of its properties.
//
// Lives here: with_will: "gone" to the topic "will".
#pragma once

#include <troupe/protocol/connect.hpp>

namespace troupe::test {

struct with_will {
  explicit with_will(std::uint32_t delay) {
    if (delay != 0) (void)block.set(protocol::property::will_delay_interval, delay);
    will = {.topic = "will", .payload = protocol::as_octets("gone"), .properties = block.view()};
  }
  protocol::property_block block{};
  protocol::will_view will{};
};

} // namespace troupe::test
