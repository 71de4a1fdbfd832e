// The window of a client, with a scripted server.
#include <troupe/protocol/inflight.hpp>

#include "support/client_cases.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;
using support::client_scene;
using support::keeping;
using support::old_version;
using support::q0;
using support::q1;
using support::q2;

namespace {

TEST(client_machine, receive_maximum_is_one_quota_for_qos_1_and_2_MQTT_3_3_4_7) {
  client_scene s;
  s.connects(false, "20 06 00 00 03 21 00 02");
  s.publish("a", "1", q1);
  s.publish("a", "2", q2);
  s.publish("a", "3", q1);
  s.publish("a", "4", q2);
  s.expect("32 07 00 01 'a' 00 01 00 '1'  34 07 00 01 'a' 00 02 00 '2'");
  EXPECT_EQ(s.machine.inflight(), 2U);
  EXPECT_EQ(s.machine.parked(), 2U);
  s.reply("50 02 00 02").expect("62 02 00 02"); // frees nothing yet
  s.reply("70 02 00 02").expect("32 07 00 01 'a' 00 02 00 '3'");
  s.reply("40 02 00 01").expect("34 07 00 01 'a' 00 01 00 '4'");
  EXPECT_EQ(s.machine.parked(), 0U);
}

TEST(client_machine, wire_order_is_call_order_behind_a_parked_publish) {
  client_scene s;
  s.connects(false, "20 06 00 00 03 21 00 01");
  s.publish("a", "1", q1);
  s.publish("a", "2", q1);
  const auto third = s.publish("a", "3", q0);
  s.expect("32 07 00 01 'a' 00 01 00 '1'");
  EXPECT_TRUE(s.is_open(third));
  s.reply("40 02 00 01").expect("32 07 00 01 'a' 00 01 00 '2'  30 05 00 01 'a' 00 '3'");
  EXPECT_FALSE(s.is_open(third));
}

TEST(client_machine, window_is_read_anew_from_each_connack) {
  client_scene s{keeping()};
  s.connects(false, "20 06 00 00 03 21 00 02");
  for (char c = '0'; c < '9'; ++c) s.publish("a", {&c, 1}, q1);
  s.expect("32 07 00 01 'a' 00 01 00 '0'  32 07 00 01 'a' 00 02 00 '1'").cut();
  s.connects(true, "20 06 01 00 03 21 00 01").expect("3a 07 00 01 'a' 00 01 00 '0'");
  s.reply("40 02 00 01").expect("3a 07 00 01 'a' 00 02 00 '1'");
  s.reply("40 02 00 02").expect("32 07 00 01 'a' 00 01 00 '2'");
  s.cut();
  s.connects(true).expect("3a 07 00 01 'a' 00 01 00 '2'  32 07 00 01 'a' 00 02 00 '3'"
                          "32 07 00 01 'a' 00 03 00 '4'  32 07 00 01 'a' 00 04 00 '5'"
                          "32 07 00 01 'a' 00 05 00 '6'  32 07 00 01 'a' 00 06 00 '7'"
                          "32 07 00 01 'a' 00 07 00 '8'");
}

TEST(client_machine, all_ids_in_flight_parks_and_one_ack_frees_one) {
  client_scene s{old_version()};
  s.connects();
  for (int i = 0; i < 65'536; ++i) s.publish("a", "x", q1);
  EXPECT_FALSE(s.last_error);
  EXPECT_EQ(s.machine.inflight(), 65'535U);
  EXPECT_EQ(s.machine.parked(), 1U);
  s.host.box.take();
  s.reply("40 02 00 07").expect("32 06 00 01 'a' 00 07 'x'");
  EXPECT_EQ(s.machine.parked(), 0U);
}

TEST(client_machine, own_send_window_holds_where_the_server_names_none) {
  client_machine_options options = old_version();
  options.send_window = 1;
  client_scene s{options};
  s.connects();
  s.publish("a", "1", q1);
  s.publish("a", "2", q1);
  s.expect("32 06 00 01 'a' 00 01 '1'").reply("40 02 00 01").expect("32 06 00 01 'a' 00 01 '2'");
}

TEST(client_machine, window_of_quality_two_holds_both_ladders_back_and_counts_what_is_resumed) {
  client_machine_options options = old_version(false);
  options.exact_window = 2;
  client_scene s{options};
  s.connects();
  for (const char* text : {"1", "2", "3", "4"}) s.publish("a", text, q1);
  EXPECT_EQ(s.machine.parked(), 0U) << "quality one has the whole window";
  s.reply("40 02 00 01  40 02 00 02  40 02 00 03  40 02 00 04");
  s.host.box.take();
  for (const char* text : {"5", "6", "7"}) s.publish("a", text, q2);
  s.publish("a", "8", q1); // may not overtake
  EXPECT_EQ(s.machine.parked(), 2U);
  s.host.box.take();
  s.reply("50 02 00 01").expect("62 02 00 01");
  EXPECT_EQ(s.machine.parked(), 2U) << "released is not ended";
  s.cut();
  s.connects(true).expect("62 02 00 01  3c 06 00 01 'a' 00 02 '6'");
  s.reply("70 02 00 01").expect("34 06 00 01 'a' 00 01 '7'");
  s.reply("50 02 00 02").expect("62 02 00 02");
  s.reply("70 02 00 02").expect("32 06 00 01 'a' 00 02 '8'");
  EXPECT_EQ(s.machine.parked(), 0U);
}

} // namespace
