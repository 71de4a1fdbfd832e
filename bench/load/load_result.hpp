// load_result: what a load command found out.
//
// Lives here: load_counts, load_slice, load_latency, load_result, rate_of().
// Holds:   a value that can be written to a file and read back (load_json). Counts are of the whole run,
//          warm-up included; rates, slices and latencies of the measured span.
// Units:   seconds, rates per second; latencies in nanoseconds.
#pragma once

#include "environment.hpp"
#include "histogram.hpp"
#include "load_plan.hpp"
#include "percentile.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::bench {

struct load_counts {
  std::uint64_t sent = 0;
  std::uint64_t acked = 0;
  std::uint64_t received = 0;
  std::uint64_t expected = 0; // to be received by this process
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t damaged = 0;
  std::uint64_t foreign = 0; // received, but not of this run
  std::uint64_t errors = 0;  // publishes that ended badly
  std::uint64_t connected = 0;
  std::uint64_t connect_failures = 0;
  std::uint64_t dropped_connections = 0; // were up and are not any more
};

/// A short span of the measured time.
struct load_slice {
  double end = 0; // since the measured span began
  double sent = 0;
  double acked = 0;
  double received = 0;
  std::optional<double> p50{}; // end to end, else acknowledgement
  std::optional<double> p99{};
};

struct load_latency {
  std::string name{};
  histogram values{};
};

struct threshold_verdict {
  std::string text{};
  std::optional<double> value{}; // nothing: the run has no such figure
  bool is_met = false;
};

struct load_result {
  std::string events{}; // CSV of every receipt, when it was asked for; not part of result files
  std::string title{};
  plan_words plan{};
  environment where{};
  load_counts counts{};
  double measured = 0;
  double warm_up = 0;
  double sent_rate = 0;
  double acked_rate = 0;
  double received_rate = 0;
  std::uint64_t payload = 0;
  std::vector<load_slice> series{};
  std::vector<load_latency> latencies{}; // only those with values
  std::vector<double> percentiles{usual_percentiles.begin(), usual_percentiles.end()}; // of them, to be shown
  double processor_share = 0;       // of one core, user and system, within the measured span
  std::uint64_t resident = 0;       // octets at the end
  std::vector<std::string> notes{}; // what a reader should know
  std::string failure{};            // why the run could not be done; empty: it was
  int interrupted_by = 0;
  std::vector<threshold_verdict> thresholds{};

  const histogram* latency(std::string_view name) const noexcept {
    for (const load_latency& each : latencies)
      if (each.name == name) return &each.values;
    return nullptr;
  }
};

} // namespace troupe::bench
