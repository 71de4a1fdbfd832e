// threshold: conditions a run must meet, for scripts: `ratio>=0.6`, `lost==0`.
//
// Lives here: threshold, parse_threshold(), breaches().
// Holds:   a condition is METRIC OP NUMBER and is asked of every row to which the metric applies.
//          Metrics: ns_per_message, ratio, rate (messages a second), p50_ns, p99_ns, lost, duplicated,
//          reordered, allocations_per_message, mutexes_per_message, syscalls_per_message,
//          slow_burst_share.
// Errors:  a condition that cannot be understood is no condition.
#pragma once

#include "condition.hpp"
#include "row.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

using threshold = condition;

std::optional<threshold> parse_threshold(std::string_view text);
/// A sentence for each row that does not meet the condition, and one when no row was asked.
std::vector<std::string> breaches(const threshold& condition, std::span<const row> rows);

} // namespace troupe::bench
