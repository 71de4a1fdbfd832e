// interrupt: a run that is interrupted ends early, but in order, with its summary.
//
// Lives here: interrupt.
// Holds:   SIGINT and SIGTERM are held back while it lives, in every thread that is started meanwhile; the
//          first one is taken by wait(). A second one ends the process at once.
// Threads: construct before other threads are started; wait() on the constructing thread.
#pragma once

#include <chrono>
#include <csignal>

namespace troupe::bench {

class interrupt {
public:
  interrupt();
  ~interrupt();
  interrupt(const interrupt&) = delete;
  interrupt& operator=(const interrupt&) = delete;

  /// Waits for a signal, at most that long; answers whether one came, at once when it came before.
  bool wait(std::chrono::nanoseconds time);
  /// SIGINT or SIGTERM; 0: none came.
  int signal() const noexcept { return signal_; }

private:
  sigset_t ours_{};
  sigset_t before_{};
  int signal_ = 0;
};

} // namespace troupe::bench
