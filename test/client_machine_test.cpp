// Conversations of a client with a scripted server.
#include <troupe/protocol/client_machine.hpp>

#include "support/script.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;
using namespace std::chrono_literals;
using support::client_scene;

namespace {

constexpr qos q0 = qos::at_most_once;
constexpr qos q1 = qos::at_least_once;
constexpr qos q2 = qos::exactly_once;

client_machine_options old_version(bool clean = true) {
  return {.protocol = version::v3_1_1, .client_id = "c", .clean_start = clean};
}

client_machine_options keeping() { return {.client_id = "c", .clean_start = false, .session_expiry = 3600s}; }

// -- handshake -------------------------------------------------------------------------

TEST(client_machine, first_packet_of_every_connection_is_connect_MQTT_3_1_0_1) {
  client_scene s{{.client_id = "c", .keep_alive = 60s}};
  for (int round = 0; round < 10; ++round) {
    s.machine.transport_up(s.now);
    const char* const clean = round == 0 ? "02" : "00"; // later connections resume
    s.expect(std::string{"10 0e 00 04 'MQTT' 05"} + clean + "00 3c 00 00 01 'c'");
    s.reply("20 03 00 00 00").expect("");
    EXPECT_TRUE(s.machine.is_connected());
    s.cut();
  }
  EXPECT_TRUE(s.host.closes.empty());
}

TEST(client_machine, a_connection_lost_before_connack_leaves_nothing_behind) {
  client_scene s{{.client_id = "c"}};
  s.machine.transport_up(s.now);
  s.cut();
  s.machine.transport_up(s.now);
  s.expect("10 0e 00 04 'MQTT' 05 02 00 3c 00 00 01 'c'"); // still the first one: clean
}

TEST(client_machine, clean_session_of_3_1_1_stays_clean) {
  client_scene s{old_version()};
  s.connects().cut();
  s.machine.transport_up(s.now);
  s.expect("10 0d 00 04 'MQTT' 04 02 00 3c 00 01 'c'");
}

TEST(client_machine, announces_what_differs_from_the_defaults) {
  client_scene s{{.client_id = "c",
                  .keep_alive = 0s,
                  .session_expiry = 16s,
                  .receive_maximum = 10,
                  .maximum_packet_size = 1'000,
                  .topic_alias_maximum = 5}};
  s.machine.transport_up(s.now);
  s.expect(
      "10 1e 00 04 'MQTT' 05 02 00 00 10  11 00 00 00 10  21 00 0a  27 00 00 03 e8  22 00 05  00 01 'c'");
}

TEST(client_machine, refusal_is_told_with_its_reason) {
  client_scene s;
  s.connects(false, "20 03 00 87 00");
  ASSERT_EQ(s.host.closes.size(), 1U);
  EXPECT_EQ(s.host.closes[0].error, errc::refused_by_server);
  EXPECT_EQ(s.host.closes[0].reason, reason_code::not_authorized);
  EXPECT_EQ(s.host.closes[0].by, initiator::peer);
  s.expect("");
}

TEST(client_machine, session_present_after_clean_start_closes_MQTT_3_2_2_4) {
  client_scene s;
  s.connects(true);
  s.expect("e0 01 82");
  ASSERT_EQ(s.host.closes.size(), 1U);
  EXPECT_EQ(s.host.closes[0].error, errc::protocol_error);
  EXPECT_TRUE(s.host.connected.empty());
}

TEST(client_machine, second_connack_closes_MQTT_3_2_0_2) {
  client_scene s;
  s.connects().reply("20 03 00 00 00").expect("e0 01 82");
  EXPECT_EQ(s.host.closes.size(), 1U);
}

TEST(client_machine, any_packet_before_connack_closes_MQTT_3_2_0_1) {
  for (const char* packet : {"30 05 00 01 'a' 00 'x'", "40 02 00 01", "90 04 00 01 00 00", "d0 00", "e0 00",
                             "62 02 00 01", "b0 04 00 01 00 00"}) {
    client_scene s;
    s.connects(false, packet);
    s.expect("e0 01 82");
    ASSERT_EQ(s.host.closes.size(), 1U) << packet;
    EXPECT_TRUE(s.host.messages.empty());
  }
}

TEST(client_machine, packets_of_the_other_direction_close) {
  for (const char* packet : {"10 0e 00 04 'MQTT' 05 02 00 00 00 00 01 'c'", "82 07 00 01 00 00 01 'a' 00",
                             "a2 06 00 01 00 00 01 'a'", "c0 00"}) {
    client_scene s;
    s.connects().reply(packet).expect("e0 01 82");
    ASSERT_EQ(s.host.closes.size(), 1U) << packet;
  }
}

TEST(client_machine, nothing_is_answered_after_a_close) {
  client_scene s;
  s.connects().reply("c0 00").expect("e0 01 82");
  s.reply("32 07 00 01 'a' 00 01 00 'x'").expect("");
  EXPECT_TRUE(s.host.messages.empty());
  s.after(24h);
  EXPECT_EQ(s.host.closes.size(), 1U);
}

TEST(client_machine, v3_1_1_closes_without_a_word) {
  client_scene s{old_version()};
  s.connects().reply("c0 00").expect("");
  EXPECT_EQ(s.host.closes.size(), 1U);
}

TEST(client_machine, silence_after_connect_ends_at_the_connack_deadline) {
  client_scene s{{.connack_timeout = 5s}};
  s.machine.transport_up(s.now);
  s.after(4s);
  EXPECT_TRUE(s.host.closes.empty());
  s.after(1s);
  ASSERT_EQ(s.host.closes.size(), 1U);
  EXPECT_EQ(s.host.closes[0].error, errc::connack_timeout);
}

TEST(client_machine, assigned_identifier_is_used_afterwards_MQTT_3_2_2_16) {
  client_scene s{{.client_id = "", .session_expiry = 10s}};
  s.connects(false, "20 07 00 00 04 12 00 01 'z'");
  EXPECT_EQ(s.machine.limits().assigned_client_identifier, "z");
  for (int round = 0; round < 2; ++round) {
    s.cut();
    s.machine.transport_up(s.now);
    s.expect("10 13 00 04 'MQTT' 05 00 00 3c 05 11 00 00 00 0a 00 01 'z'");
    s.reply("20 03 00 00 00");
  }
}

TEST(client_machine, settings_no_packet_can_say_end_the_attempt) {
  client_scene s{{.keep_alive = 65'536s}};
  s.machine.transport_up(s.now);
  s.expect("");
  ASSERT_EQ(s.host.closes.size(), 1U);
  EXPECT_EQ(s.host.closes[0].error, errc::bad_settings);
}

TEST(client_machine, connect_properties_on_3_1_1_are_refused_not_dropped) {
  client_machine_options options = old_version();
  ASSERT_TRUE(options.connect_properties.add_user_property("a", "b"));
  client_scene s{options};
  s.machine.transport_up(s.now);
  s.expect("");
  ASSERT_EQ(s.host.closes.size(), 1U);
  EXPECT_EQ(s.host.closes[0].error, errc::version_mismatch);
}

// -- publish out -------------------------------------------------------------------------

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
  s.reply("40 02 00 09  70 02 00 09  90 04 00 09 00 00  b0 04 00 09 00 00").expect("");
  s.reply("50 02 00 09").expect("62 03 00 09 92");
  s.reply("62 02 00 09").expect("70 03 00 09 92"); // [MQTT-4.3.3-13]
  EXPECT_TRUE(s.host.closes.empty());
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

// -- window -------------------------------------------------------------------------------

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

// -- limits --------------------------------------------------------------------------------

TEST(client_machine, maximum_packet_size_is_held_before_an_octet_leaves_MQTT_3_2_2_15) {
  client_scene s{keeping()};
  s.connects(false, "20 08 00 00 05 27 00 00 00 0a"); // 10 octets
  s.publish("a", "1234567", q1);
  EXPECT_EQ(s.last_error, errc::packet_too_large);
  s.publish("a", "1234", q0);
  s.expect("30 08 00 01 'a' 00 '1234'");
  EXPECT_FALSE(s.last_error);
  s.publish("a", "x", q1);
  s.expect("32 07 00 01 'a' 00 01 00 'x'"); // nothing stayed taken
  s.subscribe("abcdef", q0);
  EXPECT_EQ(s.last_error, errc::packet_too_large);
  s.unsubscribe("abcdef");
  EXPECT_EQ(s.last_error, errc::packet_too_large);
  EXPECT_TRUE(s.host.closes.empty());
  s.reply("40 02 00 01").cut();
  s.connects(true);
  s.publish("a", "1234567", q0);
  EXPECT_FALSE(s.last_error);
}

TEST(client_machine, a_kept_publish_too_large_for_the_new_server_ends_with_an_error) {
  client_scene s{keeping()};
  s.connects();
  const auto first = s.publish("a", "1234567890", q1);
  const auto second = s.publish("a", "1234567890", q2);
  const auto third = s.publish("a", "x", q1);
  s.cut();
  s.connects(true, "20 08 01 00 05 27 00 00 00 0a");
  s.expect("62 02 00 02  3a 07 00 01 'a' 00 03 00 'x'"); // the server may still know id 2
  EXPECT_EQ(s.end_of(first).error, errc::packet_too_large);
  EXPECT_EQ(s.end_of(second).error, errc::packet_too_large);
  EXPECT_TRUE(s.is_open(third));
}

TEST(client_machine, maximum_qos_and_retain_are_held_MQTT_3_2_2_11_MQTT_3_2_2_14) {
  client_scene s;
  s.connects(false, "20 07 00 00 04 24 01 25 00");
  s.publish("a", "x", q2);
  EXPECT_EQ(s.last_error, errc::quality_not_supported);
  s.publish("a", "x", q1, true);
  EXPECT_EQ(s.last_error, errc::retain_not_supported);
  s.publish("a", "x", q1);
  EXPECT_FALSE(s.last_error);
  s.expect("32 07 00 01 'a' 00 01 00 'x'");
}

TEST(client_machine, limits_are_applied_to_what_was_parked_before_they_were_known) {
  client_scene s;
  const auto first = s.publish("a", "x", q2);
  const auto second = s.publish("a", "y", q1);
  EXPECT_FALSE(s.last_error);
  s.connects(false, "20 05 00 00 02 24 01");
  s.expect("32 07 00 01 'a' 00 01 00 'y'");
  EXPECT_EQ(s.end_of(first).error, errc::quality_not_supported);
  EXPECT_TRUE(s.is_open(second));
}

TEST(client_machine, subscription_limits_are_held_before_an_octet_leaves) {
  client_scene s;
  s.connects(false, "20 09 00 00 06 28 00 29 00 2a 00");
  s.subscribe("a/#", q0);
  EXPECT_EQ(s.last_error, errc::wildcard_not_supported);
  s.subscribe("$share/g/a", q0);
  EXPECT_EQ(s.last_error, errc::shared_not_supported);
  property_block identifier;
  ASSERT_TRUE(identifier.add_subscription_identifier(5));
  const subscription line{.filter = "a"};
  EXPECT_EQ(s.machine.subscribe(9, {&line, 1}, identifier.view(), s.now).error(),
            errc::subscription_identifier_not_supported);
  s.expect("");
  s.subscribe("a", q0);
  s.expect("82 07 00 01 00 00 01 'a' 00");
}

TEST(client_machine, v5_features_on_3_1_1_are_refused_not_dropped) {
  client_scene s{old_version()};
  s.connects();
  support::stored_publish what{.topic = "a", .payload = {}, .quality = q1};
  ASSERT_TRUE(what.properties.add_user_property("k", "v"));
  s.publish(what);
  EXPECT_EQ(s.last_error, errc::version_mismatch);
  const subscription line{.filter = "a", .no_local = true};
  EXPECT_TRUE(s.machine.subscribe(9, {&line, 1}, {}, s.now).error());
  EXPECT_EQ(s.machine.send_auth(reason_code::reauthenticate, {}, s.now).error(), errc::version_mismatch);
  s.expect("");
}

TEST(client_machine, bad_topic_names_are_refused_also_while_down) {
  client_scene s;
  for (const char* topic : {"", "a/+", "#"}) {
    s.publish(topic, "x", q1);
    EXPECT_EQ(s.last_error, errc::invalid_topic_name) << topic;
  }
  EXPECT_EQ(s.machine.parked(), 0U);
  s.connects();
  for (const char* topic : {"", "a/+", "#"}) {
    s.publish(topic, "x", q1);
    EXPECT_TRUE(s.last_error) << topic;
  }
  s.expect("");
}

// -- resumption ------------------------------------------------------------------------------

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

// -- publish in ---------------------------------------------------------------------------------

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

// -- keep-alive ----------------------------------------------------------------------------------

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

// -- the end ----------------------------------------------------------------------------------------

TEST(client_machine, disconnect_is_the_last_thing_said_MQTT_3_14_4_2) {
  client_scene s;
  s.connects();
  s.machine.disconnect(reason_code::normal_disconnection, {}, s.now);
  s.expect("e0 00");
  ASSERT_EQ(s.host.closes.size(), 1U);
  EXPECT_FALSE(s.host.closes[0].error);
  EXPECT_EQ(s.host.closes[0].by, initiator::user);
  s.publish("a", "x", q1);
  s.reply("e0 01 8b"); // crossing on the wire
  s.after(24h).expect("");
  EXPECT_EQ(s.host.closes.size(), 1U);
}

TEST(client_machine, cancelling_after_a_close_says_nothing) {
  client_scene s{keeping()};
  s.connects(false, "20 06 00 00 03 21 00 01");
  const auto first = s.publish("a", "1", q1);
  s.cut();
  const auto second = s.publish("a", "2", q2);
  s.connects(true, "20 06 01 00 03 21 00 01").expect("3a 07 00 01 'a' 00 01 00 '1'");
  s.reply("c0 00").expect("e0 01 82"); // a fault of the server
  s.machine.cancel(first);
  s.machine.cancel(second);
  s.expect("");
  EXPECT_EQ(s.end_of(second).error, errc::cancelled);
}

TEST(client_machine, disconnect_of_3_1_1_is_plain_or_silent) {
  client_scene s{old_version()};
  s.connects();
  s.machine.disconnect(reason_code::normal_disconnection, {}, s.now);
  s.expect("e0 00").cut();
  s.connects();
  s.machine.disconnect(reason_code::disconnect_with_will, {}, s.now);
  s.expect("");
  EXPECT_EQ(s.host.closes.size(), 2U);
}

TEST(client_machine, disconnect_of_the_server_is_told_with_its_reason) {
  client_scene s;
  s.connects().reply("e0 01 8b").expect("");
  ASSERT_EQ(s.host.closes.size(), 1U);
  EXPECT_EQ(s.host.closes[0].error, errc::disconnected_by_peer);
  EXPECT_EQ(s.host.closes[0].reason, reason_code::server_shutting_down);
  s.cut();
  s.connects().reply("e0 01 8e");
  EXPECT_EQ(s.host.closes[1].error, errc::session_taken_over);
}

TEST(client_machine, undecodable_octets_close_with_their_reason_MQTT_4_13_1_1) {
  client_scene s;
  s.connects().reply("30 ff ff ff ff").expect("e0 01 81");
  EXPECT_EQ(s.host.closes.size(), 1U);
}

TEST(client_machine, suback_must_answer_every_filter) {
  client_scene s;
  s.connects();
  s.subscribe("a", q0);
  s.expect("82 07 00 01 00 00 01 'a' 00").reply("90 05 00 01 00 00 00").expect("e0 01 82");
}

TEST(client_machine, unsuback_of_3_1_1_has_no_codes) {
  client_scene s{old_version()};
  s.connects();
  const auto token = s.unsubscribe("a");
  s.expect("a2 05 00 01 00 01 'a'").reply("b0 02 00 01");
  EXPECT_FALSE(s.end_of(token).error);
}

TEST(client_machine, auth_needs_a_method_MQTT_4_12_0_6) {
  client_scene plain;
  plain.connects().reply("f0 00").expect("e0 01 82");

  client_machine_options options;
  ASSERT_TRUE(options.connect_properties.set(property::authentication_method, std::string_view{"m"}));
  client_scene s{options};
  s.machine.transport_up(s.now);
  s.host.box.take();
  s.reply("f0 06 18 04 15 00 01 'm'").expect("");
  EXPECT_EQ(s.host.auths, std::vector{reason_code::continue_authentication});
  property_block block;
  ASSERT_TRUE(block.set(property::authentication_method, std::string_view{"m"}));
  EXPECT_TRUE(s.machine.send_auth(reason_code::continue_authentication, block.view(), s.now));
  s.expect("f0 06 18 04 15 00 01 'm'").reply("20 03 00 00 00");
  EXPECT_TRUE(s.machine.is_connected());
}

} // namespace
