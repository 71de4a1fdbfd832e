// Conversations of a server with a scripted client: publishes that go out.
#include <troupe/protocol/server_machine.hpp>

#include "support/script.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;
using support::server_scene;

namespace {

constexpr version v3 = version::v3_1_1;
constexpr version v5 = version::v5_0;
constexpr qos q0 = qos::at_most_once;
constexpr qos q1 = qos::at_least_once;
constexpr qos q2 = qos::exactly_once;
using sent = server_machine::sent;

/// CONNECT of 5.0 with client id "c" and these properties (with their length).
std::string connect_with(std::string_view properties, std::string_view keep_alive = "00 00") {
  const std::size_t length = 13 + support::from_hex(properties).size();
  const octet size = static_cast<octet>(length);
  return "10 " + support::to_hex({&size, 1}) + " 00 04 'MQTT' 05 02 " + std::string{keep_alive} + " "
         + std::string{properties} + " 00 01 'c'";
}

TEST(server_machine, delivers_every_quality_and_hears_of_the_end) {
  server_scene s;
  s.connects(v5);
  EXPECT_EQ(s.deliver(1, "a", "x", q0), sent::done);
  EXPECT_EQ(s.deliver(2, "a", "y", q1), sent::in_flight);
  EXPECT_EQ(s.deliver(3, "a", "z", q2), sent::in_flight);
  s.expect("30 05 00 01 'a' 00 'x'  32 07 00 01 'a' 00 01 00 'y'  34 07 00 01 'a' 00 02 00 'z'");
  s.reply("50 02 00 02").expect("62 02 00 02");
  EXPECT_TRUE(s.host.delivered.empty());
  s.reply("70 02 00 02  40 02 00 01").expect("");
  EXPECT_EQ(s.host.delivered, (std::vector<request_token>{3, 2}));
}

TEST(server_machine, window_of_the_client_is_never_exceeded_MQTT_3_3_4_9) {
  server_scene s;
  s.connects(v5, false, connect_with("03 21 00 02"));
  EXPECT_EQ(s.deliver(1, "a", "1", q1), sent::in_flight);
  EXPECT_EQ(s.deliver(2, "a", "2", q2), sent::in_flight);
  EXPECT_FALSE(s.machine->may_deliver());
  s.host.box.take();
  EXPECT_EQ(s.deliver(3, "a", "3", q1), sent::window_full);
  EXPECT_EQ(s.deliver(4, "a", "4", q0), sent::done);
  s.expect("30 05 00 01 'a' 00 '4'");
  s.reply("40 02 00 01");
  EXPECT_TRUE(s.machine->may_deliver());
}

TEST(server_machine, what_the_client_cannot_take_counts_as_delivered_MQTT_3_1_2_25) {
  server_scene s;
  s.connects(v5);
  EXPECT_EQ(s.deliver(1, "a", "1234567890", q1), sent::in_flight);
  EXPECT_EQ(s.deliver(2, "a", "x", q1), sent::in_flight);
  s.cut().connects(v5, true, connect_with("05 27 00 00 00 0a"));
  s.expect("3a 07 00 01 'a' 00 02 00 'x'");
  EXPECT_EQ(s.host.delivered, (std::vector<request_token>{1}));
  EXPECT_EQ(s.deliver(3, "a", "1234567890", q0), sent::too_large);
  s.expect("");
}

TEST(server_machine, resumes_with_pubrel_then_publish_within_the_window_MQTT_4_4_0_1) {
  server_scene s;
  s.connects(v5);
  for (request_token token = 1; token <= 4; ++token) s.deliver(token, "a", "x", token == 1 ? q2 : q1);
  s.reply("50 02 00 01").cut();
  s.connects(v5, true, connect_with("03 21 00 02"));
  s.expect("62 02 00 01  3a 07 00 01 'a' 00 02 00 'x'");
  EXPECT_FALSE(s.machine->may_deliver());
  s.reply("70 02 00 01").expect("3a 07 00 01 'a' 00 03 00 'x'");
  s.reply("40 02 00 02").expect("3a 07 00 01 'a' 00 04 00 'x'");
  EXPECT_EQ(s.host.delivered, (std::vector<request_token>{1, 2}));
}

TEST(server_machine, a_session_that_is_not_present_starts_empty) {
  server_scene s;
  s.connects(v5);
  s.deliver(1, "a", "x", q1);
  s.reply("34 07 00 01 'a' 00 01 00 'x'");
  s.cut().connects(v5, false).expect("");
  s.reply("34 07 00 01 'a' 00 01 00 'y'");
  EXPECT_EQ(s.host.messages.size(), 2U);
  EXPECT_EQ(s.session.sent().publishes(), 0U);
}

TEST(server_machine, a_takeover_leaves_the_session_to_the_new_connection) {
  server_scene s;
  s.connects(v5);
  s.deliver(1, "a", "x", q1);
  s.host.box.take();
  support::recording_server second;
  second.kept = s.host.kept;
  server_machine later{{}, second, s.now};
  support::bytes hello = support::from_hex("10 0e 00 04 'MQTT' 05 00 00 00 00 00 01 'c'");
  hello.resize(hello.size() + read_slack);
  later.on_packet(frame{.first = 0x10, .body = {hello.data() + 2, 14}, .whole = {hello.data(), 16}}, s.now);
  s.machine->disconnect(reason_code::session_taken_over, {}, s.now);
  s.expect("e0 01 8e");
  later.accept({.session_present = true}, s.session, s.now);
  EXPECT_EQ(support::to_hex(second.box.take()), "20 03 01 00 00 3a 07 00 01 61 00 01 00 78");
  s.cut(); // the old connection's end comes late
  EXPECT_TRUE(s.session.is_open());
  EXPECT_EQ(s.session.sent().used(), 1U);
  later.transport_down(s.now);
  EXPECT_FALSE(s.session.is_open());
}

TEST(server_machine, properties_do_not_travel_to_3_1_1) {
  server_scene s;
  s.connects(v3);
  support::stored_publish what{.topic = "a", .payload = {'x'}, .quality = q1};
  ASSERT_TRUE(what.properties.add_user_property("k", "v"));
  s.host.kept[1] = what;
  EXPECT_EQ(s.machine->deliver(1, s.host.kept[1].kept(), s.now), sent::in_flight);
  s.expect("32 06 00 01 'a' 00 01 'x'");
  s.cut().connects(v3, true).expect("3a 06 00 01 'a' 00 01 'x'");
}

TEST(server_machine, outbound_aliases_are_set_by_themselves_when_wanted_by_both) {
  server_scene s{{.outbound_topic_aliases = 4}};
  s.connects(v5, false, connect_with("03 22 00 0a"));
  s.deliver(1, "topic", "1", q0);
  s.deliver(2, "topic", "2", q0);
  s.expect("30 0c 00 05 'topic' 03 23 00 01 '1'  30 07 00 00 03 23 00 01 '2'");
}

TEST(server_machine, acknowledgements_that_do_not_fit_close) {
  server_scene s;
  s.connects(v5);
  s.deliver(1, "a", "x", q2);
  s.host.box.take();
  s.reply("40 02 00 01").expect("e0 01 82");
  s.connects(v5).reply("50 02 00 09").expect("62 03 00 09 92");
  s.reply("40 02 00 09  70 02 00 09").expect("");
  EXPECT_EQ(s.host.closes.size(), 1U);
}

} // namespace
