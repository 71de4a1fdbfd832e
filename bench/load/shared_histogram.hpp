// shared_histogram: a histogram that several threads fill and another reads while they do.
//
// Lives here: shared_histogram.
// Holds:   the buckets of histogram, each an atomic count. A reader takes what came since it looked
//          last, so that every span of time has percentiles of its own.
// Threads: record() any; take() one reader.
// Units:   nanoseconds inside, std::chrono at the door.
// Costs:   record(): one relaxed addition, and another comparison; 60 KB twice.
#pragma once

#include "histogram.hpp"

#include <atomic>
#include <memory>

namespace troupe::bench {

class shared_histogram {
public:
  shared_histogram();

  void record(std::int64_t nanoseconds) noexcept {
    const auto value = static_cast<std::uint64_t>(nanoseconds < 0 ? 0 : nanoseconds);
    (*counts_)[histogram::bucket_of(value)].fetch_add(1, std::memory_order_relaxed);
    auto largest = largest_.load(std::memory_order_relaxed);
    while (value > largest && !largest_.compare_exchange_weak(largest, value, std::memory_order_relaxed)) {}
  }
  /// What came since the last call. Its largest value is exact when it is the largest of all.
  histogram take();

private:
  std::unique_ptr<std::array<std::atomic<std::uint64_t>, histogram::bucket_count>> counts_;
  std::unique_ptr<std::array<std::uint64_t, histogram::bucket_count>> taken_;
  std::atomic<std::uint64_t> largest_{0};
};

} // namespace troupe::bench
