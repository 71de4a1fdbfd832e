// load_run: does what a plan says, from the first connection to the summary.
//
// Lives here: run_load().
// Holds:   connect, warm up, measure, stop, drain. Whatever happens, the result holds what was found until
//          then. A limit ends the run when its last message was received; a duration when it is over.
// Threads: the caller's, which must not have started others; it holds back SIGINT and SIGTERM meanwhile.
// Errors:  in the result.
#pragma once

#include "load_result.hpp"

#include <chrono>

namespace troupe::bench {

load_result run_load(const load_plan& plan, std::chrono::milliseconds progress);

} // namespace troupe::bench
