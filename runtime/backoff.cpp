#include "backoff.hpp"

#include <algorithm>

namespace troupe::runtime {

backoff::backoff(backoff_options options, std::uint64_t seed) noexcept
    : options_{options}, ceiling_{static_cast<double>(options.first.count())}, state_{seed} {}

std::chrono::milliseconds backoff::next() noexcept {
  ++failures_;
  const std::int64_t least = std::max<std::int64_t>(options_.least.count(), 0);
  const std::int64_t cap = std::max<std::int64_t>(options_.cap.count(), least);
  const double ceiling = std::clamp(ceiling_, static_cast<double>(least), static_cast<double>(cap));
  ceiling_ = ceiling * std::max(options_.factor, 1.0);
  // 53 random bits make a fraction of [0, 1) exactly.
  const double fraction = static_cast<double>(draw() >> 11U) * 0x1.0p-53;
  const double delay = static_cast<double>(least) + fraction * (ceiling - static_cast<double>(least) + 1.0);
  return std::chrono::milliseconds{std::min(static_cast<std::int64_t>(delay), cap)};
}

void backoff::reset() noexcept {
  failures_ = 0;
  ceiling_ = static_cast<double>(options_.first.count());
}

// splitmix64: any seed will do, zero included.
std::uint64_t backoff::draw() noexcept {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31U);
}

} // namespace troupe::runtime
