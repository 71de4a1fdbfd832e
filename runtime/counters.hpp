// counters: counts that many write seldom, or one writes often.
//
// Lives here: tally (anybody adds), own_tally (one thread adds, anybody reads).
// Threads: value() may be called by anybody at any time; it is as old as the last look at memory.
// Costs:   own_tally::add is a plain addition; tally::add one atomic step: keep it off the hot path.
#pragma once

#include <atomic>
#include <cstdint>

namespace troupe::runtime {

class tally {
public:
  void add(std::uint64_t count) noexcept { value_.fetch_add(count, std::memory_order_relaxed); }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> value_{0}; // written by anybody
};

class own_tally {
public:
  void add(std::uint64_t count) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  /// Keeps the larger of what it was and `seen`.
  void at_least(std::uint64_t seen) noexcept {
    if (seen > value()) value_.store(seen, std::memory_order_relaxed);
  }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> value_{0}; // written by one thread only
};

} // namespace troupe::runtime
