// load_series: several loads that belong together: repeats of one, or a sweep over a choice.
//
// Lives here: write_load_series(), read_load_series(), repeats_table(), write_hdr().
// Holds:   a file of several is {"schema":1,"kind":"loads","runs":[...]}, each run as load_json writes it;
//          reading takes a file of one as well.
// Errors:  what is no such file is no value.
#pragma once

#include "load_report.hpp"
#include "load_result.hpp"
#include "result_table.hpp"

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe::bench {

std::string load_series_json(std::span<const load_result> runs);
std::optional<std::vector<load_result>> read_load_series(const std::string& text);
/// How much runs differ that should be alike: mean, half the 99.9 % interval, deviation, extremes.
result_table repeats_table(std::span<const load_result> runs);
/// One: its report. Several: a file of all as JSON, a page with all as HTML; else `table`, then each.
void write_load_series(std::ostream& out, load_format format, std::span<const load_result> runs,
                       const result_table* table);
/// Percentiles as HdrHistogram prints them, in milliseconds: of "e2e", else of "ack", else of "connect.total".
void write_hdr(std::ostream& out, const load_result& result);

} // namespace troupe::bench
