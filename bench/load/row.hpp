// row: what was measured for one workload, and the figures that follow from it.
//
// Lives here: row, figures, figures_of().
// Holds:   samples are nanoseconds per message of single bursts (of single messages in ping rows), in
//          sets: one set per iteration. The raw limit of a row is the fastest of its arrangements (one,
//          two, three threads), judged by the same mean as ours.
// Units:   nanoseconds.
#pragma once

#include "our_side.hpp"
#include "statistics.hpp"
#include "workload.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace troupe::bench {

/// Times of an iteration each.
using sample_sets = std::vector<std::vector<double>>;

/// Averages over steady bursts: one client, warmed up.
struct message_costs {
  double allocations = 0;
  double allocated_bytes = 0;
  double mutexes = 0;
};

struct row {
  workload work{};
  std::size_t workers = 1;
  unsigned launches = 1;
  sample_sets ours{};
  std::array<sample_sets, 3> raw{}; // with one, two, three threads; those not run are empty
  faults found{};
  std::optional<message_costs> costs{};
  std::optional<double> system_calls{};
  std::string failure{}; // empty: the row stands
};

struct raw_figures {
  unsigned threads = 0;
  summary time{};
  spread bursts{};
  double p50 = 0;
};

struct figures {
  summary time{};
  spread bursts{};
  double p50 = 0; // ping rows
  double p99 = 0;
  std::optional<raw_figures> raw{};
  /// Our throughput over that of the raw limit (ping rows: raw p50 over ours).
  std::optional<double> ratio{};
};

/// Nothing when the row failed or holds no samples.
std::optional<figures> figures_of(const row& measured);

/// Whether rows of this kind measure single messages.
inline bool is_latency(const workload& work) noexcept { return work.kind == workload_kind::ping; }
/// Whether rows of this kind consist of many short bursts, whose evenness says something.
inline bool has_bursts(const workload& work) noexcept {
  return work.kind != workload_kind::ping && work.kind != workload_kind::sustained;
}

} // namespace troupe::bench
