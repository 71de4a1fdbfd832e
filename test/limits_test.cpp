// What a client leaves unsaid because the server would not take it.
#include <troupe/protocol/limits.hpp>

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

} // namespace
