// wait_spot: where outside threads sleep until something has happened.
//
// Lives here: wait_spot; the two futex calls it is made of.
// Holds:   a thread that found its condition false before sleeping is woken by every wake() that
//          follows a change of that condition.
// Threads: wait on any outside thread, several at once; wake by whoever changes conditions.
// Costs:   wake: a fence and a load while nobody sleeps. No lock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace troupe::actors {

/// Sleeps while `bell` holds `seen`, at most until `until`; may return early.
void futex_wait(std::atomic<std::uint32_t>& bell, std::uint32_t seen,
                std::chrono::steady_clock::time_point until) noexcept;
void futex_wake_all(std::atomic<std::uint32_t>& bell) noexcept;

class wait_spot {
public:
  /// Waits until `condition()`; false when it was still false at `until`.
  template <class Condition>
  bool wait(std::chrono::steady_clock::time_point until, Condition condition) noexcept {
    if (condition()) return true;
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    bool is_met = false;
    for (;;) {
      const std::uint32_t seen = bell_.load(std::memory_order_acquire);
      is_met = condition();
      if (is_met || std::chrono::steady_clock::now() >= until) break;
      futex_wait(bell_, seen, until);
    }
    sleepers_.fetch_sub(1, std::memory_order_release);
    return is_met;
  }
  /// To be called after a condition may have become true.
  void wake() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_relaxed) == 0) return;
    bell_.fetch_add(1, std::memory_order_release);
    futex_wake_all(bell_);
  }

private:
  std::atomic<std::uint32_t> sleepers_{0}; // threads in wait()
  std::atomic<std::uint32_t> bell_{0};     // what they sleep on
};

} // namespace troupe::actors
