// Packets that come in one read, some of which the broker knows from the one before.
#include <troupe/broker/broker.hpp>

#include "support/raw_client.hpp"
#include "support/wire.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe {
namespace {

using protocol::qos;
using test::raw_client;

// What lies between two that are alike must not be taken for one of them, nor they for it.
TEST(peer_input, tells_packets_apart_that_come_between_others_which_are_alike) {
  stage where;
  broker our{where};
  const std::string endpoint = *our.listen("mqtt://127.0.0.1:0");
  raw_client watcher{endpoint};
  watcher.say_hello({.id = "watcher"});
  watcher.listen_to("#", qos::at_most_once);
  raw_client speaker{endpoint};
  speaker.say_hello({.id = "speaker"});
  speaker.send(support::parse_hex("32 07 00 01 'a' 00 01 00 '1'"
                                  "32 07 00 01 'a' 00 02 00 '2'"
                                  "32 09 00 01 'b' 00 03 02 01 01 '3'" // a property
                                  "32 07 00 01 'a' 00 04 00 '4'"
                                  "40 02 00 09" // for nothing that was sent
                                  "32 07 00 01 'a' 00 05 00 '5'"
                                  "3a 07 00 01 'c' 00 06 00 '6'" // said to be a repetition
                                  "32 07 00 01 'a' 00 07 00 '7'"));
  std::string seen;
  while (seen.size() < 2U * 7U) {
    const auto one = watcher.next(protocol::packet_type::publish);
    ASSERT_FALSE(one.topic.empty()) << seen;
    seen += one.topic + one.payload;
  }
  EXPECT_EQ(seen, "a1a2b3a4a5c6a7");
}

} // namespace
} // namespace troupe
