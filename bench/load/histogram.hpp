// histogram: how often which latency was seen, over any span, in fixed memory.
//
// Lives here: histogram, logarithmic buckets with linear steps inside (a form of high dynamic range
//          histogram).
// Holds:   every recorded value lies in a bucket that is at most 1/128 of the value wide; smallest,
//          largest and mean are exact. Two histograms of different threads or runs can be merged.
// Threads: belongs to one thread.
// Units:   nanoseconds inside, std::chrono at the door.
// Costs:   record is a few instructions, no branch but the bound's; 60 KB of memory, taken once.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace troupe::bench {

class histogram {
public:
  using duration = std::chrono::nanoseconds;

  histogram();

  void record(duration value) noexcept { record(value, 1); }
  /// The same value `times` times. Negative values count as zero.
  void record(duration value, std::uint64_t times) noexcept;
  void merge(const histogram& other) noexcept;
  void clear() noexcept;

  std::uint64_t count() const noexcept { return count_; }
  duration smallest() const noexcept;
  duration largest() const noexcept { return duration{static_cast<duration::rep>(largest_)}; }
  /// In nanoseconds; zero when nothing was recorded.
  double mean() const noexcept;
  /// The value that `share` (0..1) of all values do not exceed: the upper end of its bucket, but never
  /// more than the largest value. Zero when nothing was recorded.
  duration percentile(double share) const noexcept;

  /// Calls f(upper end in nanoseconds, count) for every bucket that is not empty, in order.
  template <class F>
  void for_each_bucket(F f) const {
    for (std::size_t i = 0; i < bucket_count; ++i)
      if ((*buckets_)[i] != 0) f(upper_end(i), (*buckets_)[i]);
  }
  /// Puts back what the buckets of a histogram that was written down do not know.
  void restore(duration smallest, duration largest, double mean) noexcept {
    smallest_ = static_cast<std::uint64_t>(smallest.count());
    largest_ = static_cast<std::uint64_t>(largest.count());
    sum_ = mean * static_cast<double>(count_);
  }

  // The first 256 values have buckets of their own; above, each power of two has 128 steps.
  static constexpr unsigned step_bits = 7;
  static constexpr std::size_t steps = std::size_t{1} << step_bits;
  static constexpr std::size_t bucket_count = (64 - step_bits + 1) * steps;
  static std::size_t bucket_of(std::uint64_t value) noexcept;
  static std::uint64_t upper_end(std::size_t bucket) noexcept;
  static std::uint64_t lower_end(std::size_t bucket) noexcept {
    return bucket == 0 ? 0 : upper_end(bucket - 1) + 1;
  }

private:
  using buckets = std::array<std::uint64_t, bucket_count>;

  std::unique_ptr<buckets> buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t smallest_ = UINT64_MAX;
  std::uint64_t largest_ = 0;
  double sum_ = 0;
};

} // namespace troupe::bench
