// Conversations of a server with a scripted client: the handshake, requests, the end.
#include <troupe/protocol/server_machine.hpp>

#include "support/script.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;
using namespace std::chrono_literals;
using support::server_scene;

namespace {

constexpr version v3 = version::v3_1_1;
constexpr version v5 = version::v5_0;
constexpr qos q1 = qos::at_least_once;

/// CONNECT of 5.0 with client id "c" and these properties (with their length).
std::string connect_with(std::string_view properties, std::string_view keep_alive = "00 00") {
  const std::size_t length = 13 + support::from_hex(properties).size();
  const octet size = static_cast<octet>(length);
  return "10 " + support::to_hex({&size, 1}) + " 00 04 'MQTT' 05 02 " + std::string{keep_alive} + " "
         + std::string{properties} + " 00 01 'c'";
}

// -- handshake ---------------------------------------------------------------------------

TEST(server_machine, anything_before_connect_closes_without_a_word_MQTT_3_1_0_1) {
  for (const char* packet :
       {"30 04 00 01 'a' 'x'", "40 02 00 01", "c0 00", "e0 00", "82 06 00 01 00 01 'a' 00", "20 02 00 00"}) {
    server_scene s;
    s.reply(packet).expect("");
    ASSERT_EQ(s.host.closes.size(), 1U) << packet;
    EXPECT_TRUE(s.host.messages.empty());
  }
}

TEST(server_machine, accepts_both_versions) {
  server_scene s;
  s.reply("10 0e 00 04 'MQTT' 05 02 00 00 00 00 01 'c'");
  EXPECT_TRUE(s.machine->is_judging());
  s.machine->accept({}, s.session, s.now);
  s.expect("20 03 00 00 00");
  EXPECT_EQ(s.machine->protocol(), v5);
  s.connection();
  s.reply("10 0d 00 04 'MQTT' 04 00 00 00 00 01 'c'");
  s.machine->accept({.session_present = true}, s.session, s.now);
  s.expect("20 02 01 00");
  EXPECT_EQ(s.machine->protocol(), v3);
  EXPECT_EQ(s.host.connects, (std::vector<std::string>{"c", "c"}));
}

TEST(server_machine, connack_says_every_limit_that_is_not_the_default) {
  server_scene s{{.receive_maximum = 10,
                  .maximum_packet_size = 1'000,
                  .topic_alias_maximum = 3,
                  .max_keep_alive = 30s,
                  .maximum_qos = q1,
                  .retain_available = false,
                  .wildcard_subscription_available = false,
                  .subscription_identifier_available = false,
                  .shared_subscription_available = false}};
  s.reply(connect_with("00", "00 3c"));
  s.machine->accept({.assigned_client_identifier = "z", .session_expiry = 7}, s.session, s.now);
  s.expect("20 24 00 00 21  11 00 00 00 07  21 00 0a  24 01  25 00  27 00 00 03 e8  12 00 01 'z'  22 00 03"
           "28 00  29 00  2a 00  13 00 1e");
}

TEST(server_machine, limits_are_not_said_to_3_1_1) {
  server_scene s{{.receive_maximum = 10, .retain_available = false}};
  s.reply("10 0d 00 04 'MQTT' 04 02 00 00 00 01 'c'");
  s.machine->accept({}, s.session, s.now);
  s.expect("20 02 00 00");
}

TEST(server_machine, refusal_is_said_in_the_words_of_the_version_MQTT_3_2_2_6) {
  server_scene s;
  s.reply("10 0e 00 04 'MQTT' 05 02 00 00 00 00 01 'c'");
  s.machine->refuse(reason_code::bad_user_name_or_password, {}, s.now);
  s.expect("20 03 00 86 00");
  s.connection().reply("10 0d 00 04 'MQTT' 04 02 00 00 00 01 'c'");
  s.machine->refuse(reason_code::bad_user_name_or_password, {}, s.now);
  s.expect("20 02 00 04");
  EXPECT_EQ(s.host.closes.size(), 2U);
}

TEST(server_machine, unknown_level_is_refused_MQTT_3_1_2_2) {
  server_scene s;
  s.reply("10 0d 00 04 'MQTT' 03 02 00 00 00 01 'c'").expect("20 02 00 01");
  s.connection().reply("10 0e 00 04 'MQTT' 06 02 00 00 00 00 01 'c'").expect("20 03 00 84 00");
  EXPECT_EQ(s.host.closes.size(), 2U);
  EXPECT_TRUE(s.host.connects.empty());
}

TEST(server_machine, malformed_connect_is_refused_in_5_0_MQTT_3_1_4_1) {
  server_scene s;
  s.reply("10 0e 00 04 'MQTT' 05 03 00 00 00 00 01 'c'").expect("20 03 00 81 00"); // reserved flag
  s.connection().reply("10 0d 00 04 'MQTT' 04 03 00 00 00 01 'c'").expect("");
  EXPECT_EQ(s.host.closes.size(), 2U);
}

TEST(server_machine, length_of_connect_must_be_shortest_in_5_0) {
  server_scene s;
  s.reply("10 8e 00 00 04 'MQTT' 05 02 00 00 00 00 01 'c'").expect("20 03 00 81 00");
  s.connection().reply("10 8d 00 00 04 'MQTT' 04 02 00 00 00 01 'c'");
  EXPECT_TRUE(s.machine->is_judging());
}

TEST(server_machine, second_connect_closes_MQTT_3_1_0_2) {
  server_scene s;
  s.connects(v5).reply("10 0e 00 04 'MQTT' 05 02 00 00 00 00 01 'c'").expect("e0 01 82");
  EXPECT_EQ(s.host.closes.size(), 1U);
  s.connects(v3).reply("10 0d 00 04 'MQTT' 04 02 00 00 00 01 'c'").expect("");
  EXPECT_EQ(s.host.closes.size(), 2U);
}

TEST(server_machine, packets_of_the_other_direction_close) {
  for (const char* packet : {"20 03 00 00 00", "90 04 00 01 00 00", "b0 04 00 01 00 00", "d0 00"}) {
    server_scene s;
    s.connects(v5).reply(packet).expect("e0 01 82");
    EXPECT_EQ(s.host.closes.size(), 1U) << packet;
  }
}

TEST(server_machine, no_connect_in_time_closes_MQTT_3_1_4) {
  server_scene s{{.connect_timeout = 5s}};
  s.connection().after(4s);
  EXPECT_TRUE(s.host.closes.empty());
  s.after(1s).expect("");
  ASSERT_EQ(s.host.closes.size(), 1U);
  EXPECT_EQ(s.host.closes[0].error, errc::connect_timeout);
}

TEST(server_machine, a_judge_that_never_answers_does_not_hold_the_connection) {
  server_scene s{{.connect_timeout = 5s}};
  s.connection().reply(connect_with("00")).after(5s);
  EXPECT_EQ(s.host.closes.size(), 1U);
  s.machine->accept({}, s.session, s.now); // too late
  EXPECT_FALSE(s.machine->is_connected());
  EXPECT_FALSE(s.session.is_open());
}

TEST(server_machine, disconnect_while_judging_is_heard) {
  server_scene s;
  s.reply(connect_with("00")).reply("e0 00").expect("");
  EXPECT_EQ(s.host.disconnects.size(), 1U);
  EXPECT_EQ(s.host.closes.size(), 1U);
}

// -- requests ---------------------------------------------------------------------------------

TEST(server_machine, subscribe_and_unsubscribe_are_asked_and_answered) {
  server_scene s;
  s.connects(v5);
  s.reply("82 0b 00 07 00 00 01 'a' 01 00 01 'b' 02");
  EXPECT_EQ(s.host.filters, (std::vector<std::string>{"+a", "+b"}));
  const std::vector codes{reason_code::granted_qos_1, reason_code::not_authorized};
  s.machine->answer_subscribe(7, codes, {});
  s.expect("90 05 00 07 00 01 87");
  s.reply("a2 06 00 08 00 00 01 'a'");
  const std::vector gone{reason_code::success};
  s.machine->answer_unsubscribe(8, gone, {});
  s.expect("b0 04 00 08 00 00");
  s.cut().connects(v3);
  s.machine->answer_subscribe(7, codes, {});
  s.machine->answer_unsubscribe(8, gone, {});
  s.expect("90 04 00 07 01 80  b0 02 00 08");
}

TEST(server_machine, unoffered_subscriptions_close_with_their_reason) {
  server_scene s{{.wildcard_subscription_available = false,
                  .subscription_identifier_available = false,
                  .shared_subscription_available = false}};
  s.connects(v5).reply("82 09 00 01 00 00 03 'a/#' 00").expect("e0 01 a2");
  s.connects(v5).reply("82 09 00 01 02 0b 01 00 01 'a' 00").expect("e0 01 a1");
  s.connects(v5).reply("82 10 00 01 00 00 0a '$share/g/a' 00").expect("e0 01 9e");
  EXPECT_TRUE(s.host.filters.empty());
  s.connects(v3).reply("82 08 00 01 00 03 'a/#' 00");
  EXPECT_EQ(s.host.filters.size(), 1U);
}

TEST(server_machine, problem_information_is_left_out_where_it_is_not_wanted_MQTT_3_1_2_29) {
  property_block why;
  ASSERT_TRUE(why.set(property::reason_string, std::string_view{"no"}));
  const std::vector codes{reason_code::not_authorized};
  server_scene s;
  s.connects(v5);
  s.machine->answer_subscribe(1, codes, why.view());
  s.expect("90 09 00 01 05 1f 00 02 'no' 87");
  s.connects(v5, false, connect_with("02 17 00"));
  s.machine->answer_subscribe(1, codes, why.view());
  s.expect("90 04 00 01 00 87");
}

TEST(server_machine, answers_stay_below_the_clients_maximum_packet_size_MQTT_3_9_2_1) {
  property_block why;
  ASSERT_TRUE(why.set(property::reason_string, std::string_view{"a long story"}));
  const std::vector codes{reason_code::not_authorized};
  server_scene s;
  s.connects(v5, false, connect_with("05 27 00 00 00 0f"));
  EXPECT_EQ(s.machine->client_maximum_packet_size(), 15U);
  s.machine->answer_subscribe(1, codes, why.view());
  s.expect("90 04 00 01 00 87");
  s.machine->disconnect(reason_code::server_busy, why.view(), s.now);
  s.expect("e0 01 89");
}

TEST(server_machine, ping_is_answered_MQTT_3_12_4_1) {
  server_scene s;
  s.connects(v3).reply("c0 00").expect("d0 00");
}

// -- the end --------------------------------------------------------------------------------------

TEST(server_machine, silence_for_one_and_a_half_intervals_closes_MQTT_3_1_2_22) {
  server_scene s;
  s.connects(v5, false, connect_with("00", "00 0a"));
  for (int i = 0; i < 10; ++i) s.after(14s).reply("30 05 00 01 'a' 00 'x'"); // any packet counts
  EXPECT_TRUE(s.host.closes.empty());
  s.after(14999ms).reply("30 05 00 01"); // half a packet does not
  s.after(1ms).expect("e0 01 8d");
  ASSERT_EQ(s.host.closes.size(), 1U);
  EXPECT_EQ(s.host.closes[0].error, errc::keep_alive_timeout);
}

TEST(server_machine, keep_alive_0_means_no_watch_unless_the_server_sets_one) {
  server_scene s;
  s.connects(v5).after(1000h);
  EXPECT_TRUE(s.host.closes.empty());
  server_scene strict{{.max_keep_alive = 10s}};
  strict.connects(v5).after(15s).expect("e0 01 8d");
}

TEST(server_machine, disconnect_of_the_client_is_told_and_ends_it) {
  server_scene s;
  s.connects(v5).reply("e0 01 04").expect("");
  EXPECT_EQ(s.host.disconnects, std::vector{reason_code::disconnect_with_will});
  ASSERT_EQ(s.host.closes.size(), 1U);
  EXPECT_FALSE(s.host.closes[0].error);
  EXPECT_EQ(s.host.closes[0].by, initiator::peer);
  s.reply("30 05 00 01 'a' 00 'x'");
  EXPECT_TRUE(s.host.messages.empty());
}

TEST(server_machine, session_expiry_cannot_rise_from_zero_at_disconnect_MQTT_3_14_2_2_2) {
  server_scene s;
  s.connects(v5).reply("e0 07 00 05 11 00 00 00 01").expect("e0 01 82");
  s.connects(v5, false, connect_with("05 11 00 00 00 09")).reply("e0 07 00 05 11 00 00 00 01").expect("");
}

TEST(server_machine, disconnect_of_the_server_is_said_in_5_0_only) {
  server_scene s;
  s.connects(v5);
  s.machine->disconnect(reason_code::server_shutting_down, {}, s.now);
  s.expect("e0 01 8b").connects(v3);
  s.machine->disconnect(reason_code::server_shutting_down, {}, s.now);
  s.expect("");
  s.connection().reply(connect_with("00"));
  s.machine->disconnect(reason_code::server_shutting_down, {}, s.now);
  s.expect("20 03 00 88 00"); // 0x8B may not stand in CONNACK
  EXPECT_EQ(s.host.closes.size(), 3U);
}

TEST(server_machine, undecodable_octets_close_with_their_reason_MQTT_4_13_1_1) {
  server_scene s{{.maximum_packet_size = 100}};
  s.connects(v5).reply("36 07 00 01 'a' 00 01 00 'x'").expect("e0 01 81"); // QoS 3
  s.connects(v5).reply("30 63 00 01 'a'").expect("e0 01 95");              // 101 octets
  s.connects(v3).reply("30 63 00 01 'a'").expect("");
  s.connection().reply("ff ff").expect("");
  EXPECT_EQ(s.host.closes.size(), 4U);
}

TEST(server_machine, auth_is_for_clients_that_named_a_method_MQTT_4_12_0_6) {
  server_scene s;
  s.connects(v5).reply("f0 06 19 04 15 00 01 'm'").expect("e0 01 82");
  s.connection().reply(connect_with("04 15 00 01 'm'"));
  property_block method;
  ASSERT_TRUE(method.set(property::authentication_method, std::string_view{"m"}));
  s.machine->send_auth(reason_code::continue_authentication, method.view(), s.now);
  s.expect("f0 06 18 04 15 00 01 'm'").reply("f0 06 18 04 15 00 01 'm'");
  EXPECT_EQ(s.host.auths, std::vector{reason_code::continue_authentication});
  s.accept();
  EXPECT_TRUE(s.machine->is_connected());
}

} // namespace
