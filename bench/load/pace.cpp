#include "pace.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::bench {

double pace::next() {
  const std::uint64_t number = number_++;
  if (!options_.poisson) {
    const std::uint64_t burst = std::max<std::uint32_t>(options_.burst, 1);
    return time_of(static_cast<double>(number - number % burst)) * 1e9;
  }
  const double due = time_of(messages_) * 1e9;
  const double share = static_cast<double>(chance_() >> 11U) * 0x1p-53; // [0, 1)
  messages_ -= std::log1p(-share);
  return due;
}

double pace::time_of(double messages) const noexcept {
  const double span = std::chrono::duration<double>{options_.ramp_time}.count();
  if (span <= 0 || messages <= 0) return messages / options_.rate;
  // While it rises, t seconds see from * t + slope * t^2 / 2 messages.
  const double from = options_.ramp_from;
  const double in_ramp = (from + options_.rate) / 2 * span;
  if (messages >= in_ramp) return span + (messages - in_ramp) / options_.rate;
  const double slope = (options_.rate - from) / span;
  return 2 * messages / (from + std::sqrt(from * from + 2 * slope * messages));
}

} // namespace troupe::bench
