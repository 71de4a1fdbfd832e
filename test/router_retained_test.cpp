// router: what is kept of a topic for those who come later, and for how long.
#include "support/router_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using protocol::retain_handling;
using test::rig_client;
using test::router_test;
using test::seen;
using test::texts;

TEST_F(router_test, keeps_the_last_retained_message_of_each_topic) {
  publisher.publish("r/1", "old", {.retain = true});
  publisher.publish("r/1", "new", {.retain = true});
  publisher.publish("r/2", "two", {.quality = qos::at_least_once, .retain = true});
  publisher.publish("r", "parent", {.retain = true});
  publisher.publish("$r/1", "hidden", {.retain = true});
  rig_client late{rig};
  late.connect({.id = "late"});
  late.subscribe("r/#");
  const auto all = late.hear();
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[1].type, packet_type::suback);
  texts payloads;
  for (std::size_t each = 2; each < all.size(); ++each) {
    EXPECT_TRUE(all[each].retain);
    payloads.push_back(all[each].payload);
  }
  std::sort(payloads.begin(), payloads.end());
  EXPECT_EQ(payloads, (texts{"new", "parent", "two"}));
  EXPECT_EQ(rig.counts().retained_messages.value(), 4U);
}

TEST_F(router_test, clears_a_retained_message_by_an_empty_one) {
  publisher.publish("r", "x", {.retain = true});
  publisher.publish("r", "", {.retain = true});
  publisher.subscribe("r");
  EXPECT_TRUE(publisher.payloads().empty());
  EXPECT_EQ(rig.counts().retained_messages.value(), 0U);
}

TEST_F(router_test, honours_retain_handling) { // H17
  publisher.publish("r", "1", {.retain = true});
  const auto subscribe = [&](retain_handling how) {
    publisher.subscribe({{.filter = "r", .handling = how}});
    return publisher.payloads().size();
  };
  EXPECT_EQ(subscribe(retain_handling::send), 1U);
  EXPECT_EQ(subscribe(retain_handling::send), 1U);
  EXPECT_EQ(subscribe(retain_handling::send_if_new), 0U);
  publisher.unsubscribe("r");
  EXPECT_EQ(subscribe(retain_handling::send_if_new), 1U);
  EXPECT_EQ(subscribe(retain_handling::do_not_send), 0U);
  publisher.subscribe({{.filter = "$share/g/r"}});
  EXPECT_EQ(publisher.payloads().size(), 0U);
}

TEST_F(router_test, knows_a_resumed_subscription_as_an_old_one) { // H17
  publisher.publish("r", "1", {.retain = true});
  {
    rig_client client{rig};
    client.connect({.clean = false, .expiry = 60});
    client.subscribe("r");
  }
  rig_client back{rig};
  back.connect({.clean = false, .expiry = 60});
  back.hear();
  back.subscribe({{.filter = "r", .handling = retain_handling::send_if_new}});
  EXPECT_TRUE(back.payloads().empty());
}

TEST_F(router_test, sends_live_messages_without_the_retain_flag_unless_asked) {
  rig_client plain{rig};
  plain.connect({.id = "plain"});
  plain.subscribe("r");
  rig_client same{rig};
  same.connect({.id = "same"});
  same.subscribe({{.filter = "r", .retain_as_published = true}});
  plain.hear();
  same.hear();
  publisher.publish("r", "x", {.retain = true});
  publisher.publish("r", "y");
  const auto to_plain = plain.hear();
  const auto to_same = same.hear();
  ASSERT_EQ(to_plain.size(), 2U);
  ASSERT_EQ(to_same.size(), 2U);
  EXPECT_FALSE(to_plain[0].retain); // [MQTT-3.3.1-12]
  EXPECT_TRUE(to_same[0].retain);   // [MQTT-3.3.1-13]
  EXPECT_FALSE(to_same[1].retain);
}

TEST_F(router_test, sends_retained_messages_with_the_identifier_of_their_subscription) { // H29
  publisher.publish("a/b", "x", {.retain = true});
  publisher.subscribe("a/b", qos::at_most_once, 77);
  const auto all = publisher.hear(packet_type::publish);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].identifiers, std::vector<std::uint32_t>{77});
}

TEST_F(router_test, sends_many_retained_messages_to_a_client_with_a_small_window) {
  for (int each = 0; each < 100; ++each)
    publisher.publish(
        "r/" + std::to_string(each), "x",
        {.quality = qos::at_least_once, .retain = true, .id = static_cast<protocol::packet_id>(each + 1)});
  rig_client slow{rig};
  slow.connect({.id = "slow", .receive_maximum = 3});
  slow.hear();
  slow.subscribe("r/#");
  std::size_t got = 0;
  for (int round = 0; round < 100 && got < 100; ++round) {
    const auto some = slow.hear(packet_type::publish);
    EXPECT_LE(some.size(), 3U);
    got += some.size();
    for (const seen& one : some) slow.acknowledge(packet_type::puback, one.id);
  }
  EXPECT_EQ(got, 100U);
}

TEST_F(router_test, counts_down_and_ends_the_life_of_a_message) { // [MQTT-3.3.2-5, MQTT-3.3.2-6]
  {
    rig_client away{rig};
    away.connect({.id = "away", .clean = false, .expiry = 60});
    away.subscribe("t", qos::at_least_once);
  }
  publisher.publish("t", "short", {.quality = qos::at_least_once, .expiry = 5});
  publisher.publish("t", "long", {.quality = qos::at_least_once, .id = 2, .expiry = 50});
  publisher.publish("r", "kept", {.retain = true, .expiry = 8});
  rig.advance(6s);
  rig_client back{rig};
  back.connect({.id = "away", .clean = false, .expiry = 60});
  const auto all = back.hear(packet_type::publish);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].payload, "long");
  EXPECT_EQ(all[0].expiry, 44U);
  EXPECT_EQ(rig.counts().messages_expired.value(), 1U);
  back.subscribe("r");
  const auto kept = back.hear(packet_type::publish);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].expiry, 2U);
  rig.advance(3s);
  back.subscribe("r");
  EXPECT_TRUE(back.payloads().empty());
}

} // namespace
} // namespace troupe
