// row_runner: measures one row: our side and the raw limit, by turns.
//
// Lives here: job, run_row(), run_bursts(), bursts_per_iteration().
// Holds:   an iteration is a set of bursts, each by a fresh client (connected and subscribed outside
//          the time); then the raw limit does the same on fresh connections, with one, two and three
//          threads. Taking turns keeps a machine whose speed drifts from favouring one side.
//          Afterwards one warmed-up client repeats the burst while allocations and mutexes are counted.
// Threads: the caller's.
// Errors:  none leave: what goes wrong becomes the row's failure.
#pragma once

#include "progress.hpp"
#include "row.hpp"

#include <cstddef>
#include <string>

namespace troupe::bench {

struct job {
  unsigned warm_ups = 3;
  unsigned iterations = 3;
  /// Rows of short bursts (10 B) get this many, if it is more.
  unsigned short_iterations = 20;
  bool with_raw = true;
  bool with_costs = true;
};

struct row_options {
  job work{};
  std::size_t workers = 1;
  std::string broker{}; // empty: ours, in this process
};

row run_row(const workload& work, const row_options& options, progress& shown);

/// `bursts` bursts by one client and nothing else, for counting from outside. Answers the failure.
std::string run_bursts(const workload& work, const row_options& options, unsigned bursts);

/// How many bursts make an iteration of this row.
unsigned bursts_per_iteration(const workload& work) noexcept;

} // namespace troupe::bench
