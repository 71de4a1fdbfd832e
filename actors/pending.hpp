// pending: an outcome that will be there later; pooled, and free to be thrown away.
//
// Lives here: pending<outcome>.
// Holds:   a view of one cell of a settlement_block. It may outlive its client; one that outlives its
//          stage keeps its block from being freed, and nothing else.
// Threads: a pending belongs to one thread at a time.
// Errors:  get() on a worker answers errc::would_deadlock when the outcome is not there yet. After cancel()
//          the outcome is errc::cancelled, by the user, or how the operation had ended before.
// Costs:   16 octets; no reference count: one store when it is consumed or thrown away.
#pragma once

#include "outcome.hpp"
#include "settlement.hpp"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <utility>

namespace troupe {

template <class T>
class pending;

template <>
class pending<outcome> {
public:
  pending() noexcept = default;
  /// For rooms of this library.
  explicit pending(const actors::cell& where) noexcept
      : block_{where.block}, at_{where.at}, round_{where.round} {}
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
  /// The same, but for cancel() when a stop is requested meanwhile.
  outcome get(std::stop_token stop);
  /// Stops waiting, and answers soon. A publish that has not been sent never is; one that has been goes on,
  /// and its acknowledgement is harmless; likewise everything else that was begun. Never waits.
  void cancel() const;
  /// Waits at most `time`; answers done(). On a worker it does not wait.
  bool wait_for(std::chrono::nanoseconds time) const;

private:
  void give_up() noexcept {
    if (block_ != nullptr) block_->give_up(at_, round_);
  }

  actors::settlement_block* block_ = nullptr;
  std::uint32_t at_ = 0;
  std::uint8_t round_ = 0;
};

} // namespace troupe
