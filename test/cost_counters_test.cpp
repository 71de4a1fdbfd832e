#include <troupe/bench/load/cost_counters.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>

namespace {

using namespace troupe::bench;

// Keeps the optimiser from seeing that memory is not used.
void* volatile escaped;

TEST(cost_counters, see_every_way_to_ask_for_memory) {
  if (!are_costs_counted()) return; // a sanitizer has these functions
  const costs before = count_costs();
  escaped = std::malloc(100);
  std::free(escaped);
  escaped = std::calloc(3, 5);
  escaped = std::realloc(escaped, 40);
  std::free(escaped);
  escaped = std::aligned_alloc(64, 128);
  std::free(escaped);
  void* aligned = nullptr;
  ASSERT_EQ(::posix_memalign(&aligned, 64, 256), 0);
  escaped = aligned;
  std::free(escaped);
  escaped = ::operator new(7);
  ::operator delete(escaped);
  const costs spent = count_costs() - before;
  EXPECT_EQ(spent.allocations, 6U);
  EXPECT_EQ(spent.allocated_bytes, 100U + 15 + 40 + 128 + 256 + 7);
  EXPECT_EQ(spent.releases, 5U);
}

TEST(cost_counters, answer_as_the_c_library_does) {
  if (!are_costs_counted()) return;
  void* aligned = nullptr;
  EXPECT_NE(::posix_memalign(&aligned, 3, 16), 0);
  ASSERT_EQ(::posix_memalign(&aligned, 4096, 16), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 4096, 0U);
  std::free(aligned);
}

TEST(cost_counters, see_mutexes_of_every_thread) {
  if (!are_costs_counted()) return;
  std::mutex mutex;
  const costs before = count_costs();
  std::thread other{[&mutex] {
    for (int i = 0; i < 10; ++i) std::lock_guard<std::mutex> guard{mutex};
  }};
  other.join();
  if (mutex.try_lock()) mutex.unlock();
  EXPECT_GE((count_costs() - before).mutexes, 11U);
}

} // namespace
