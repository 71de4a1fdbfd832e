// What a client sends, with a scripted server: the ladders up, across connections, and given up.
#include <troupe/protocol/exchange.hpp>

#include "support/client_cases.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;
using namespace std::chrono_literals;
using support::client_scene;
using support::keeping;
using support::q0;
using support::q1;
using support::q2;

namespace {

// -- publish out -------------------------------------------------------------------------------

TEST(client_machine, qos_0_is_complete_when_written) {
  client_scene s;
  s.connects();
  const auto token = s.publish("a", "x", q0);
  s.expect("30 05 00 01 'a' 00 'x'");
  EXPECT_FALSE(s.end_of(token).error);
}

TEST(client_machine, qos_1_ends_with_puback_and_its_reason) {
  client_scene s;
  s.connects();
  const auto first = s.publish("a", "x", q1);
  const auto second = s.publish("a", "y", q1);
  s.expect("32 07 00 01 'a' 00 01 00 'x'  32 07 00 01 'a' 00 02 00 'y'");
  EXPECT_TRUE(s.is_open(first));
  s.reply("40 02 00 02  40 03 00 01 10");
  EXPECT_EQ(s.end_of(second).reason, reason_code::success);
  EXPECT_EQ(s.end_of(first).reason, reason_code::no_matching_subscribers);
  EXPECT_FALSE(s.end_of(first).error);
  EXPECT_EQ(s.end_of(first).by, initiator::peer);
  EXPECT_EQ(s.machine.inflight(), 0U);
}

TEST(client_machine, refusal_of_a_publish_is_a_verdict_not_an_error) {
  client_scene s;
  s.connects();
  const auto token = s.publish("a", "x", q1);
  s.reply("40 03 00 01 87");
  EXPECT_EQ(s.end_of(token).reason, reason_code::not_authorized);
  EXPECT_FALSE(s.end_of(token).error);
  EXPECT_TRUE(s.host.closes.empty());
}

TEST(client_machine, qos_2_goes_up_the_ladder_MQTT_4_3_3) {
  client_scene s;
  s.connects();
  const auto token = s.publish("a", "x", q2);
  s.expect("34 07 00 01 'a' 00 01 00 'x'");
  s.reply("50 02 00 01").expect("62 02 00 01");
  EXPECT_TRUE(s.is_open(token));
  s.reply("70 02 00 01").expect("");
  EXPECT_EQ(s.end_of(token).reason, reason_code::success);
}

TEST(client_machine, pubrec_0x10_is_success_MQTT_4_3_3) {
  client_scene s;
  s.connects();
  const auto token = s.publish("a", "x", q2);
  s.expect("34 07 00 01 'a' 00 01 00 'x'").reply("50 03 00 01 10").expect("62 02 00 01");
  s.reply("70 02 00 01");
  EXPECT_FALSE(s.end_of(token).error);
}

TEST(client_machine, pubrec_with_a_failure_ends_the_flow_without_pubrel_MQTT_4_3_3_4) {
  client_scene s;
  s.connects();
  const auto token = s.publish("a", "x", q2);
  s.expect("34 07 00 01 'a' 00 01 00 'x'").reply("50 03 00 01 97").expect("");
  EXPECT_EQ(s.end_of(token).reason, reason_code::quota_exceeded);
  s.publish("a", "y", q2); // the id is free again
  s.expect("34 07 00 01 'a' 00 01 00 'y'");
}

TEST(client_machine, acknowledgements_of_unknown_ids_are_tolerated) {
  client_scene s;
  s.connects();
  s.reply("40 02 00 09  70 02 00 09").expect("");
  s.reply("50 02 00 09").expect("62 03 00 09 92");
  s.reply("62 02 00 09").expect("70 03 00 09 92"); // [MQTT-4.3.3-13]
  EXPECT_TRUE(s.host.closes.empty());
}

// A publish may be answered again after a connection was lost; a request is asked and answered within one.
TEST(client_machine, answers_to_no_request_close_MQTT_2_2_1_6) {
  for (const char* packet : {"90 04 00 09 00 00", "b0 04 00 09 00 00"}) {
    client_scene s;
    s.connects();
    const auto asked = s.subscribe("a", q1);
    s.expect("82 07 00 01 00 00 01 'a' 01").reply(packet).expect("e0 01 82");
    EXPECT_EQ(s.host.closes.size(), 1U) << packet;
    s.cut();
    EXPECT_FALSE(s.is_open(asked)) << "one that would have waited for its answer for ever";
  }
}

TEST(client_machine, acknowledgement_of_another_kind_than_the_request_closes) {
  for (const char* packet : {"50 02 00 01", "70 02 00 01", "90 04 00 01 00 00", "b0 04 00 01 00 00"}) {
    client_scene s;
    s.connects();
    s.publish("a", "x", q1);
    s.expect("32 07 00 01 'a' 00 01 00 'x'").reply(packet).expect("e0 01 82");
    EXPECT_EQ(s.host.closes.size(), 1U) << packet;
  }
}

TEST(client_machine, both_ends_may_use_one_id_at_once_MQTT_2_2_1) {
  client_scene s;
  s.connects();
  const auto asked = s.subscribe("a", q1);
  s.expect("82 07 00 01 00 00 01 'a' 01");
  s.reply("32 07 00 01 'a' 00 01 00 'x'").expect("40 02 00 01");
  EXPECT_TRUE(s.is_open(asked));
  EXPECT_EQ(s.host.messages.size(), 1U);
  s.reply("90 04 00 01 00 01");
  EXPECT_EQ(s.end_of(asked).granted, std::vector{reason_code::granted_qos_1});
}

// -- resumption --------------------------------------------------------------------------------

TEST(client_machine, resumes_with_dup_same_ids_and_order_MQTT_4_4_0_1) {
  client_scene s{keeping()};
  s.connects();
  s.publish("a", "1", q1);
  s.publish("a", "2", q2);
  s.publish("a", "3", q1);
  s.reply("40 02 00 01");  // 2 and 3 remain
  s.publish("a", "4", q1); // takes id 1 again, but comes last
  s.cut();
  s.connects(true).expect("3c 07 00 01 'a' 00 02 00 '2'  3a 07 00 01 'a' 00 03 00 '3'"
                          "3a 07 00 01 'a' 00 01 00 '4'");
}

TEST(client_machine, after_pubrec_only_pubrel_is_sent_again_MQTT_4_3_3) {
  client_scene s{keeping()};
  s.connects();
  const auto token = s.publish("a", "x", q2);
  s.reply("50 02 00 01").cut();
  for (int round = 0; round < 3; ++round) s.connects(true).expect("62 02 00 01").cut();
  s.connects(true).expect("62 02 00 01").reply("70 03 00 01 92");
  EXPECT_FALSE(s.end_of(token).error);
}

TEST(client_machine, pubrels_are_sent_again_in_the_order_of_their_pubrecs_MQTT_4_6_0_4) {
  client_scene s{keeping()};
  s.connects();
  for (const char* text : {"1", "2", "3"}) s.publish("a", text, q2);
  s.reply("50 02 00 03  50 02 00 01").cut();
  s.connects(true).expect("62 02 00 03  62 02 00 01  3c 07 00 01 'a' 00 02 00 '2'");
}

TEST(client_machine, nothing_is_resent_within_a_connection_MQTT_4_4_0_1) {
  client_scene s;
  s.connects();
  s.publish("a", "x", q1);
  s.expect("32 07 00 01 'a' 00 01 00 'x'");
  for (int i = 0; i < 100; ++i) s.after(59s).reply("d0 00");
  s.host.box.take();
  EXPECT_EQ(s.machine.inflight(), 1U);
}

TEST(client_machine, fresh_session_sends_unacknowledged_publishes_as_new_ones_in_order) {
  client_scene s{keeping()};
  s.connects(false, "20 06 00 00 03 21 00 02");
  s.publish("a", "1", q1);
  s.publish("a", "2", q2);
  s.publish("a", "3", q1);
  s.publish("a", "4", q0);
  s.cut();
  s.connects(false).expect("32 07 00 01 'a' 00 01 00 '1'  34 07 00 01 'a' 00 02 00 '2'"
                           "32 07 00 01 'a' 00 03 00 '3'  30 05 00 01 'a' 00 '4'");
  s.publish("a", "5", q1);
  s.expect("32 07 00 01 'a' 00 04 00 '5'");
}

TEST(client_machine, a_publish_the_server_owned_is_complete_when_its_session_is_gone) {
  client_scene s{keeping()};
  s.connects();
  const auto token = s.publish("a", "1", q2);
  s.reply("50 02 00 01").cut();
  s.connects(false).expect("");
  EXPECT_FALSE(s.end_of(token).error);
  EXPECT_EQ(s.machine.inflight(), 0U);
}

TEST(client_machine, lost_session_does_not_wedge_a_parked_publish) {
  client_scene s{keeping()};
  s.connects(false, "20 06 00 00 03 21 00 02");
  s.publish("a", "1", q1);
  s.publish("a", "2", q1);
  s.reply("40 02 00 02");
  s.publish("a", "3", q1);
  s.publish("a", "4", q1);
  EXPECT_EQ(s.machine.parked(), 1U);
  s.cut();
  s.connects(false, "20 06 00 00 03 21 00 02");
  s.expect("32 07 00 01 'a' 00 01 00 '1'  32 07 00 01 'a' 00 02 00 '3'");
  s.reply("40 02 00 01").expect("32 07 00 01 'a' 00 01 00 '4'");
  s.publish("a", "5", q1);
  s.reply("40 02 00 02").expect("32 07 00 01 'a' 00 02 00 '5'");
}

TEST(client_machine, subscriptions_made_on_connection_leave_before_anything_sent_again) {
  client_scene s{keeping()};
  s.connects();
  s.publish("a", "1", q1);
  s.cut();
  s.host.subscribes_when_connected = &s.machine;
  s.connects(true).expect("82 08 00 02 00 00 02 'up' 00  3a 07 00 01 'a' 00 01 00 '1'");
}

TEST(client_machine, requests_end_with_the_connection_publishes_do_not) {
  client_scene s{keeping()};
  s.connects();
  const auto asked = s.subscribe("a", q0);
  const auto left = s.unsubscribe("b");
  const auto sent = s.publish("a", "x", q1);
  s.cut();
  EXPECT_EQ(s.end_of(asked).error, errc::connection_lost);
  EXPECT_EQ(s.end_of(left).error, errc::connection_lost);
  EXPECT_TRUE(s.is_open(sent));
  s.subscribe("a", q0);
  EXPECT_EQ(s.last_error, errc::not_connected);
}

TEST(client_machine, parked_publishes_of_every_quality_survive_failed_attempts_in_order) {
  client_scene s;
  s.publish("a", "1", q0);
  s.publish("a", "2", q1);
  s.publish("a", "3", q0);
  s.machine.transport_up(s.now);
  s.cut();
  s.connects().expect("30 05 00 01 'a' 00 '1'  32 07 00 01 'a' 00 01 00 '2'  30 05 00 01 'a' 00 '3'");
}

TEST(client_machine, withdrawn_publishes_are_not_sent) {
  client_scene s{keeping()};
  const auto parked = s.publish("a", "1", q1);
  s.host.kept[parked].withdrawn = make_error_code(errc::limit_exceeded);
  s.connects().expect("");
  EXPECT_EQ(s.end_of(parked).error, errc::limit_exceeded);
  const auto sent = s.publish("a", "2", q2);
  s.host.kept[sent].withdrawn = make_error_code(errc::limit_exceeded);
  s.cut();
  s.connects(true).expect("62 02 00 01");
  EXPECT_EQ(s.end_of(sent).error, errc::limit_exceeded);
  s.reply("70 03 00 01 92");
  s.publish("a", "3", q1);
  s.expect("32 07 00 01 'a' 00 01 00 '3'");
}

// -- cancellation ------------------------------------------------------------------------------

TEST(client_machine, late_acknowledgements_of_cancelled_requests_are_harmless) {
  client_scene s;
  s.connects();
  const auto first = s.publish("a", "1", q1);
  const auto second = s.publish("a", "2", q2);
  const auto asked = s.subscribe("a", q0);
  s.host.box.take();
  for (const auto token : {first, second, asked}) {
    s.machine.cancel(token);
    EXPECT_EQ(s.end_of(token).error, errc::cancelled);
    EXPECT_EQ(s.end_of(token).by, initiator::user);
    s.machine.cancel(token); // once is enough
  }
  s.publish("a", "4", q1); // no cancelled id is used again before its end
  s.expect("32 07 00 01 'a' 00 04 00 '4'");
  s.reply("40 02 00 01  90 04 00 03 00 00  50 02 00 02").expect("62 02 00 02");
  s.reply("70 02 00 02");
  EXPECT_TRUE(s.host.closes.empty());
  for (const auto token : {first, second, asked}) s.end_of(token);
  for (const char* text : {"5", "6", "7"}) s.publish("a", text, q1);
  s.expect("32 07 00 01 'a' 00 01 00 '5'  32 07 00 01 'a' 00 02 00 '6'  32 07 00 01 'a' 00 03 00 '7'");
}

TEST(client_machine, cancelled_publishes_still_count_against_the_window) {
  client_scene s;
  s.connects(false, "20 06 00 00 03 21 00 01");
  s.machine.cancel(s.publish("a", "1", q1));
  s.publish("a", "2", q1);
  s.expect("32 07 00 01 'a' 00 01 00 '1'").reply("40 02 00 01").expect("32 07 00 01 'a' 00 01 00 '2'");
}

TEST(client_machine, a_cancelled_parked_publish_never_leaves) {
  client_scene s;
  const auto first = s.publish("a", "1", q1);
  s.publish("a", "2", q1);
  s.machine.cancel(first);
  EXPECT_EQ(s.end_of(first).error, errc::cancelled);
  s.connects().expect("32 07 00 01 'a' 00 01 00 '2'");
}

TEST(client_machine, cancelled_qos_2_is_brought_to_its_end_on_the_next_connection) {
  client_scene s{keeping()};
  s.connects();
  s.machine.cancel(s.publish("a", "1", q1));
  s.machine.cancel(s.publish("a", "2", q2));
  s.cut();
  s.connects(true).expect("62 02 00 02").reply("70 02 00 02");
  s.publish("a", "3", q1);
  s.publish("a", "4", q1);
  s.expect("32 07 00 01 'a' 00 01 00 '3'  32 07 00 01 'a' 00 02 00 '4'");
}

TEST(client_machine, abandon_ends_every_request_once) {
  client_scene s{keeping()};
  s.connects(false, "20 06 00 00 03 21 00 02");
  std::vector<request_token> tokens;
  for (const qos q : {q1, q2, q1, q0, q2}) tokens.push_back(s.publish("a", "x", q));
  tokens.push_back(s.subscribe("a", q0));
  s.machine.abandon(errc::closed);
  for (const auto token : tokens) EXPECT_EQ(s.end_of(token).error, errc::closed);
  EXPECT_EQ(s.machine.parked(), 0U);
  EXPECT_EQ(s.machine.inflight(), 0U);
}

} // namespace
