// router: who hears what is published, in which order, and how each quality ends.
#include "support/router_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace troupe {
namespace {

using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using protocol::version;
using test::rig_client;
using test::router_test;
using test::seen;
using test::texts;

TEST_F(router_test, passes_a_qos_0_packet_on_as_the_octets_that_came) {
  rig_client subscriber{rig};
  subscriber.connect({.id = "subscriber"});
  subscriber.subscribe("a/b");
  subscriber.hear();
  const auto bytes = publisher.publish_bytes("a/b", "payload");
  publisher.send(bytes);
  EXPECT_EQ(subscriber.pipe().take(), bytes);
}

TEST_F(router_test, keeps_order_in_runs_of_mixed_topics_and_qualities) {
  rig_client subscriber{rig};
  subscriber.connect({.id = "subscriber"});
  subscriber.subscribe("#", qos::exactly_once);
  subscriber.hear();
  std::minstd_rand chance{7};
  std::vector<protocol::octet> bytes;
  texts expected;
  for (int each = 0; each < 500; ++each) {
    const auto quality = static_cast<qos>(chance() % 3);
    const std::string topic = "t/" + std::to_string(chance() % 3);
    expected.push_back(std::to_string(each));
    const auto one = publisher.publish_bytes(
        topic, expected.back(), {.quality = quality, .id = static_cast<protocol::packet_id>(each + 1)});
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  publisher.send(bytes);
  EXPECT_EQ(subscriber.payloads(), expected);
  EXPECT_EQ(rig.counts().messages_received.value(), 500U);
  EXPECT_EQ(rig.counts().messages_sent.value(), 500U);
}

TEST_F(router_test, finishes_after_unsubscribe_what_it_had_begun) { // MQTT-3.10.4-3
  rig_client a{rig};
  a.connect({.id = "a", .clean = false, .expiry = 60});
  a.subscribe("t", qos::at_least_once);
  a.hear();
  publisher.publish("t", "begun", {.quality = qos::at_least_once});
  a.unsubscribe("t");
  publisher.publish("t", "late", {.quality = qos::at_least_once});
  EXPECT_EQ(a.payloads(), texts{"begun"});
  a.hang_up();
  rig_client back{rig};
  back.connect({.id = "a", .clean = false, .expiry = 60});
  const auto again = back.hear(packet_type::publish);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].payload, "begun");
  EXPECT_TRUE(again[0].dup);
}

TEST_F(router_test, sends_in_the_lesser_of_both_qualities) { // MQTT-3.8.4-8
  rig_client a{rig};
  a.connect({.id = "a"});
  for (const qos granted : {qos::at_most_once, qos::at_least_once, qos::exactly_once}) {
    a.subscribe("t", granted);
    a.hear();
    for (const qos quality : {qos::at_most_once, qos::at_least_once, qos::exactly_once}) {
      publisher.publish("t", "x", {.quality = quality});
      publisher.acknowledge(packet_type::pubrel, 1);
      const auto heard = a.hear(packet_type::publish);
      ASSERT_EQ(heard.size(), 1U);
      EXPECT_EQ(heard[0].quality, std::min(granted, quality));
    }
  }
}

TEST_F(router_test, translates_between_the_versions) {
  rig_client old{rig};
  old.connect({.version = version::v3_1_1, .id = "old"});
  old.subscribe("t", qos::at_least_once);
  rig_client young{rig};
  young.connect({.id = "young"});
  young.subscribe("t", qos::at_least_once);
  old.hear();
  young.hear();
  publisher.publish("t", "5", {.expiry = 100});
  old.publish("t", "3", {.quality = qos::at_least_once});
  const auto heard_old = old.hear(packet_type::publish);
  const auto heard_young = young.hear(packet_type::publish);
  ASSERT_EQ(heard_old.size(), 2U);
  ASSERT_EQ(heard_young.size(), 2U);
  EXPECT_EQ(heard_old[0].payload, "5");
  EXPECT_EQ(heard_young[0].expiry, 100U);
  EXPECT_EQ(heard_young[1].payload, "3");
  EXPECT_EQ(heard_young[1].quality, qos::at_least_once);
}

TEST_F(router_test, delivers_a_repeated_qos_2_publish_once) { // H05
  for (const version each : {version::v3_1_1, version::v5_0}) {
    rig_client sender{rig};
    sender.connect({.version = each, .id = "sender"});
    rig_client subscriber{rig};
    subscriber.connect({.id = "subscriber"});
    subscriber.subscribe("t");
    subscriber.hear();
    sender.hear();
    for (int copy = 0; copy < 3; ++copy)
      sender.publish("t", "x", {.quality = qos::exactly_once, .dup = copy != 0});
    EXPECT_EQ(sender.hear(packet_type::pubrec).size(), 3U);
    sender.acknowledge(packet_type::pubrel, 1);
    EXPECT_EQ(sender.hear(packet_type::pubcomp).size(), 1U);
    EXPECT_EQ(subscriber.payloads(), texts{"x"});
    sender.publish("t", "y", {.quality = qos::exactly_once});
    EXPECT_EQ(subscriber.payloads(), texts{"y"});
    EXPECT_FALSE(sender.is_closed());
  }
}

TEST_F(router_test, remembers_a_qos_2_publish_across_connections) {
  rig_client watcher{rig};
  watcher.connect({.id = "watcher"});
  watcher.subscribe("t", qos::at_most_once);
  watcher.hear();
  {
    rig_client sender{rig};
    sender.connect({.id = "sender", .clean = false, .expiry = 60});
    sender.publish("t", "x", {.quality = qos::exactly_once});
  }
  rig_client again{rig};
  again.connect({.id = "sender", .clean = false, .expiry = 60});
  again.publish("t", "x", {.quality = qos::exactly_once, .dup = true});
  EXPECT_EQ(again.hear(packet_type::pubrec).size(), 1U);
  EXPECT_EQ(watcher.payloads(), texts{"x"});
}

