#include "open_loop.hpp"

#include <chrono>
#include <cmath>

namespace troupe::bench {

open_loop::open_loop(const open_loop_options& options, publisher_list& publishers, load_meter& meter)
    : options_{options},
      publishers_{publishers},
      meter_{meter},
      chance_{options.seed},
      thread_{[this](const std::stop_token& end) { work(end); }} {}

void open_loop::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

double open_loop::next_gap() {
  const double even = 1e9 / options_.rate;
  if (!options_.poisson) return even;
  const double share = static_cast<double>(chance_() >> 11U) * 0x1p-53; // [0, 1)
  return -std::log1p(-share) * even;
}

bool open_loop::send(std::int64_t due) {
  for (std::size_t tried = 0; tried < publishers_.size(); ++tried) {
    load_publisher& next = *publishers_[turn_];
    turn_ = (turn_ + 1) % publishers_.size();
    if (next.send_due(due)) return true;
  }
  return false;
}

void open_loop::wait_until(std::int64_t due, const std::stop_token& end) {
  const std::chrono::steady_clock::time_point then{std::chrono::nanoseconds{due}}; // as now_ns() counts
  std::unique_lock lock{mutex_};
  due_.wait_until(lock, end, then, [] { return false; });
}

void open_loop::work(const std::stop_token& end) {
  const std::int64_t start = now_ns();
  double due = 0; // since the start; a sum of gaps keeps its precision for years
  while (!end.stop_requested()) {
    const std::int64_t at = start + static_cast<std::int64_t>(due);
    const std::int64_t late = now_ns() - at;
    if (late < 0) {
      wait_until(at, end);
      continue;
    }
    if (!send(at)) break;
    if (meter_.is_measured(at)) meter_.lag.record(late);
    due += next_gap();
  }
  is_over_.store(true, std::memory_order_release);
}

} // namespace troupe::bench
