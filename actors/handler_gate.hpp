// handler_gate: whether a handler may run, and how its owner waits until it does not.
//
// Lives here: handler_gate; gates_of_a_thread, by which it knows that it is called from inside.
// Holds:   after close() has returned the handler is not running and never will again, except further up
//          on the very thread that called close(): from inside the handler, close() does not wait, nor
//          for those that run beside it.
// Threads: enter and leave on the threads that run the handler; close on any.
// Costs:   two atomic steps for a run of messages; is_closed() is a plain load.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace troupe::actors {

class handler_gate;

/// The gates that a thread is inside of: a handler may call for another one, not for many.
class gates_of_a_thread {
public:
  void push(const handler_gate* gate) noexcept {
    if (depth_ < gates_.size()) gates_[depth_] = gate;
    ++depth_;
  }
  void pop() noexcept { --depth_; }
  bool has(const handler_gate* gate) const noexcept {
    const auto end = gates_.begin() + static_cast<std::ptrdiff_t>(std::min(depth_, gates_.size()));
    return std::find(gates_.begin(), end, gate) != end;
  }

private:
  std::array<const handler_gate*, 16> gates_{};
  std::size_t depth_ = 0;
};

class handler_gate {
public:
  /// False: closed, do not run.
  [[nodiscard]] bool enter() noexcept {
    if ((state_.fetch_add(one_run, std::memory_order_acq_rel) & closed) == 0) {
      inside_.push(this);
      return true;
    }
    end_run();
    return false;
  }
  void leave() noexcept {
    inside_.pop();
    end_run();
  }
  bool is_closed() const noexcept { return (state_.load(std::memory_order_relaxed) & closed) != 0; }
  /// Nothing enters any more; does not wait.
  void shut() noexcept { state_.fetch_or(closed, std::memory_order_acq_rel); }
  /// Shuts, and waits for the runs that go on.
  void close() noexcept {
    std::uint32_t seen = state_.fetch_or(closed, std::memory_order_acq_rel) | closed;
    if (inside_.has(this)) return;
    for (; seen != closed; seen = state_.load(std::memory_order_acquire))
      state_.wait(seen, std::memory_order_acquire);
  }

private:
  static constexpr std::uint32_t closed = 1;
  static constexpr std::uint32_t one_run = 2;

  void end_run() noexcept {
    if ((state_.fetch_sub(one_run, std::memory_order_acq_rel) & closed) != 0) state_.notify_all();
  }

  static inline thread_local gates_of_a_thread inside_;

  std::atomic<std::uint32_t> state_{0}; // runs that go on, and whether it is closed
};

} // namespace troupe::actors
