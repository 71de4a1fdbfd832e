// A broker and those who connect to it, as time passes on a clock that the test moves.
#include <troupe/broker/broker.hpp>
#include <troupe/broker/peer.hpp>
#include <troupe/runtime/clock.hpp>

#include "support/raw_client.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using test::raw_client;
using texts = std::vector<std::string>;

struct timed_broker_test : testing::Test {
  runtime::manual_clock time{};
  stage where{{.time = &time}};
  broker our{where, {.connect_timeout = 5s}};
  std::string endpoint = *our.listen("mqtt://127.0.0.1:0");
};

TEST_F(timed_broker_test, closes_who_says_half_a_packet_and_then_nothing) {
  raw_client silent{endpoint};
  raw_client half{endpoint};
  half.send({0x10, 0x30, 0x00});
  raw_client good{endpoint};
  good.say_hello({.keep_alive = 0});
  time.advance(4s);
  good.sync();
  time.advance(2s);
  EXPECT_TRUE(silent.sees_end());
  EXPECT_TRUE(half.sees_end());
  good.sync();
}

TEST_F(timed_broker_test, closes_who_is_silent_for_too_long) { // H09
  raw_client client{endpoint};
  client.say_hello({.keep_alive = 10});
  for (int round = 0; round < 5; ++round) {
    time.advance(9s);
    client.publish("t", "x");
    client.publish("t", "x", {.quality = qos::at_least_once});
    EXPECT_EQ(client.next().type, packet_type::puback);
  }
  time.advance(16s);
  EXPECT_EQ(client.next(packet_type::disconnect).reason, reason_code::keep_alive_timeout);
  EXPECT_TRUE(client.sees_end());
}

TEST_F(timed_broker_test, ends_sessions_and_says_wills_in_time) { // H19
  raw_client watcher{endpoint};
  watcher.say_hello({.id = "watcher"});
  watcher.listen_to("will");
  protocol::property_block delay;
  ASSERT_TRUE(delay.set(protocol::property::will_delay_interval, 2U));
  const protocol::will_view will{
      .topic = "will", .payload = protocol::as_octets("gone"), .properties = delay.view()};
  raw_client client{endpoint};
  client.say_hello({.clean = false, .expiry = 10, .will = will});
  client.send({0xFF, 0x00}); // no such packet: the connection is closed for that
  EXPECT_TRUE(client.sees_end());
  time.advance(1s);
  EXPECT_EQ(our.statistics().wills_published, 0U);
  EXPECT_EQ(our.statistics().sessions, 2U);
  time.advance(2s);
  EXPECT_EQ(watcher.payloads(1), texts{"gone"});
  time.advance(10s);
  EXPECT_EQ(our.statistics().sessions, 1U);
}

} // namespace
} // namespace troupe
