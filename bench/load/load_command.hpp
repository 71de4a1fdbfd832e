// load_command: a load from its options to its exit status; what run, pub, sub, conn, rr and the scenarios do.
//
// Lives here: run_load_command(), measure_load(), load_status().
// Errors:  in words on standard error, and as exit_status.
#pragma once

#include "load_options.hpp"
#include "load_result.hpp"

#include <string>

namespace troupe::bench {

/// Resolves, runs, judges, writes. `command_name` stands in front of complaints.
int run_load_command(load_options& options, const std::string& command_name);

/// One run of what is resolved, with its thresholds judged.
load_result measure_load(const load_options& options);
/// The exit status of one run, regressions aside.
int load_status(const load_options& options, const load_result& result);

} // namespace troupe::bench
