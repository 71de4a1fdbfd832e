#include <troupe/bench/load/histogram.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using std::chrono::nanoseconds;
using troupe::bench::histogram;

TEST(histogram, is_zero_while_empty) {
  const histogram h;
  EXPECT_EQ(h.count(), 0U);
  EXPECT_EQ(h.smallest(), nanoseconds{0});
  EXPECT_EQ(h.largest(), nanoseconds{0});
  EXPECT_EQ(h.percentile(0.99), nanoseconds{0});
}

TEST(histogram, is_exact_for_small_values) {
  histogram h;
  for (int i = 1; i <= 100; ++i) h.record(nanoseconds{i});
  EXPECT_EQ(h.percentile(0.5), nanoseconds{50});
  EXPECT_EQ(h.percentile(0.99), nanoseconds{99});
  EXPECT_EQ(h.percentile(1), nanoseconds{100});
  EXPECT_EQ(h.percentile(0), nanoseconds{1});
  EXPECT_DOUBLE_EQ(h.mean(), 50.5);
}

TEST(histogram, takes_negative_values_for_zero_and_holds_the_largest) {
  histogram h;
  h.record(nanoseconds{-5});
  h.record(nanoseconds::max());
  EXPECT_EQ(h.smallest(), nanoseconds{0});
  EXPECT_EQ(h.percentile(1), nanoseconds::max());
}

TEST(histogram, merges_and_forgets) {
  histogram a;
  histogram b;
  a.record(nanoseconds{10}, 3);
  b.record(nanoseconds{1'000'000});
  a.merge(b);
  EXPECT_EQ(a.count(), 4U);
  EXPECT_EQ(a.smallest(), nanoseconds{10});
  EXPECT_EQ(a.largest(), nanoseconds{1'000'000});
  a.clear();
  EXPECT_EQ(a.count(), 0U);
}

RC_GTEST_PROP(histogram, errs_by_less_than_a_hundredth, (std::vector<std::uint32_t> values)) {
  RC_PRE(!values.empty());
  histogram h;
  for (const auto value : values) h.record(nanoseconds{value});
  std::sort(values.begin(), values.end());
  for (const double share : {0.01, 0.5, 0.9, 0.99, 1.0}) {
    const auto rank = std::max<std::size_t>(
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))), 1);
    const auto exact = static_cast<double>(values[rank - 1]);
    const auto found = static_cast<double>(h.percentile(share).count());
    RC_ASSERT(found >= exact);
    RC_ASSERT(found <= exact * 1.01);
  }
}

} // namespace
