// What a client receives, with a scripted server: delivered once, answered in order.
#include <troupe/protocol/receipts.hpp>

#include "support/client_cases.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;
using namespace std::chrono_literals;
using support::client_scene;
using support::keeping;
using support::old_version;
using support::q0;
using support::q1;

namespace {

TEST(client_machine, qos_2_is_delivered_once_however_often_it_comes_MQTT_4_3_3_10) {
  client_scene s{keeping()};
  s.connects();
  s.reply("34 07 00 01 'a' 00 01 00 'x'").expect("50 02 00 01");
  s.reply("3c 07 00 01 'a' 00 01 00 'x'").expect("50 02 00 01");
  s.reply("3c 07 00 01 'a' 00 01 00 'x'").expect("50 02 00 01").cut();
  s.connects(true).reply("3c 07 00 01 'a' 00 01 00 'x'").expect("50 02 00 01");
  EXPECT_EQ(s.host.messages.size(), 1U);
  s.reply("62 02 00 01").expect("70 02 00 01");
  s.reply("34 07 00 01 'a' 00 01 00 'y'").expect("50 02 00 01");
  EXPECT_EQ(s.host.messages.size(), 2U);
}

TEST(client_machine, receive_state_is_dropped_with_the_session) {
  client_scene s{keeping()};
  s.connects().reply("34 07 00 01 'a' 00 01 00 'x'").cut();
  s.connects(false).reply("34 07 00 01 'a' 00 01 00 'y'").expect("50 02 00 01");
  EXPECT_EQ(s.host.messages.size(), 2U);
}

TEST(client_machine, acknowledgements_leave_in_receive_order_MQTT_4_6_0_2) {
  client_scene s;
  s.host.settles_at_once = false;
  s.connects();
  s.reply("32 07 00 01 'a' 00 05 00 '1'  32 07 00 01 'a' 00 03 00 '2'  32 07 00 01 'a' 00 09 00 '3'");
  ASSERT_EQ(s.host.unsettled.size(), 3U);
  s.machine.settle(s.host.unsettled[2], reason_code::success, s.now);
  s.machine.settle(s.host.unsettled[1], reason_code::not_authorized, s.now);
  s.expect("");
  s.machine.settle(s.host.unsettled[0], reason_code::success, s.now);
  s.expect("40 02 00 05  40 03 00 03 87  40 02 00 09");
  s.machine.settle(s.host.unsettled[0], reason_code::success, s.now); // twice is once
  s.expect("");
  s.host.settles_at_once = true;
  s.reply("32 07 00 01 'a' 00 05 00 '4'").expect("40 02 00 05");
}

TEST(client_machine, pubrecs_leave_in_receive_order_MQTT_4_6_0_3_apart_from_pubacks) {
  client_scene s;
  s.host.settles_at_once = false;
  s.connects();
  s.reply("34 07 00 01 'a' 00 01 00 '1'  32 07 00 01 'a' 00 02 00 '2'  34 07 00 01 'a' 00 03 00 '3'");
  s.machine.settle(s.host.unsettled[2], reason_code::success, s.now);
  s.machine.settle(s.host.unsettled[1], reason_code::success, s.now);
  s.expect("40 02 00 02");
  s.machine.settle(s.host.unsettled[0], reason_code::success, s.now);
  s.expect("50 02 00 01  50 02 00 03");
}

TEST(client_machine, settling_at_once_waits_for_earlier_deferred_ones) {
  client_scene s;
  s.host.settles_at_once = false;
  s.connects().reply("32 07 00 01 'a' 00 01 00 '1'");
  s.host.settles_at_once = true;
  s.reply("32 07 00 01 'a' 00 02 00 '2'").expect("");
  s.machine.settle(s.host.unsettled[0], reason_code::success, s.now);
  s.expect("40 02 00 01  40 02 00 02");
}

TEST(client_machine, qos_1_tags_of_an_earlier_connection_acknowledge_nothing) {
  client_scene s{keeping()};
  s.host.settles_at_once = false;
  s.connects().reply("32 07 00 01 'a' 00 01 00 'x'").cut();
  s.connects(true).reply("3a 07 00 01 'a' 00 01 00 'x'");
  ASSERT_EQ(s.host.messages.size(), 2U);
  s.machine.settle(s.host.unsettled[0], reason_code::success, s.now);
  s.expect("");
  s.machine.settle(s.host.unsettled[1], reason_code::success, s.now);
  s.expect("40 02 00 01");
}

TEST(client_machine, qos_2_may_be_settled_after_the_connection_that_brought_it) {
  client_scene s{keeping()};
  s.host.settles_at_once = false;
  s.connects().reply("34 07 00 01 'a' 00 01 00 'x'  34 07 00 01 'a' 00 02 00 'y'").cut();
  s.machine.settle(s.host.unsettled[0], reason_code::success, s.now); // while down
  s.connects(true).reply("3c 07 00 01 'a' 00 01 00 'x'").expect("50 02 00 01");
  s.reply("3c 07 00 01 'a' 00 02 00 'y'").expect("");
  s.machine.settle(s.host.unsettled[1], reason_code::success, s.now);
  s.expect("50 02 00 02");
  EXPECT_EQ(s.host.messages.size(), 2U);
}

TEST(client_machine, refusing_a_qos_2_message_ends_its_flow) {
  client_scene s;
  s.host.settles_at_once = false;
  s.connects().reply("34 07 00 01 'a' 00 01 00 'x'");
  s.machine.settle(s.host.unsettled[0], reason_code::quota_exceeded, s.now);
  s.expect("50 03 00 01 97");
  s.reply("34 07 00 01 'a' 00 01 00 'y'");
  EXPECT_EQ(s.host.messages.size(), 2U);
}

TEST(client_machine, v3_1_1_leaves_what_is_refused_unacknowledged_and_goes_on) {
  client_scene s{old_version(false)};
  s.host.settles_at_once = false;
  s.connects();
  s.reply("32 06 00 01 'a' 00 01 'x'  32 06 00 01 'a' 00 02 'y'  34 06 00 01 'a' 00 03 'z'");
  s.machine.settle(s.host.unsettled[0], reason_code::unspecified_error, s.now);
  s.machine.settle(s.host.unsettled[1], reason_code::success, s.now);
  s.machine.settle(s.host.unsettled[2], reason_code::unspecified_error, s.now);
  s.expect("40 02 00 02").cut();
  s.connects(true).reply("3a 06 00 01 'a' 00 01 'x'  3c 06 00 01 'a' 00 03 'z'");
  EXPECT_EQ(s.host.messages.size(), 5U);
}

TEST(client_machine, more_than_our_receive_maximum_closes_with_0x93_MQTT_3_3_4_8) {
  client_scene s{{.receive_maximum = 2}};
  s.host.settles_at_once = false;
  s.connects().reply("32 07 00 01 'a' 00 01 00 'x'  34 07 00 01 'a' 00 02 00 'x'").expect("");
  s.reply("32 07 00 01 'a' 00 03 00 'x'").expect("e0 01 93");
  ASSERT_EQ(s.host.closes.size(), 1U);
  EXPECT_EQ(s.host.closes[0].error, errc::receive_maximum_exceeded);
}

TEST(client_machine, receive_quota_is_free_again_after_puback_pubcomp_or_failing_pubrec) {
  client_scene s{{.receive_maximum = 1}};
  s.connects();
  for (int i = 0; i < 3; ++i) {
    s.reply("34 07 00 01 'a' 00 01 00 'x'  62 02 00 01  32 07 00 01 'a' 00 02 00 'x'");
    s.host.settles_at_once = false;
    s.reply("34 07 00 01 'a' 00 03 00 'x'");
    s.machine.settle(s.host.unsettled.back(), reason_code::unspecified_error, s.now);
    s.host.settles_at_once = true;
  }
  EXPECT_TRUE(s.host.closes.empty());
}

TEST(client_machine, pubrel_before_our_pubrec_closes) {
  client_scene s;
  s.host.settles_at_once = false;
  s.connects().reply("34 07 00 01 'a' 00 01 00 'x'  62 02 00 01").expect("e0 01 82");
}

TEST(client_machine, inbound_aliases_are_resolved_and_watched_MQTT_3_3_2_7) {
  client_scene s{{.topic_alias_maximum = 2}};
  s.connects();
  s.reply("30 08 00 01 'a' 03 23 00 01 'x'").reply("30 07 00 00 03 23 00 01 'y'");
  s.reply("30 08 00 01 'b' 03 23 00 01 'x'").reply("30 07 00 00 03 23 00 01 'y'");
  ASSERT_EQ(s.host.messages.size(), 4U);
  EXPECT_EQ(s.host.messages[1].topic, "a");
  EXPECT_EQ(s.host.messages[3].topic, "b");
  s.reply("30 07 00 00 03 23 00 02 'y'").expect("e0 01 94"); // never set
  s.cut();
  s.connects().reply("30 07 00 00 03 23 00 01 'y'").expect("e0 01 94"); // died with the connection
  s.cut();
  s.connects().reply("30 08 00 01 'a' 03 23 00 03 'x'").expect("e0 01 94"); // above the maximum
}

TEST(client_machine, outbound_aliases_are_set_by_themselves_when_asked_for) {
  client_scene s{{.client_id = "c", .clean_start = false, .session_expiry = 1h, .outbound_topic_aliases = 8}};
  s.connects(false, "20 06 00 00 03 22 00 01");
  s.publish("topic", "1", q1);
  s.publish("topic", "2", q1);
  s.expect("32 0e 00 05 'topic' 00 01 03 23 00 01 '1'  32 09 00 00 00 02 03 23 00 01 '2'");
  s.publish("other", "3", q0);
  s.publish("topic", "4", q0);
  s.expect("30 0c 00 05 'other' 03 23 00 01 '3'  30 0c 00 05 'topic' 03 23 00 01 '4'");
  s.cut();
  s.connects(true).expect("3a 0b 00 05 'topic' 00 01 00 '1'  3a 0b 00 05 'topic' 00 02 00 '2'");
  s.publish("topic", "5", q0); // this server takes none
  s.expect("30 09 00 05 'topic' 00 '5'");
}

} // namespace
