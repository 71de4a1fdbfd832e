#include "shared_histogram.hpp"

#include <algorithm>

namespace troupe::bench {

shared_histogram::shared_histogram()
    : counts_{std::make_unique<std::array<std::atomic<std::uint64_t>, histogram::bucket_count>>()},
      taken_{std::make_unique<std::array<std::uint64_t, histogram::bucket_count>>()} {}

histogram shared_histogram::take() {
  histogram result;
  for (std::size_t i = 0; i < histogram::bucket_count; ++i) {
    const std::uint64_t now = (*counts_)[i].load(std::memory_order_relaxed);
    const std::uint64_t fresh = now - (*taken_)[i];
    if (fresh == 0) continue;
    (*taken_)[i] = now;
    const std::uint64_t largest = largest_.load(std::memory_order_relaxed);
    const std::uint64_t value = std::min(histogram::upper_end(i), std::max(largest, histogram::lower_end(i)));
    result.record(histogram::duration{static_cast<histogram::duration::rep>(value)}, fresh);
  }
  return result;
}

} // namespace troupe::bench
