#include <troupe/bench/load/news.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace {

using namespace std::chrono_literals;
using troupe::bench::news;

TEST(news, end_the_next_wait_when_nobody_waited) {
  news told;
  told.tell();
  told.tell();
  const auto until = std::chrono::steady_clock::now() + 1h;
  told.wait_until(until);
  EXPECT_LT(std::chrono::steady_clock::now(), until);
}

TEST(news, are_told_across_threads_with_what_was_written_before) {
  news told;
  std::atomic<int> count{0};
  std::thread worker{[&] {
    for (int n = 0; n != 1'000; ++n) {
      count.fetch_add(1, std::memory_order_release);
      told.tell();
    }
  }};
  while (count.load(std::memory_order_acquire) != 1'000)
    told.wait_until(std::chrono::steady_clock::now() + 1h);
  worker.join();
}

TEST(news, are_not_waited_for_beyond_the_time) {
  news told;
  const auto until = std::chrono::steady_clock::now() + 1ms;
  told.wait_until(until);
  EXPECT_GE(std::chrono::steady_clock::now(), until) << "nobody told anything";
  told.wait_until(until); // past, and it returns
}

} // namespace
