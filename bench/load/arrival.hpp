// arrival: one thread counts, another waits, then sleeps, until the count is high enough, or a deadline passes.
//
// Lives here: arrival.
// Holds:   the counting thread looks at nobody's memory but its own until a number is due: the last one
//          expected, or a multiple of the stride.
// Threads: arm() and await() by the waiting thread, while nobody counts respectively at any time;
//          at() by the counting thread.
// Costs:   at(): two comparisons; a system call only when somebody sleeps. No mutex, so that the count
//          of mutexes stays that of the library.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace troupe::bench {

class arrival {
public:
  /// Numbers start over. `stride` (a power of two, or 0 for none): how often progress is told.
  void arm(std::uint32_t expected, std::uint32_t stride = 0) noexcept;
  /// The count is now `number`; called with every number from 1 on.
  void at(std::uint64_t number) noexcept {
    if (number == expected_ || (number & mask_) == 0) [[unlikely]]
      tell(static_cast<std::uint32_t>(number));
  }
  /// Returns true when the count told has reached `number`, false at the deadline.
  bool await(std::uint32_t number, std::chrono::steady_clock::time_point deadline) noexcept;
  /// The count told last.
  std::uint32_t told() const noexcept { return told_.load(std::memory_order_acquire); }

private:
  void tell(std::uint32_t number) noexcept;

  std::uint64_t expected_ = 0;
  std::uint64_t mask_ = UINT64_MAX;
  // Written by the counting thread, read by the waiting one; against sleeping_ in sequential order.
  alignas(64) std::atomic<std::uint32_t> told_{0};
  alignas(64) std::atomic<std::uint32_t> sleeping_{0}; // written by the waiting thread
};

} // namespace troupe::bench
