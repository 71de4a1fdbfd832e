// load_sampler: cuts the measured span into slices, each with its rates and percentiles.
//
// Lives here: load_sampler, own_usage, look_at_own_usage().
// Holds:   slices follow each other without a gap; the latency of a slice is that of the messages whose
//          answers came within it.
// Threads: one outside thread.
// Units:   seconds, messages a second, nanoseconds.
#pragma once

#include "load_meter.hpp"
#include "load_result.hpp"

#include <chrono>
#include <cstdint>

namespace troupe::bench {

/// What this process has used so far.
struct own_usage {
  double processor_seconds = 0; // user and system
  std::uint64_t resident = 0;   // octets now
};
own_usage look_at_own_usage();

class load_sampler {
public:
  explicit load_sampler(load_meter& meter);

  /// The measured span begins.
  void begin();
  /// A slice ends.
  void cut();
  /// The span ends; writes rates, slices and latencies.
  void end(load_result& result);
  /// Latencies of messages that were still on their way; after the drain.
  void collect_latecomers(load_result& result);
  double seconds() const noexcept;
  const load_slice* last() const noexcept { return slices_.empty() ? nullptr : &slices_.back(); }

private:
  struct counts {
    std::int64_t time = 0;
    std::uint64_t sent = 0, acked = 0, received = 0;
  };
  counts look() const noexcept;

  load_meter& meter_;
  counts first_{};
  counts last_{};
  own_usage usage_{};
  std::vector<load_slice> slices_{};
  histogram end_to_end_{}, acknowledgement_{};
};

} // namespace troupe::bench
