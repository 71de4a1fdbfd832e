// time_histogram: how long things took.
//
// Lives here: time_histogram (what was seen), time_tally (one thread's, read by everybody).
// Holds:   bounds in steps that people read: 100 us to 10 s; the last bucket takes what is longer.
// Threads: a time_tally is written by one thread; snapshot() is for anybody.
// Units:   nanoseconds inside.
// Costs:   note(): a search among eleven bounds and three additions. No allocation.
#pragma once

#include "../runtime/counters.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace troupe {

struct time_histogram {
  static constexpr std::size_t bounds_count = 11;
  using bounds_list = std::array<std::chrono::nanoseconds, bounds_count>;
  /// Upper bounds, each included in its bucket.
  static constexpr bounds_list bounds() noexcept {
    using namespace std::chrono;
    return {microseconds{100}, microseconds{500}, milliseconds{1},   milliseconds{5},
            milliseconds{10},  milliseconds{50},  milliseconds{100}, milliseconds{500},
            seconds{1},        seconds{5},        seconds{10}};
  }

  std::array<std::uint64_t, bounds_count + 1> counts{}; // of each bucket alone; the last one has no bound
  std::uint64_t count = 0;
  std::chrono::nanoseconds sum{0};
};

namespace actors {

class time_tally {
public:
  void note(std::chrono::nanoseconds took) noexcept {
    std::size_t at = 0;
    while (at != bounds_.size() && took > bounds_[at]) ++at;
    counts_[at].add(1);
    sum_.add(static_cast<std::uint64_t>(took.count() < 0 ? 0 : took.count()));
  }
  time_histogram snapshot() const noexcept {
    time_histogram result;
    for (std::size_t at = 0; at != counts_.size(); ++at) {
      result.counts[at] = counts_[at].value();
      result.count += result.counts[at];
    }
    result.sum = std::chrono::nanoseconds{sum_.value()};
    return result;
  }

private:
  static constexpr auto bounds_ = time_histogram::bounds();
  std::array<runtime::own_tally, time_histogram::bounds_count + 1> counts_;
  runtime::own_tally sum_;
};

} // namespace actors
} // namespace troupe
