// backoff: how long to wait after failure n.
//
// Lives here: backoff_options, backoff.
// Holds:   the n-th delay is drawn evenly from [least, min(cap, first * factor^(n-1))] ("full jitter"),
//          so that clients which lost the same server do not come back together. The same seed gives the
//          same delays.
// Threads: belongs to one owner; reads no clock.
// Units:   milliseconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace troupe::runtime {

struct backoff_options {
  std::chrono::milliseconds first{200};
  std::chrono::milliseconds cap{30'000};
  std::chrono::milliseconds least{10};
  double factor = 2.0;
};

class backoff {
public:
  backoff(backoff_options options, std::uint64_t seed) noexcept;

  /// One more failure: the delay before the next try.
  std::chrono::milliseconds next() noexcept;
  /// It worked: the next failure is the first.
  void reset() noexcept;
  /// Failures since the last reset.
  std::uint32_t failures() const noexcept { return failures_; }

private:
  std::uint64_t draw() noexcept;

  backoff_options options_;
  double ceiling_;
  std::uint64_t state_;
  std::uint32_t failures_ = 0;
};

} // namespace troupe::runtime
