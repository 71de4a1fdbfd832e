#include <troupe/broker/group_table.hpp>
#include <troupe/broker/shared_group.hpp>

#include <gtest/gtest.h>

#include <map>

namespace troupe::brokerage {
namespace {

TEST(shared_group, takes_its_members_in_turn) {
  shared_group group{"$share/g/a/+", 1};
  EXPECT_EQ(group.filter(), "a/+");
  for (session_number each = 1; each <= 3; ++each) EXPECT_TRUE(group.join({.number = each}));
  std::map<session_number, int> turns;
  for (int round = 0; round < 30; ++round) ++turns[group.pick()->number];
  EXPECT_EQ(turns, (std::map<session_number, int>{{1, 10}, {2, 10}, {3, 10}}));
}

TEST(shared_group, replaces_a_member_that_joins_again) {
  shared_group group{"$share/g/t", 1};
  EXPECT_TRUE(group.join({.number = 1, .shard = 0}));
  EXPECT_FALSE(group.join({.number = 1, .shard = 2}));
  EXPECT_EQ(group.pick()->shard, 2U);
}

TEST(shared_group, prefers_who_is_there) {
  shared_group group{"$share/g/t", 1};
  group.join({.number = 1});
  group.join({.number = 2, .is_connected = false});
  for (int round = 0; round < 5; ++round) EXPECT_EQ(group.pick()->number, 1U);
  group.set_connected(1, false, 0);
  group.set_connected(2, true, 0);
  for (int round = 0; round < 5; ++round) EXPECT_EQ(group.pick()->number, 2U);
  group.set_connected(2, false, 0);
  EXPECT_NE(group.pick(), nullptr); // somebody's session waits
}

TEST(shared_group, has_nobody_but_the_one_who_went) {
  shared_group group{"$share/g/t", 1};
  EXPECT_EQ(group.pick(), nullptr);
  group.join({.number = 1});
  EXPECT_EQ(group.pick(1), nullptr);
  EXPECT_TRUE(group.leave(1));
  EXPECT_FALSE(group.leave(1));
  EXPECT_TRUE(group.empty());
}

TEST(group_table, numbers_say_who_owns_a_group) {
  group_table groups{5};
  const std::uint32_t number = groups.add("$share/g/t").number();
  EXPECT_NE(number, 0U);
  EXPECT_EQ(group_table::owner_of(number), 5U);
  EXPECT_EQ(groups.find(number), groups.find(std::string{"$share/g/t"}));
  groups.remove(*groups.find(number));
  EXPECT_EQ(groups.find(number), nullptr);
}

} // namespace
} // namespace troupe::brokerage