TEST_F(router_test, says_that_nobody_subscribed) {
  publisher.publish("nobody", "x", {.quality = qos::at_least_once});
  const auto answer = publisher.hear(packet_type::puback);
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0].reason, reason_code::no_matching_subscribers);
}

TEST_F(router_test, brings_qos_2_to_its_end_on_both_sides) {
  rig_client subscriber{rig};
  subscriber.connect({.id = "subscriber"});
  subscriber.subscribe("t");
  subscriber.hear();
  for (protocol::packet_id round = 1; round <= 100; ++round) {
    publisher.publish("t", "x", {.quality = qos::exactly_once, .id = round});
    publisher.acknowledge(packet_type::pubrel, round);
    const auto got = subscriber.hear(packet_type::publish);
    ASSERT_EQ(got.size(), 1U);
    subscriber.acknowledge(packet_type::pubrec, got[0].id);
    EXPECT_EQ(subscriber.hear(packet_type::pubrel).size(), 1U);
    subscriber.acknowledge(packet_type::pubcomp, got[0].id);
  }
  EXPECT_EQ(publisher.hear(packet_type::pubcomp).size(), 100U);
}

// -- subscriptions ------------------------------------------------------------

TEST_F(router_test, sends_one_copy_with_all_identifiers) { // H29
  rig_client a{rig};
  rig_client b{rig};
  a.connect({.id = "a"});
  b.connect({.id = "b"});
  a.subscribe("a/b", qos::at_most_once, 1);
  a.subscribe("a/#", qos::at_least_once, 2);
  a.subscribe("+/b", qos::at_most_once);
  b.subscribe("a/b", qos::at_most_once, 9);
  a.hear();
  b.hear();
  for (const qos quality : {qos::at_most_once, qos::at_least_once}) {
    publisher.publish("a/b", "x", {.quality = quality});
    const auto to_a = a.hear(packet_type::publish);
    const auto to_b = b.hear(packet_type::publish);
    ASSERT_EQ(to_a.size(), 1U);
    ASSERT_EQ(to_b.size(), 1U);
    EXPECT_EQ(to_a[0].identifiers, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(to_a[0].quality, quality); // the highest that was granted [MQTT-3.3.4-2]
    EXPECT_EQ(to_b[0].identifiers, (std::vector<std::uint32_t>{9}));
  }
}

TEST_F(router_test, keeps_local_messages_from_those_who_do_not_want_them) { // [MQTT-3.8.3-3]
  publisher.subscribe({{.filter = "t", .no_local = true}});
  rig_client other{rig};
  other.connect({.id = "other"});
  other.subscribe({{.filter = "t", .no_local = true}});
  publisher.hear();
  other.hear();
  publisher.publish("t", "x");
  EXPECT_TRUE(publisher.payloads().empty());
  EXPECT_EQ(other.payloads(), texts{"x"});
}

TEST_F(router_test, keeps_wildcards_away_from_dollar_topics) { // [MQTT-4.7.2-1]
  publisher.subscribe("#");
  publisher.subscribe("+/x");
  publisher.hear();
  publisher.publish("$own/x", "1");
  EXPECT_TRUE(publisher.payloads().empty());
  publisher.subscribe("$own/#");
  publisher.hear();
  publisher.publish("$own/x", "2");
  EXPECT_EQ(publisher.payloads(), texts{"2"});
}

TEST_F(router_test, stops_after_unsubscribe) {
  publisher.subscribe("t");
  publisher.unsubscribe("t");
  publisher.unsubscribe("t");
  const auto answers = publisher.hear(packet_type::unsuback);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].codes, std::vector{reason_code::success});
  EXPECT_EQ(answers[1].codes, std::vector{reason_code::no_subscription_existed});
  publisher.publish("t", "x");
  EXPECT_TRUE(publisher.payloads().empty());
}

TEST_F(router_test, takes_many_filters_of_one_unsubscribe_one_after_the_other) { // [MQTT-3.10.4-6]
  for (const char* filter : {"a", "b", "c"}) publisher.subscribe(filter);
  publisher.hear();
  publisher.send({0xA2, 15, 0, 11, 0, 0, 1, 'a', 0, 1, 'x', 0, 1, 'b', 0, 1, 'a'});
  const auto answers = publisher.hear(packet_type::unsuback);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].id, 11);
  EXPECT_EQ(answers[0].codes, (std::vector{reason_code::success, reason_code::no_subscription_existed,
                                           reason_code::success, reason_code::no_subscription_existed}));
  for (const char* topic : {"a", "b", "c"}) publisher.publish(topic, topic);
  EXPECT_EQ(publisher.payloads(), texts{"c"});
}

TEST_F(router_test, resolves_topic_aliases_and_leaks_none) {
  rig_client subscriber{rig};
  subscriber.connect({.id = "subscriber"});
  subscriber.subscribe("t");
  subscriber.hear();
  publisher.publish("t", "1", {.alias = 3});
  publisher.publish("", "2", {.alias = 3});
  publisher.publish("", "3", {.quality = qos::at_least_once, .alias = 3});
  const auto all = subscriber.hear(packet_type::publish);
  ASSERT_EQ(all.size(), 3U);
  for (const seen& one : all) EXPECT_EQ(one.topic, "t");
}

} // namespace
} // namespace troupe
