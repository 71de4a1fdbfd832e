// Conversations of a client with a scripted server: how it begins and how it ends.
#include <troupe/protocol/client_machine.hpp>

#include "support/client_cases.hpp"

#include <gtest/gtest.h>

#include <string>

using namespace troupe::protocol;
using namespace std::chrono_literals;
using support::client_scene;
using support::keeping;
using support::old_version;
using support::q0;
using support::q1;
using support::q2;

namespace {

// -- handshake ---------------------------------------------------------------------------------

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

// -- the end -----------------------------------------------------------------------------------

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

TEST(client_machine, session_expiry_does_not_rise_from_zero_with_the_last_word_MQTT_3_14_2_2_2) {
  property_block minute;
  ASSERT_TRUE(minute.set(property::session_expiry_interval, 60U));
  client_scene kept{keeping()};
  kept.connects();
  kept.machine.disconnect(reason_code::normal_disconnection, minute.view(), kept.now);
  kept.expect("e0 07 00 05 11 00 00 00 3c");
  client_scene passing{{.client_id = "c"}};
  passing.connects();
  passing.machine.disconnect(reason_code::normal_disconnection, minute.view(), passing.now);
  passing.expect("e0 00");
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
