// Conversations of a server with a scripted client: publishes that come in.
#include <troupe/protocol/server_machine.hpp>

#include "support/script.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;
using support::server_scene;

namespace {

constexpr version v3 = version::v3_1_1;
constexpr version v5 = version::v5_0;
constexpr qos q1 = qos::at_least_once;

TEST(server_machine, answers_each_quality_in_its_way_MQTT_4_3) {
  server_scene s;
  s.connects(v5);
  s.reply("30 05 00 01 'a' 00 'x'").expect("");
  s.reply("32 07 00 01 'a' 00 01 00 'y'").expect("40 02 00 01");
  s.reply("34 07 00 01 'a' 00 02 00 'z'").expect("50 02 00 02").reply("62 02 00 02").expect("70 02 00 02");
  ASSERT_EQ(s.host.messages.size(), 3U);
  EXPECT_EQ(s.host.same_bytes, (std::vector<bool>{true, true, true}));
}

TEST(server_machine, qos_2_reaches_the_host_once_MQTT_4_3_3_10) {
  server_scene s;
  s.connects(v3);
  s.reply("34 06 00 01 'a' 00 01 'x'  3c 06 00 01 'a' 00 01 'x'  3c 06 00 01 'a' 00 01 'x'")
      .expect("50 02 00 01  50 02 00 01  50 02 00 01");
  s.cut().connects(v3, true).reply("3c 06 00 01 'a' 00 01 'x'").expect("50 02 00 01");
  EXPECT_EQ(s.host.messages.size(), 1U);
  s.reply("62 02 00 01").expect("70 02 00 01").reply("62 02 00 01").expect("70 02 00 01");
  s.reply("34 06 00 01 'a' 00 01 'y'").expect("50 02 00 01");
  EXPECT_EQ(s.host.messages.size(), 2U);
}

TEST(server_machine, a_refused_publish_is_answered_as_the_version_can) {
  server_scene s;
  s.host.answer.reason = reason_code::not_authorized;
  s.connects(v5);
  s.reply("32 07 00 01 'a' 00 01 00 'x'").expect("40 03 00 01 87");
  s.reply("34 07 00 01 'a' 00 02 00 'x'").expect("50 03 00 02 87");
  s.reply("62 02 00 02").expect("70 03 00 02 92"); // that flow was over
  s.cut().connects(v3);
  s.reply("32 06 00 01 'a' 00 01 'x'").expect("40 02 00 01");
  s.reply("34 06 00 01 'a' 00 02 'x'").expect("50 02 00 02").reply("62 02 00 02").expect("70 02 00 02");
}

TEST(server_machine, deferred_answers_leave_in_receive_order_MQTT_4_6_0_2) {
  server_scene s;
  s.host.answer.deferred = true;
  s.connects(v5);
  s.reply("32 07 00 01 'a' 00 01 00 'x'  32 07 00 01 'a' 00 02 00 'x'  34 07 00 01 'a' 00 03 00 'x'");
  s.machine->acknowledge(2, reason_code::success, s.now);
  s.machine->acknowledge(3, reason_code::no_matching_subscribers, s.now);
  s.machine->acknowledge(9, reason_code::success, s.now); // of nothing
  s.expect("50 03 00 03 10");
  s.machine->acknowledge(1, reason_code::success, s.now);
  s.expect("40 02 00 01  40 02 00 02");
}

TEST(server_machine, receive_maximum_is_enforced_in_5_0_MQTT_3_3_4_8) {
  server_scene s{{.receive_maximum = 1}};
  s.host.answer.deferred = true;
  s.connects(v5);
  s.reply("32 07 00 01 'a' 00 01 00 'x'").expect("").reply("32 07 00 01 'a' 00 02 00 'x'").expect("e0 01 93");
  s.cut().connects(v3);
  s.reply("32 06 00 01 'a' 00 01 'x'  32 06 00 01 'a' 00 02 'x'");
  EXPECT_TRUE(s.machine->is_connected());
}

TEST(server_machine, resent_qos_2_ids_of_an_earlier_connection_count_again) {
  server_scene s{{.receive_maximum = 2}};
  s.connects(v5).reply("34 07 00 01 'a' 00 01 00 'x'  34 07 00 01 'a' 00 02 00 'x'");
  s.cut().connects(v5, true).reply("3c 07 00 01 'a' 00 01 00 'x'  34 07 00 01 'a' 00 03 00 'x'");
  EXPECT_TRUE(s.machine->is_connected()); // two on this connection, three remembered
  s.host.box.take();
  s.reply("3c 07 00 01 'a' 00 02 00 'x'").expect("e0 01 93");
}

TEST(server_machine, an_id_in_use_for_another_quality_closes) {
  server_scene s;
  s.connects(v5).reply("34 07 00 01 'a' 00 01 00 'x'").expect("50 02 00 01");
  s.reply("32 07 00 01 'a' 00 01 00 'x'").expect("e0 01 82");
}

TEST(server_machine, unoffered_qos_and_retain_close_MQTT_3_2_2_11_MQTT_3_2_2_14) {
  server_scene s{{.maximum_qos = q1, .retain_available = false}};
  s.connects(v5).reply("34 07 00 01 'a' 00 01 00 'x'").expect("e0 01 9b");
  s.connects(v5).reply("31 05 00 01 'a' 00 'x'").expect("e0 01 9a");
  EXPECT_TRUE(s.host.messages.empty());
}

TEST(server_machine, aliases_are_resolved_and_watched_MQTT_3_3_2_7) {
  server_scene s{{.topic_alias_maximum = 1}};
  s.connects(v5);
  s.reply("30 08 00 01 'a' 03 23 00 01 'x'  30 07 00 00 03 23 00 01 'y'  30 05 00 01 'b' 00 'z'");
  ASSERT_EQ(s.host.messages.size(), 3U);
  EXPECT_EQ(s.host.messages[1].topic, "a");
  EXPECT_EQ(s.host.same_bytes, (std::vector<bool>{false, false, true}));
  s.reply("30 08 00 01 'a' 03 23 00 02 'x'").expect("e0 01 94");
  server_scene none;
  none.connects(v5).reply("30 08 00 01 'a' 03 23 00 01 'x'").expect("e0 01 94");
}

TEST(server_machine, a_subscription_identifier_in_a_publish_closes_MQTT_3_3_4_6) {
  server_scene s;
  s.connects(v5).reply("30 07 00 01 'a' 02 0b 01 'x'");
  EXPECT_EQ(s.host.closes.size(), 1U);
  EXPECT_TRUE(s.host.messages.empty());
}

} // namespace
