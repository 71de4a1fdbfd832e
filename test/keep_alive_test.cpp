// When a client pings a scripted server, and when it gives it up.
#include <troupe/protocol/keep_alive.hpp>

#include "support/client_cases.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;
using namespace std::chrono_literals;
using support::client_scene;
using support::q0;

namespace {

TEST(client_machine, pings_when_nothing_was_sent_MQTT_3_1_2_20) {
  client_scene s{{.keep_alive = 10s}};
  s.connects().after(9s).expect("").after(1s).expect("c0 00").reply("d0 00");
  s.after(9s).expect("").after(1s).expect("c0 00");
  EXPECT_TRUE(s.host.closes.empty());
}

TEST(client_machine, pings_although_we_send_when_nothing_comes_in) {
  client_scene s{{.keep_alive = 10s}};
  s.connects();
  for (int i = 0; i < 99; ++i) {
    s.after(100ms);
    s.publish("a", "x", q0);
  }
  s.host.box.take();
  s.after(100ms).expect("c0 00");
  for (int i = 0; i < 49; ++i) {
    s.after(100ms);
    s.publish("a", "x", q0);
  }
  EXPECT_TRUE(s.host.closes.empty());
  s.after(100ms); // one and a half intervals after the last sign of life
  ASSERT_EQ(s.host.closes.size(), 1U);
  EXPECT_EQ(s.host.closes[0].error, errc::ping_timeout);
}

TEST(client_machine, pings_although_messages_come_in_when_nothing_is_sent) {
  client_scene s{{.keep_alive = 10s}};
  s.connects();
  for (int i = 0; i < 9; ++i) s.after(1s).reply("30 05 00 01 'a' 00 'x'");
  s.expect("").after(1s).expect("c0 00");
}

TEST(client_machine, octets_that_trickle_in_keep_an_outstanding_ping_alive) {
  client_scene s{{.keep_alive = 10s}};
  s.connects().after(10s).expect("c0 00");
  for (int i = 0; i < 20; ++i) {
    s.after(4s);
    s.machine.on_received(s.now);
  }
  EXPECT_TRUE(s.host.closes.empty());
  s.after(5s);
  EXPECT_EQ(s.host.closes.size(), 1U);
}

TEST(client_machine, server_keep_alive_overrides_ours_MQTT_3_1_2_21) {
  client_scene s{{.keep_alive = 60s}};
  s.connects(false, "20 06 00 00 03 13 00 05").after(5s).expect("c0 00");
}

TEST(client_machine, keep_alive_0_never_pings) {
  client_scene s{{.keep_alive = 0s}};
  s.connects();
  EXPECT_EQ(s.machine.next_deadline(), never);
  s.after(1000h).expect("");
}

} // namespace
