// doorbell: who has to wake the owner of a mailbox, and when the owner may sleep.
//
// Lives here: the protocol alone, over atomics that a test replaces; no queue, no actor.
// Holds:   no ring is lost: when the owner sleeps, all that was announced has been taken.
//
//     producer                                   owner (one at a time)
//       announce(n): pushed += n, then look        take from the queue, took(n)
//       put n into the queue                       nothing there?  pushed != popped: go round again, never
//       must_ring()? ring                          leave; equal: idle, full fence, look again
//
//     A producer announces *before* he enqueues. One who then sees `active` need not ring: the owner
//     cannot have looked at `pushed` for the last time yet. One who sees `idle` rings after his items
//     lie in the queue, unless another was faster. So one atomic step per push suffices; it also gives
//     every item its place in one order (see ticket), and bounds are kept exactly. The price: while a
//     producer is between announcing and enqueuing, the owner finds nothing and may not leave.
//
//       idle --must_ring (one of the producers)--> active --may_sleep--> idle
//       idle, active --close--> closed (for good)
//
// Threads: announce, withdraw, must_ring: producers. took, may_sleep, close, is_even: the owner.
// Units:   amounts are opaque; two counters may be packed into one as long as their difference fits.
// Costs:   announce: one atomic step. may_sleep: one full fence. took: a plain addition.
#pragma once

#include <atomic>
#include <cstdint>

namespace troupe::runtime {

struct standard_atomics {
  template <class Value>
  using atomic = std::atomic<Value>;
  static void full_fence() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }
};

enum class owner_state : std::uint8_t { idle, active, closed };

template <class Atomics = standard_atomics>
class doorbell {
public:
  using amount = std::uint64_t;

  struct announcement {
    amount before; // everything announced earlier, by all producers
    owner_state seen;
  };

  /// Producer: `count` is about to enter. When the answer has seen `closed`, withdraw it instead.
  announcement announce(amount count) noexcept {
    const auto before = pushed_.fetch_add(count, std::memory_order_seq_cst);
    return {before, state_.load(std::memory_order_seq_cst)};
  }
  /// Producer: what was announced does not come.
  void withdraw(amount count) noexcept { pushed_.fetch_sub(count, std::memory_order_seq_cst); }
  /// Producer, after his items lie in the queue: true for the one who has to ring.
  [[nodiscard]] bool must_ring(const announcement& mine) noexcept {
    if (mine.seen != owner_state::idle) return false;
    auto expected = owner_state::idle;
    return state_.compare_exchange_strong(expected, owner_state::active, std::memory_order_seq_cst);
  }

  /// Owner: `count` has been taken out of the queue.
  void took(amount count) noexcept { popped_ += count; }
  /// Owner: everything announced has been taken.
  [[nodiscard]] bool is_even() const noexcept { return pushed_.load(std::memory_order_acquire) == popped_; }
  /// Owner: true when he is now idle and somebody will ring for the next item; false when he has to
  /// go round again.
  [[nodiscard]] bool may_sleep() noexcept {
    if (!is_even()) return false;
    lie_down();
    Atomics::full_fence();
    return is_even() || !get_up();
  }
  /// Owner: nobody enters any more. What is_even() does not cover yet is still coming, or withdrawn.
  void close() noexcept { state_.exchange(owner_state::closed, std::memory_order_seq_cst); }

  /// Anybody, as a hint.
  [[nodiscard]] owner_state state() const noexcept { return state_.load(std::memory_order_relaxed); }
  [[nodiscard]] amount pushed() const noexcept { return pushed_.load(std::memory_order_relaxed); }

protected:
  // The steps of may_sleep, apart, so that a test can put them in a wrong order.
  void lie_down() noexcept { state_.store(owner_state::idle, std::memory_order_release); }
  /// False when a producer was faster: his ring is on its way.
  bool get_up() noexcept {
    auto expected = owner_state::idle;
    return state_.compare_exchange_strong(expected, owner_state::active, std::memory_order_seq_cst);
  }

private:
  // Producers write pushed_ and read state_ at once, so they share a line; the owner writes state_
  // only when he falls asleep.
  alignas(64) typename Atomics::template atomic<amount> pushed_{0};
  // Written by the owner (idle, closed) and by the one producer who wakes him (active). An owner is
  // born active: his first run looks for himself.
  typename Atomics::template atomic<owner_state> state_{owner_state::active};
  alignas(64) amount popped_ = 0; // the owner's
};

} // namespace troupe::runtime
