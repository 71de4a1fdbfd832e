// load_threshold: the figures of a load by name, and conditions on them.
//
// Lives here: figure_of(), figure_text(), has_figure_name(), judge().
// Holds:   counts: sent, acked, received, expected, lost, duplicated, reordered, damaged, foreign, errors,
//          connected, connect_failures, dropped_connections. Rates: sent.rate, acked.rate, recv.rate
//          (messages a second), recv.mbps (megabytes a second), cpu (share of a core), rss (octets).
//          Latencies: e2e, e2e.uncorrected, ack, ack.uncorrected, lag, connect.dial, connect.mqtt,
//          connect.total, subscribe, reconnect, takeover, stored.first, stored.all, slow.e2e; each with
//          .mean, .min, .max and any percentile (.p50, .p99.9), in nanoseconds.
// Errors:  a figure the run does not have is nothing, and a condition on it is not met.
#pragma once

#include "condition.hpp"
#include "load_result.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

bool has_figure_name(std::string_view name);
std::optional<double> figure_of(const load_result& result, std::string_view name);
/// The value of this figure with its unit, as people read it.
std::string figure_text(std::string_view name, double value);
std::vector<threshold_verdict> judge(const load_result& result, std::span<const condition> conditions);

} // namespace troupe::bench
