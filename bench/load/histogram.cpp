#include "histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace troupe::bench {

histogram::histogram() : buckets_{std::make_unique<buckets>()} {}

std::size_t histogram::bucket_of(std::uint64_t value) noexcept {
  if (value < 2 * steps) return static_cast<std::size_t>(value);
  const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - step_bits - 1;
  return shift * steps + static_cast<std::size_t>(value >> shift);
}

std::uint64_t histogram::upper_end(std::size_t bucket) noexcept {
  if (bucket < 2 * steps) return bucket;
  const std::size_t shift = bucket / steps - 1;
  const std::uint64_t first = bucket - shift * steps;
  return (first << shift) + ((std::uint64_t{1} << shift) - 1);
}

void histogram::record(duration value, std::uint64_t times) noexcept {
  if (times == 0) return;
  const auto nanoseconds = static_cast<std::uint64_t>(std::max<duration::rep>(value.count(), 0));
  (*buckets_)[bucket_of(nanoseconds)] += times;
  count_ += times;
  smallest_ = std::min(smallest_, nanoseconds);
  largest_ = std::max(largest_, nanoseconds);
  sum_ += static_cast<double>(nanoseconds) * static_cast<double>(times);
}

void histogram::merge(const histogram& other) noexcept {
  for (std::size_t i = 0; i < bucket_count; ++i) (*buckets_)[i] += (*other.buckets_)[i];
  count_ += other.count_;
  smallest_ = std::min(smallest_, other.smallest_);
  largest_ = std::max(largest_, other.largest_);
  sum_ += other.sum_;
}

void histogram::clear() noexcept {
  buckets_->fill(0);
  count_ = 0;
  smallest_ = UINT64_MAX;
  largest_ = 0;
  sum_ = 0;
}

histogram::duration histogram::smallest() const noexcept {
  return duration{count_ == 0 ? 0 : static_cast<duration::rep>(smallest_)};
}

double histogram::mean() const noexcept { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

histogram::duration histogram::percentile(double share) const noexcept {
  if (count_ == 0) return duration{0};
  const double wanted = std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(count_));
  const auto rank = std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < bucket_count; ++i) {
    seen += (*buckets_)[i];
    if (seen >= rank) return duration{static_cast<duration::rep>(std::min(upper_end(i), largest_))};
  }
  return largest();
}

} // namespace troupe::bench
