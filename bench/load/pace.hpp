// pace: when the messages of an open loop are due.
//
// Lives here: pace_options, pace.
// Holds:   message k is due at a time that depends on nothing but k, the options and the seed. A ramp raises
//          the rate evenly from `ramp_from` to `rate` and keeps it there; bursts let `burst` messages be due
//          at once, as often as the rate allows.
// Units:   nanoseconds since the beginning, as double: a sum of gaps keeps its precision for years.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace troupe::bench {

struct pace_options {
  double rate = 1; // messages a second
  bool poisson = false;
  std::uint64_t seed = 42;
  std::uint32_t burst = 1;
  double ramp_from = 0;
  std::chrono::milliseconds ramp_time{0}; // 0: no ramp
};

class pace {
public:
  explicit pace(const pace_options& options) noexcept : options_{options}, chance_{options.seed} {}

  /// The first is due at once.
  double next();

private:
  /// When so many messages should have been due, by the rate alone.
  double time_of(double messages) const noexcept;

  pace_options options_;
  std::mt19937_64 chance_;
  std::uint64_t number_ = 0;
  double messages_ = 0; // at random: how many there should have been when the next is due
};

} // namespace troupe::bench
