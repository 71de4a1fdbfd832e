#include "support/shard_rig.hpp"

#include <troupe/broker/subscriptions.hpp>

#include <gtest/gtest.h>

namespace troupe::brokerage {
namespace {

using protocol::qos;

struct subscriptions_test : testing::Test {
  test::shard_rig rig{};
  peer_session one{"one", 1, rig[0].shop()};
  peer_session two{"two", 2, rig[0].shop()};
  subscriptions wishes{};
};

TEST_F(subscriptions_test, take_all_filters_of_a_session_together) {
  ASSERT_TRUE(
      wishes.add("a/b", subscriber{one}, {.identifier = 3, .quality = qos::at_most_once, .no_local = true}));
  ASSERT_TRUE(wishes.add("a/#", subscriber{one}, {.identifier = 1, .quality = qos::exactly_once}));
  ASSERT_TRUE(
      wishes.add("+/b", subscriber{two}, {.quality = qos::at_least_once, .retain_as_published = true}));
  const route& way = wishes.find("a/b");
  ASSERT_EQ(way.targets.size(), 2U);
  for (const target& each : way.targets) {
    if (each.who == &one) {
      EXPECT_EQ(each.quality, qos::exactly_once);
      EXPECT_FALSE(each.no_local);
      EXPECT_EQ(std::vector(each.identifiers.begin(), each.identifiers.end()),
                (std::vector<std::uint32_t>{1, 3}));
    } else {
      EXPECT_TRUE(each.retain_as_published);
      EXPECT_TRUE(each.identifiers.empty());
    }
  }
}

TEST_F(subscriptions_test, know_a_route_until_something_changes) {
  ASSERT_TRUE(wishes.add("t", subscriber{one}));
  const auto edition = wishes.edition();
  const route* known = &wishes.find("t");
  EXPECT_EQ(known, &wishes.find("t"));
  EXPECT_EQ(wishes.edition(), edition);
  ASSERT_TRUE(wishes.add("t", subscriber{two}));
  EXPECT_NE(wishes.edition(), edition);
  EXPECT_EQ(wishes.find("t").targets.size(), 2U);
  EXPECT_TRUE(wishes.remove("t", subscriber{one}));
  EXPECT_FALSE(wishes.remove("t", subscriber{one}));
  EXPECT_EQ(wishes.find("t").targets.size(), 1U);
}

TEST_F(subscriptions_test, keep_more_topics_apart_than_their_cache_has_places) {
  for (int each = 0; each < 3'000; ++each)
    ASSERT_TRUE(wishes.add("t/" + std::to_string(each), subscriber{each % 2 == 0 ? one : two}));
  for (int round = 0; round < 2; ++round) {
    for (int each = 0; each < 3'000; ++each) {
      const route& way = wishes.find("t/" + std::to_string(each));
      ASSERT_EQ(way.targets.size(), 1U);
      ASSERT_EQ(way.targets[0].who, each % 2 == 0 ? &one : &two);
    }
  }
  EXPECT_TRUE(wishes.find("nobody").is_empty());
}

TEST_F(subscriptions_test, lead_to_shards_and_groups) {
  shared_group group{"$share/g/t", 9};
  ASSERT_TRUE(wishes.add("t", subscriber{group}));
  ASSERT_TRUE(wishes.add("t", subscriber{std::uint32_t{0}}));
  ASSERT_TRUE(wishes.add("#", subscriber{std::uint32_t{63}}));
  const route& way = wishes.find("t");
  EXPECT_EQ(way.shards, 1U | std::uint64_t{1} << 63U);
  EXPECT_EQ(way.groups, std::vector{&group});
  EXPECT_TRUE(way.targets.empty());
}

TEST_F(subscriptions_test, tell_the_first_and_the_last_who_wants_a_filter) {
  EXPECT_TRUE(wishes.begin_interest("t"));
  EXPECT_FALSE(wishes.begin_interest("t"));
  EXPECT_FALSE(wishes.end_interest("t"));
  EXPECT_TRUE(wishes.end_interest("t"));
  EXPECT_FALSE(wishes.end_interest("t"));
}

TEST_F(subscriptions_test, refuse_filters_beyond_all_reason) {
  std::string deep;
  for (int level = 0; level < 30'000; ++level) deep += "+/";
  EXPECT_FALSE(wishes.add(deep + "#", subscriber{one}));
}

} // namespace
} // namespace troupe::brokerage
