#include <troupe/bench/load/statistics.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace troupe::bench;

TEST(statistics, of_nothing_are_zero) {
  const summary s = summarise({});
  EXPECT_EQ(s.count, 0U);
  EXPECT_EQ(s.mean, 0);
}

TEST(statistics, of_one_value_have_no_error) {
  const std::vector<double> one{7};
  const summary s = summarise(one);
  EXPECT_EQ(s.mean, 7);
  EXPECT_EQ(s.median, 7);
  EXPECT_EQ(s.error, 0);
}

TEST(statistics, give_mean_median_deviation_and_the_999_interval) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  const summary s = summarise(values);
  EXPECT_EQ(s.outliers, 1U); // 9 lies above 5.5 + 1.5 * 1.5
  EXPECT_DOUBLE_EQ(s.median, 4.5);
  EXPECT_EQ(s.smallest, 2);
  EXPECT_EQ(s.largest, 9);
  EXPECT_NEAR(s.mean, 31.0 / 7, 1e-12);
  EXPECT_NEAR(s.deviation, 1.5118578920369088, 1e-9);
  EXPECT_NEAR(s.error, 5.958816178 * 1.5118578920369088 / 2.6457513110645907, 1e-6);
}

// Two-sided quantiles from printed tables.
TEST(statistics, know_student_s_quantiles) {
  EXPECT_NEAR(student_quantile(0.999, 1), 636.619, 0.001);
  EXPECT_NEAR(student_quantile(0.999, 2), 31.599, 0.001);
  EXPECT_NEAR(student_quantile(0.999, 9), 4.781, 0.001);
  EXPECT_NEAR(student_quantile(0.999, 120), 3.373, 0.001);
  EXPECT_NEAR(student_quantile(0.95, 10), 2.228, 0.001);
  EXPECT_EQ(student_quantile(0.999, 0), 0);
}

TEST(statistics, judge_how_even_bursts_are) {
  const std::vector<std::vector<double>> sets{{1, 1, 1, 10}, {1, 1, 1, 2}, {1, 1, 1, 1}};
  const spread s = burst_spread(sets);
  EXPECT_NEAR(s.slow_share, 1.0 / 12, 1e-12);
  EXPECT_DOUBLE_EQ(s.worst_ratio, 2); // the median of 10, 2 and 1
}

TEST(statistics, tell_a_difference_from_noise) {
  const std::vector<double> a{100, 101, 99, 100, 102, 98, 100, 101};
  const std::vector<double> b{101, 100, 99, 101, 100, 99, 102, 100};
  const std::vector<double> c{120, 121, 119, 120, 122, 118, 120, 121};
  EXPECT_FALSE(differs(summarise(a), summarise(b), 0.999));
  EXPECT_TRUE(differs(summarise(a), summarise(c), 0.999));
}

} // namespace
