#include "support/shard_rig.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using protocol::retain_handling;
using protocol::version;
using test::rig_client;
using test::seen;
using test::shard_rig;

using texts = std::vector<std::string>;

struct router_test : testing::Test {
  router_test() {
    publisher.connect({.id = "publisher"});
    publisher.hear();
  }
  shard_rig rig{};
  rig_client publisher{rig};
};

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

// -- retained messages --------------------------------------------------------

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

// -- $share -------------------------------------------------------------------

TEST_F(router_test, shares_messages_in_turn) {
  rig_client a{rig};
  rig_client b{rig};
  a.connect({.id = "a"});
  b.connect({.id = "b"});
  a.subscribe("$share/g/t");
  b.subscribe("$share/g/t");
  b.subscribe("t");
  a.hear();
  b.hear();
  for (int each = 0; each < 10; ++each) publisher.publish("t", std::to_string(each));
  EXPECT_EQ(a.payloads().size(), 5U);
  EXPECT_EQ(b.payloads().size(), 15U);
}

TEST_F(router_test, gives_what_a_lost_member_had_to_another) { // H20
  rig_client b{rig};
  b.connect({.id = "b"});
  b.subscribe("$share/g/t", qos::at_least_once);
  b.hear();
  texts all;
  {
    rig_client a{rig};
    a.connect({.id = "a", .receive_maximum = 2});
    a.subscribe("$share/g/t", qos::at_least_once);
    for (int each = 0; each < 10; ++each)
      publisher.publish("t", std::to_string(each),
                        {.quality = qos::at_least_once, .id = static_cast<protocol::packet_id>(each + 1)});
    for (const std::string& one : b.payloads()) all.push_back(one);
    EXPECT_EQ(all.size(), 5U);
  }
  for (const std::string& one : b.payloads()) all.push_back(one);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (texts{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
}

TEST_F(router_test, prefers_connected_members) {
  {
    rig_client away{rig};
    away.connect({.id = "away", .clean = false, .expiry = 60});
    away.subscribe("$share/g/t", qos::at_least_once);
  }
  rig_client here{rig};
  here.connect({.id = "here"});
  here.subscribe("$share/g/t");
  here.hear();
  for (int each = 0; each < 6; ++each) publisher.publish("t", "x");
  EXPECT_EQ(here.payloads().size(), 6U);
}

// -- several shards -----------------------------------------------------------

struct shards_test : testing::Test {
  shard_rig rig{{}, 3};
};

TEST_F(shards_test, answer_subscribe_when_every_shard_knows) {
  rig_client subscriber{rig, 0};
  rig_client publisher{rig, 1};
  subscriber.connect({.id = "s"});
  publisher.connect({.id = "p"});
  subscriber.hear();
  subscriber.subscribe("t");
  EXPECT_EQ(subscriber.hear(packet_type::suback).size(), 1U);
  publisher.publish("t", "x");
  EXPECT_EQ(subscriber.payloads(), texts{"x"});
  subscriber.unsubscribe("t");
  publisher.publish("t", "y", {.quality = qos::at_least_once});
  const auto answer = publisher.hear(packet_type::puback);
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0].reason, reason_code::no_matching_subscribers);
}

TEST_F(shards_test, keep_order_and_quality_across_shards) {
  rig_client subscriber{rig, 2};
  subscriber.connect({.id = "s"});
  subscriber.subscribe("#");
  subscriber.hear();
  std::minstd_rand chance{11};
  std::vector<std::unique_ptr<rig_client>> publishers;
  for (std::size_t each = 0; each < 3; ++each) {
    publishers.push_back(std::make_unique<rig_client>(rig, each));
    publishers.back()->connect({.id = "p" + std::to_string(each)});
  }
  std::vector<texts> sent(3);
  for (int round = 0; round < 60; ++round) {
    for (std::size_t each = 0; each < 3; ++each) {
      std::vector<protocol::octet> bytes;
      for (int several = 0; several < 3; ++several) {
        const std::string payload = std::to_string(each) + "/" + std::to_string(sent[each].size());
        const auto id = static_cast<protocol::packet_id>(sent[each].size() + 1);
        const auto one = publishers[each]->publish_bytes(
            "t" + std::to_string(chance() % 2), payload,
            {.quality = static_cast<qos>(chance() % 3), .retain = chance() % 5 == 0, .id = id});
        bytes.insert(bytes.end(), one.begin(), one.end());
        sent[each].push_back(payload);
      }
      publishers[each]->send(bytes);
    }
  }
  std::vector<texts> got(3);
  for (const std::string& one : subscriber.payloads())
    got[static_cast<std::size_t>(one[0] - '0')].push_back(one);
  EXPECT_EQ(got, sent);
}

TEST_F(shards_test, agree_on_retained_messages) {
  rig_client one{rig, 0};
  rig_client two{rig, 1};
  one.connect({.id = "1"});
  two.connect({.id = "2"});
  one.publish("r", "first", {.retain = true});
  two.publish("r", "second", {.retain = true});
  for (std::size_t each = 0; each < 3; ++each) {
    rig_client late{rig, each};
    late.connect({.id = "late"});
    late.hear();
    late.subscribe("r");
    EXPECT_EQ(late.payloads(), texts{"second"});
  }
  one.publish("r", "", {.retain = true});
  for (std::size_t each = 0; each < 3; ++each) EXPECT_EQ(rig.counts(each).retained_messages.value(), 0U);
}

