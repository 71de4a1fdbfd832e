#include "open_loop.hpp"

#include <chrono>

namespace troupe::bench {

open_loop::open_loop(const pace_options& options, publisher_list& publishers, load_meter& meter)
    : pace_{options}, publishers_{publishers}, meter_{meter}, thread_{[this](const std::stop_token& end) {
        work(end);
      }} {}

void open_loop::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

open_loop::sending open_loop::send(std::int64_t due) {
  bool is_anybody_full = false;
  for (std::size_t tried = 0; tried < publishers_.size(); ++tried) {
    load_publisher& next = *publishers_[turn_];
    turn_ = (turn_ + 1) % publishers_.size();
    if (!next.has_room_for_due() && !next.is_done())
      is_anybody_full = true;
    else if (next.send_due(due))
      return sending::sent;
  }
  return is_anybody_full ? sending::full : sending::over;
}

open_loop::sending open_loop::send_when_there_is_room(std::int64_t due, const std::stop_token& end) {
  sending how = send(due);
  while (how == sending::full && !end.stop_requested()) {
    meter_.is_room_wanted.store(true, std::memory_order_seq_cst);
    how = send(due); // it may have come meanwhile
    if (how == sending::full) meter_.room.wait_until(std::chrono::steady_clock::now() + news::tick);
  }
  meter_.is_room_wanted.store(false, std::memory_order_relaxed);
  return how;
}

void open_loop::wait_until(std::int64_t due, const std::stop_token& end) {
  const std::chrono::steady_clock::time_point then{std::chrono::nanoseconds{due}}; // as now_ns() counts
  std::unique_lock lock{mutex_};
  due_.wait_until(lock, end, then, [] { return false; });
}

void open_loop::work(const std::stop_token& end) {
  const std::int64_t start = now_ns();
  double due = pace_.next(); // since the start
  while (!end.stop_requested()) {
    const std::int64_t at = start + static_cast<std::int64_t>(due);
    const std::int64_t late = now_ns() - at;
    if (late < 0) {
      wait_until(at, end);
      continue;
    }
    if (send_when_there_is_room(at, end) != sending::sent) break;
    if (meter_.is_measured(at)) meter_.lag.record(late);
    due = pace_.next();
  }
  is_over_.store(true, std::memory_order_release);
}

} // namespace troupe::bench
