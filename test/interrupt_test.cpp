#include <troupe/bench/load/interrupt.hpp>

#include <gtest/gtest.h>

#include <csignal>

namespace {

using namespace std::chrono_literals;
using troupe::bench::interrupt;

TEST(interrupt, waits_for_no_longer_than_the_signal_and_not_at_all_after_it) {
  interrupt signals;
  EXPECT_FALSE(signals.wait(0ns));
  EXPECT_EQ(signals.signal(), 0);
  ASSERT_EQ(std::raise(SIGTERM), 0);
  EXPECT_TRUE(signals.wait(1h));
  EXPECT_TRUE(signals.wait(1h));
  EXPECT_EQ(signals.signal(), SIGTERM);
}

} // namespace
