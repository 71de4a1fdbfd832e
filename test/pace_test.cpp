#include <troupe/bench/load/pace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using namespace std::chrono_literals;
using troupe::bench::pace;
using troupe::bench::pace_options;

std::vector<double> first(std::size_t count, const pace_options& options) {
  pace schedule{options};
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) times.push_back(schedule.next());
  return times;
}

TEST(pace, spaces_evenly) { EXPECT_EQ(first(4, {.rate = 1'000}), (std::vector<double>{0, 1e6, 2e6, 3e6})); }

TEST(pace, lets_bursts_be_due_at_once_and_keeps_the_rate) {
  EXPECT_EQ(first(7, {.rate = 3'000, .burst = 3}), (std::vector<double>{0, 0, 0, 1e6, 1e6, 1e6, 2e6}));
}

TEST(pace, rises_evenly_and_stays) {
  // From 0 to 100 in two seconds: 100 messages, of which a quarter in the first half.
  const auto times = first(301, {.rate = 100, .ramp_from = 0, .ramp_time = 2s});
  EXPECT_DOUBLE_EQ(times[0], 0);
  EXPECT_NEAR(times[25], 1e9, 1);
  EXPECT_NEAR(times[100], 2e9, 1);
  EXPECT_NEAR(times[300], 4e9, 1);
  const auto flat = first(3, {.rate = 10, .ramp_from = 10, .ramp_time = 1s});
  EXPECT_NEAR(flat[2], 2e8, 1);
}

TEST(pace, is_the_same_for_the_same_seed_and_has_the_rate_on_average) {
  const pace_options options{.rate = 1'000, .poisson = true, .seed = 7};
  const auto times = first(20'000, options);
  EXPECT_EQ(times, first(20'000, options));
  EXPECT_NE(times, first(20'000, {.rate = 1'000, .poisson = true, .seed = 8}));
  EXPECT_NEAR(times.back(), 20e9, 1e9);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
}

} // namespace
