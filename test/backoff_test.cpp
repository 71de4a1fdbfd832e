#include <troupe/runtime/backoff.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

using troupe::runtime::backoff;
using troupe::runtime::backoff_options;
using namespace std::chrono_literals;

TEST(backoff, stays_below_a_ceiling_that_doubles_up_to_the_cap) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    backoff delays{{.first = 100ms, .cap = 1500ms, .least = 10ms, .factor = 2.0}, seed};
    for (auto ceiling : {100ms, 200ms, 400ms, 800ms, 1500ms, 1500ms, 1500ms}) {
      const auto delay = delays.next();
      EXPECT_GE(delay, 10ms);
      EXPECT_LE(delay, ceiling + 0ms);
    }
  }
}

TEST(backoff, uses_the_whole_range) {
  backoff delays{{.first = 1000ms, .cap = 1000ms, .least = 0ms}, 7};
  auto smallest = 1000ms;
  auto largest = 0ms;
  for (int i = 0; i < 1000; ++i) {
    const auto delay = delays.next();
    smallest = std::min(smallest, delay);
    largest = std::max(largest, delay);
  }
  EXPECT_LT(smallest, 20ms);
  EXPECT_GT(largest, 980ms);
}

TEST(backoff, repeats_itself_for_the_same_seed_and_differs_for_others) {
  std::set<std::chrono::milliseconds> firsts;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    backoff one{{.first = 10'000ms}, seed};
    backoff two{{.first = 10'000ms}, seed};
    const auto delay = one.next();
    EXPECT_EQ(delay, two.next());
    firsts.insert(delay);
  }
  EXPECT_GT(firsts.size(), 15U);
}

TEST(backoff, begins_again_after_success) {
  backoff delays{{.first = 50ms, .cap = 60'000ms}, 3};
  for (int i = 0; i < 12; ++i) static_cast<void>(delays.next());
  EXPECT_EQ(delays.failures(), 12U);
  delays.reset();
  EXPECT_EQ(delays.failures(), 0U);
  EXPECT_LE(delays.next(), 50ms);
}

TEST(backoff, survives_settings_that_make_no_sense) {
  backoff delays{{.first = -5ms, .cap = -1ms, .least = -1ms, .factor = 0.0}, 1};
  for (int i = 0; i < 2000; ++i) EXPECT_EQ(delays.next(), 0ms);
  backoff endless{{.first = 1ms, .cap = std::chrono::milliseconds::max(), .least = 0ms, .factor = 1e300}, 1};
  for (int i = 0; i < 100; ++i) EXPECT_GE(endless.next(), 0ms);
}

} // namespace
