#include <troupe/bench/load/flow_check.hpp>

#include <gtest/gtest.h>

namespace {

using troupe::bench::flow_check;

flow_check after(std::initializer_list<std::uint64_t> numbers) {
  flow_check flow;
  for (const std::uint64_t number : numbers) flow.take(number);
  return flow;
}

TEST(flow_check, finds_nothing_wrong_with_numbers_in_order) {
  const flow_check flow = after({0, 1, 2, 3});
  EXPECT_EQ(flow.lost(4), 0U);
  EXPECT_EQ(flow.duplicated(), 0U);
  EXPECT_EQ(flow.reordered(), 0U);
}

TEST(flow_check, counts_what_was_jumped_over_and_what_never_came_as_lost) {
  EXPECT_EQ(after({0, 3}).lost(6), 4U); // 1, 2, 4, 5
  EXPECT_EQ(after({}).lost(3), 3U);
}

TEST(flow_check, tells_latecomers_from_duplicates) {
  const flow_check flow = after({0, 2, 1, 1, 2, 3});
  EXPECT_EQ(flow.reordered(), 1U);
  EXPECT_EQ(flow.duplicated(), 2U);
  EXPECT_EQ(flow.lost(4), 0U);
}

TEST(flow_check, stays_bounded_however_far_a_number_jumps) {
  const flow_check flow = after({std::uint64_t{1} << 39U});
  EXPECT_EQ(flow.lost((std::uint64_t{1} << 39U) + 1), std::uint64_t{1} << 39U);
}

} // namespace
