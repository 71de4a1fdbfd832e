#include "open_loop.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::bench {
namespace {
constexpr std::int64_t longest_nap = 20'000'000; // a stop is noticed within it
} // namespace

open_loop::open_loop(const open_loop_options& options, publisher_list& publishers, load_meter& meter)
    : options_{options}, publishers_{publishers}, meter_{meter}, chance_{options.seed}, thread_{[this] {
        work();
      }} {}

open_loop::~open_loop() { stop(); }

void open_loop::stop() {
  is_stopped_.store(true, std::memory_order_release);
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

void open_loop::work() {
  const std::int64_t start = now_ns();
  double due = 0; // since the start; a sum of gaps keeps its precision for years
  while (!is_stopped_.load(std::memory_order_acquire)) {
    const std::int64_t at = start + static_cast<std::int64_t>(due);
    const std::int64_t wait = at - now_ns();
    if (wait > 0) {
      std::this_thread::sleep_for(std::chrono::nanoseconds{std::min(wait, longest_nap)});
      continue;
    }
    if (!send(at)) break;
    if (meter_.is_measured(at)) meter_.lag.record(-wait);
    due += next_gap();
  }
  is_over_.store(true, std::memory_order_release);
}

} // namespace troupe::bench
