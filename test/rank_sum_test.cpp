#include <troupe/bench/load/rank_sum.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace troupe::bench;

TEST(rank_sum, does_not_tell_a_row_from_itself) {
  const std::vector<double> row{5, 6, 7, 8, 9, 10, 11};
  EXPECT_EQ(rank_sum_p(row, row), 1);
  const auto [low, high] = ratio_interval(row, row);
  EXPECT_LE(low, 1);
  EXPECT_GE(high, 1);
}

TEST(rank_sum, tells_rows_apart_that_do_not_overlap) {
  const std::vector<double> low{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const std::vector<double> high{11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
  EXPECT_NEAR(rank_sum_p(low, high), 0.000183, 0.00001); // U = 0, with continuity
  EXPECT_GT(ratio_interval(low, high).first, 1);
}

TEST(rank_sum, says_nothing_about_rows_that_are_too_short_or_all_equal) {
  EXPECT_EQ(rank_sum_p(std::vector<double>{1}, std::vector<double>{2}), 1);
  EXPECT_EQ(rank_sum_p(std::vector<double>{1, 1, 1}, std::vector<double>{1, 1, 1}), 1);
}

} // namespace
