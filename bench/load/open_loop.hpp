// open_loop: sends by the clock, whatever the answers do.
//
// Lives here: open_loop.
// Holds:   message k is due at a time that was fixed when the run began, either evenly spaced or at random
//          (Poisson, from a seed). One that cannot be sent in time is sent as soon as it can be and keeps
//          the time at which it was due; none is left out. Publishers take turns; with a
//          window, those whose window is full are passed over, and when all are, the message waits here.
// Threads: a thread of its own between construction and destruction. It waits for the next due time by the
//          clock, for that is the schedule; stop() ends the wait at once.
// Units:   nanoseconds of the monotonic clock; messages per second.
#pragma once

#include "load_meter.hpp"
#include "load_receiver.hpp"
#include "pace.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>

namespace troupe::bench {

class open_loop {
public:
  open_loop(const pace_options& options, publisher_list& publishers, load_meter& meter);
  open_loop(const open_loop&) = delete;
  open_loop& operator=(const open_loop&) = delete;

  /// No more after this call.
  void stop();
  /// Everything that may be sent was sent.
  bool is_over() const noexcept { return is_over_.load(std::memory_order_acquire); }

private:
  void work(const std::stop_token& end);
  void wait_until(std::int64_t due, const std::stop_token& end);
  enum class sending : std::uint8_t { sent, full, over };
  sending send(std::int64_t due);
  sending send_when_there_is_room(std::int64_t due, const std::stop_token& end);

  pace pace_;
  publisher_list& publishers_;
  load_meter& meter_;
  std::size_t turn_ = 0;
  std::atomic<bool> is_over_{false};
  std::mutex mutex_;                  // for the wait alone
  std::condition_variable_any due_{}; // nobody tells it; a stop ends its wait
  std::jthread thread_;
};

} // namespace troupe::bench
