// handler_gate: whether a handler may run, and how its owner waits until it does not.
//
// Lives here: handler_gate.
// Holds:   after close() has returned the handler is not running and never will again, except further up
//          on the very thread that called close(): from inside the handler, close() does not wait.
// Threads: enter and leave on the thread that runs the handler, one at a time; close on any.
// Costs:   two atomic steps for a run of messages; is_closed() is a plain load.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace troupe::actors {

class handler_gate {
public:
  /// False: closed, do not run.
  [[nodiscard]] bool enter() noexcept {
    runner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    if ((state_.fetch_or(running, std::memory_order_acq_rel) & closed) == 0) return true;
    leave();
    return false;
  }
  void leave() noexcept {
    if ((state_.fetch_and(~running, std::memory_order_acq_rel) & closed) != 0) state_.notify_all();
  }
  bool is_closed() const noexcept { return (state_.load(std::memory_order_relaxed) & closed) != 0; }
  /// Nothing enters any more; does not wait.
  void shut() noexcept { state_.fetch_or(closed, std::memory_order_acq_rel); }
  /// Shuts, and waits for the run that is going on.
  void close() noexcept {
    std::uint32_t seen = state_.fetch_or(closed, std::memory_order_acq_rel) | closed;
    if ((seen & running) != 0 && runner_.load(std::memory_order_relaxed) == std::this_thread::get_id())
      return;
    for (; (seen & running) != 0; seen = state_.load(std::memory_order_acquire))
      state_.wait(seen, std::memory_order_acquire);
  }

private:
  static constexpr std::uint32_t running = 1;
  static constexpr std::uint32_t closed = 2;

  std::atomic<std::uint32_t> state_{0};
  std::atomic<std::thread::id> runner_{}; // written by enter before `running` is seen
};

} // namespace troupe::actors
