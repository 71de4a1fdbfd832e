// load_threshold: the figures of a load by name, and conditions on them.
//
// Lives here: figure_of(), has_figure_name(), judge().
// Holds:   counts: sent, acked, received, expected, lost, duplicated, reordered, damaged, foreign, errors,
//          connected, connect_failures, dropped_connections. Rates: sent.rate, acked.rate, recv.rate
//          (messages a second), recv.mbps (megabytes a second), cpu (share of a core), rss (octets).
//          Latencies: e2e, e2e.uncorrected, ack, ack.uncorrected, lag, connect.dial, connect.mqtt,
//          connect.total, subscribe; each with .mean .p50 .p90 .p99 .p99.9 .p99.99 .min .max, in
//          nanoseconds.
// Errors:  a figure the run does not have is nothing, and a condition on it is not met.
#pragma once

#include "condition.hpp"
#include "load_result.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace troupe::bench {

bool has_figure_name(std::string_view name);
std::optional<double> figure_of(const load_result& result, std::string_view name);
std::vector<threshold_verdict> judge(const load_result& result, std::span<const condition> conditions);

} // namespace troupe::bench
