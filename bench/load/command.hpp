// command: what troupe-bench can be told; one subcommand each.
//
// Lives here: exit_status, the add_...() of every subcommand. A subcommand is a function that adds itself to the program's
//          command line and answers what to do when it was chosen.
// Errors:  exit statuses are stable: 0 all well, 1 a row or a run failed, 2 wrong usage, 3 completed, but
//          messages went astray, 99 a threshold was breached, 128 + n interrupted by signal n.
#pragma once

#include <functional>

namespace CLI {
class App;
} // namespace CLI

namespace troupe::bench {

enum exit_status : int {
  exit_clean = 0,
  exit_failed = 1,
  exit_usage = 2,
  exit_astray = 3,
  exit_threshold = 99,
  exit_interrupted = 128,
};

/// Does what was asked for; answers the exit status.
using command = std::function<int()>;

/// The published end-to-end workloads beside the raw limit.
command add_e2e(CLI::App& program);
/// Publishers and subscribers in one process.
command add_run(CLI::App& program);
command add_pub(CLI::App& program);
command add_sub(CLI::App& program);
command add_conn(CLI::App& program);
/// Requests and responses.
command add_rr(CLI::App& program);
/// Loads that are known by a name.
command add_scenario(CLI::App& program);
/// A broker that does nothing but answer and forward.
command add_null_broker(CLI::App& program);
/// One load after the other, one choice changed.
command add_sweep(CLI::App& program);
/// What a broker can do, and what this tool costs.
command add_probe(CLI::App& program);
/// Ours beside other libraries and brokers.
command add_versus(CLI::App& program);
/// Result files against each other.
command add_compare(CLI::App& program);
/// A result file in another format.
command add_report(CLI::App& program);

} // namespace troupe::bench
