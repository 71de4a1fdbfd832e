// news: word from the workers that something came about, for the one thread that waits for it.
//
// Lives here: news.
// Holds:   what came about is kept by whoever told; it is written before tell(). What was told while nobody
//          waited ends the next wait at once; several at a time are one.
// Threads: tell() any; wait_until() one outside thread. It outlives whoever tells.
// Costs:   a lock each; for what is rare, not for every message.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace troupe::bench {

class news {
public:
  using time_point = std::chrono::steady_clock::time_point;
  /// How often a wait looks up, for the live line and for signals.
  static constexpr std::chrono::milliseconds tick{10};

  void tell() noexcept {
    const std::scoped_lock lock{mutex_};
    is_told_ = true;
    came_.notify_one();
  }

  /// Until something was told since the last call, or until then.
  void wait_until(time_point then) {
    std::unique_lock lock{mutex_};
    came_.wait_until(lock, then, [this] { return is_told_; });
    is_told_ = false;
  }

private:
  std::mutex mutex_;
  std::condition_variable came_;
  bool is_told_ = false; // under mutex_
};

} // namespace troupe::bench
