#include <troupe/bench/load/arrival.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace {

using troupe::bench::arrival;
using clock = std::chrono::steady_clock;

TEST(arrival, answers_at_once_when_the_count_is_there) {
  arrival a;
  a.arm(2);
  a.at(1);
  a.at(2);
  EXPECT_TRUE(a.await(2, clock::now()));
}

TEST(arrival, gives_up_at_the_deadline) {
  arrival a;
  a.arm(2);
  a.at(1);
  EXPECT_FALSE(a.await(2, clock::now()));
  EXPECT_EQ(a.told(), 0U);
}

TEST(arrival, tells_progress_at_every_stride) {
  arrival a;
  a.arm(100, 8);
  for (std::uint32_t i = 1; i <= 17; ++i) a.at(i);
  EXPECT_EQ(a.told(), 16U);
}

TEST(arrival, wakes_who_sleeps) {
  for (int round = 0; round < 200; ++round) {
    arrival a;
    a.arm(1'000);
    std::thread counting{[&a] {
      for (std::uint32_t i = 1; i <= 1'000; ++i) a.at(i);
    }};
    EXPECT_TRUE(a.await(1'000, clock::now() + std::chrono::seconds{60}));
    counting.join();
  }
}

} // namespace