TEST_F(shards_test, move_a_session_with_everything_in_it) {
  rig_client publisher{rig, 0};
  publisher.connect({.id = "p"});
  for (std::size_t round = 0; round < 6; ++round) {
    {
      rig_client client{rig, round % 3};
      client.connect({.clean = false, .expiry = 60});
      const auto answer = client.hear();
      ASSERT_FALSE(answer.empty());
      EXPECT_EQ(answer[0].session_present, round != 0);
      if (round == 0) client.subscribe("t", qos::at_least_once);
      publisher.publish("t", "live", {.quality = qos::at_least_once});
      const auto live = client.hear(packet_type::publish);
      ASSERT_EQ(live.size(), 1U) << round;
      client.acknowledge(packet_type::puback, live[0].id);
    }
    publisher.publish("t", "away", {.quality = qos::at_least_once});
    rig_client back{rig, (round + 1) % 3};
    back.connect({.clean = false, .expiry = 60});
    const auto all = back.hear(packet_type::publish);
    ASSERT_EQ(all.size(), 1U) << round;
    EXPECT_EQ(all[0].payload, "away");
    back.acknowledge(packet_type::puback, all[0].id);
  }
}

TEST_F(shards_test, lose_double_and_reorder_nothing_while_a_session_moves) {
  std::vector<std::unique_ptr<rig_client>> publishers;
  for (std::size_t each = 0; each < 3; ++each) {
    publishers.push_back(std::make_unique<rig_client>(rig, each));
    publishers.back()->connect({.id = "p" + std::to_string(each)});
  }
  std::vector<texts> sent(3);
  std::vector<texts> got(3);
  const auto publish_everywhere = [&] {
    for (std::size_t each = 0; each < 3; ++each) {
      const std::string payload = std::to_string(each) + "/" + std::to_string(sent[each].size());
      const auto id = static_cast<protocol::packet_id>(sent[each].size() + 1);
      publishers[each]->deliver_later(
          publishers[each]->publish_bytes("t", payload, {.quality = qos::at_least_once, .id = id}));
      sent[each].push_back(payload);
    }
  };
  const auto take = [&](rig_client& from) {
    for (const seen& one : from.hear(packet_type::publish)) {
      got[static_cast<std::size_t>(one.payload[0] - '0')].push_back(one.payload);
      from.acknowledge(packet_type::puback, one.id);
    }
  };
  std::minstd_rand chance{3};
  for (std::size_t round = 0; round < 60; ++round) {
    rig_client client{rig, chance() % 3};
    const auto hello = client.connect_bytes({.clean = false, .expiry = 60});
    client.deliver_later(hello);
    // every step of the move has publishes around it
    for (unsigned steps = 0; steps < 40; ++steps) {
      if (chance() % 3 == 0) publish_everywhere();
      rig.step_somewhere(chance());
    }
    rig.settle();
    if (round == 0) {
      client.subscribe("t", qos::at_least_once);
      for (texts& one : sent) one.clear();
    }
    take(client);
    if (round % 2 == 0) publish_everywhere();
    rig.settle();
    take(client);
  }
  rig_client last{rig, 0};
  last.connect({.clean = false, .expiry = 60});
  take(last);
  EXPECT_EQ(got, sent);
}

TEST_F(shards_test, take_over_from_each_other) {
  rig_client earlier{rig, 0};
  earlier.connect({});
  rig_client later{rig, 1};
  later.connect({});
  earlier.reap();
  const auto last = earlier.hear(packet_type::disconnect);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].reason, reason_code::session_taken_over);
  EXPECT_EQ(later.hear(packet_type::connack).size(), 1U);
  EXPECT_EQ(rig.counts(0).connections.value() + rig.counts(1).connections.value(), 1U);
}

TEST_F(shards_test, share_a_group_between_them) {
  rig_client publisher{rig, 0};
  publisher.connect({.id = "p"});
  std::vector<std::unique_ptr<rig_client>> members;
  for (std::size_t each = 0; each < 3; ++each) {
    members.push_back(std::make_unique<rig_client>(rig, each));
    members.back()->connect({.id = "m" + std::to_string(each)});
    members.back()->subscribe("$share/g/t", qos::at_least_once);
    members.back()->hear();
  }
  for (int each = 0; each < 9; ++each) publisher.publish("t", "x", {.quality = qos::at_least_once});
  for (const auto& one : members) EXPECT_EQ(one->hear(packet_type::publish).size(), 3U);
  members[0].reset();
  std::size_t given_back = 0;
  for (std::size_t each = 1; each < 3; ++each) given_back += members[each]->hear(packet_type::publish).size();
  EXPECT_EQ(given_back, 3U);
  members.clear();
  publisher.publish("t", "x", {.quality = qos::at_least_once});
  const auto answers = publisher.hear(packet_type::puback);
  EXPECT_EQ(answers.back().reason, reason_code::no_matching_subscribers);
}

} // namespace
} // namespace troupe
