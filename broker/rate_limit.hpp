// rate_limit: so many a second, and no more than that at once.
//
// Lives here: rate_limit.
// Holds:   at most `rate` may pass within any moment, and `rate` more with every second that went by.
// Threads: belongs to one shard.
// Units:   events per second; 0 = any number.
#pragma once

#include "../protocol/vocabulary.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace troupe::brokerage {

class rate_limit {
public:
  explicit rate_limit(std::size_t rate) noexcept : rate_{static_cast<double>(rate)}, left_{rate_} {}

  /// Whether one more may pass at `now`, which does not go back.
  bool pass(protocol::time_point now) noexcept {
    if (rate_ == 0) return true;
    const double seconds = std::chrono::duration<double>(now - last_).count();
    left_ = std::min(rate_, left_ + std::max(0.0, seconds) * rate_);
    last_ = now;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

private:
  double rate_;
  double left_;
  protocol::time_point last_{};
};

} // namespace troupe::brokerage
