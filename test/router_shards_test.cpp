// router: several shards behave as one.
#include "support/shard_rig.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>

namespace troupe {
namespace {

using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using test::rig_client;
using test::seen;
using test::shard_rig;

using texts = std::vector<std::string>;

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
