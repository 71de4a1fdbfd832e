// pending: an outcome that will be there later; pooled, and free to be thrown away.
//
// Lives here: pending<outcome>; settlement_block, the cells in which outcomes arrive.
// Holds:   a cell is used again when it was settled and its pending is gone. Blocks belong to the
//          stage; one that still has a pending when its stage ends is left to that pending.
// Threads: a pending belongs to one thread at a time. In a cell: `settled` and `details` are written
//          by the session before it stores the round in `settled`; `gone` is written by the pending.
// Errors:  get() on a worker answers errc::would_deadlock when the outcome is not there yet.
// Costs:   16 octets; no reference count: one store when it is consumed or thrown away.
#pragma once

#include "outcome.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace troupe {

namespace actors {

class parking;

/// Cells for outcomes. A cell is in round n when it is used for the n-th time (modulo 128, never 0
/// before its first use). Kept as three arrays, so that a burst of plain successes touches few lines.
struct settlement_block {
  static constexpr std::uint8_t detailed = 0x80; // in `settled`: look into `details`

  struct detail {
    std::error_code error{};
    protocol::reason_code reason{};
    protocol::initiator by{};
  };

  std::uint32_t size = 0;
  parking* waiting = nullptr;                           // where threads wait for cells of this block
  std::unique_ptr<std::atomic<std::uint8_t>[]> settled; // round last settled, by the session
  std::unique_ptr<std::atomic<std::uint8_t>[]> gone;    // round last given up, by the pending
  std::unique_ptr<detail[]> details;

  bool is_settled(std::uint32_t at, std::uint8_t round) const noexcept {
    return (settled[at].load(std::memory_order_acquire) & 0x7FU) == round;
  }
  outcome read(std::uint32_t at) const noexcept;
};

/// Waits until the cell is settled or the time is over; false when it is not settled.
bool wait_settled(settlement_block& block, std::uint32_t at, std::uint8_t round,
                  std::chrono::steady_clock::time_point until) noexcept;
/// Whether the calling thread is a worker, which must not wait.
bool on_worker() noexcept;

} // namespace actors

template <class T>
class pending;

template <>
class pending<outcome> {
public:
  pending() noexcept = default;
  /// For rooms of this library.
  pending(actors::settlement_block* block, std::uint32_t at, std::uint8_t round) noexcept
      : block_{block}, at_{at}, round_{round} {}
  pending(pending&& other) noexcept
      : block_{std::exchange(other.block_, nullptr)}, at_{other.at_}, round_{other.round_} {}
  pending& operator=(pending&& other) noexcept {
    if (this != &other) {
      give_up();
      block_ = std::exchange(other.block_, nullptr);
      at_ = other.at_;
      round_ = other.round_;
    }
    return *this;
  }
  ~pending() { give_up(); }

  /// Whether there is an outcome to wait for: false after get() and for a default-constructed one.
  bool valid() const noexcept { return block_ != nullptr; }
  /// Whether get() would answer at once.
  bool done() const noexcept { return block_ == nullptr || block_->is_settled(at_, round_); }
  /// Waits and answers, once. On a worker it never waits: errc::would_deadlock, and the pending
  /// stays valid.
  outcome get();
  /// Waits at most `time`; answers done(). On a worker it does not wait.
  bool wait_for(std::chrono::nanoseconds time) const;

private:
  void give_up() noexcept {
    if (block_ != nullptr) block_->gone[at_].store(round_, std::memory_order_release);
  }

  actors::settlement_block* block_ = nullptr;
  std::uint32_t at_ = 0;
  std::uint8_t round_ = 0;
};

} // namespace troupe
