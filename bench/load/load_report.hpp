// load_report: the result of a load for people and for spreadsheets: text, Markdown, HTML, CSV.
//
// Lives here: load_format, load_format_named(), write_load_report(),
//          write_load_page(), write_series_csv().
// Holds:   what was asked, what was sent, acknowledged, received and what went astray; rates with the
//          spread of their slices; latencies; connect phases; thresholds; notes. HTML is one file that
//          needs no network. CSV has a row for each figure: name, value, unit.
// Units:   written with each figure.
#pragma once

#include "load_result.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string_view>

namespace troupe::bench {

enum class load_format : std::uint8_t { text, json, csv, markdown, html };

std::optional<load_format> load_format_named(std::string_view name) noexcept;
/// By the ending of a file's name; text when it says nothing.
load_format load_format_of_file(std::string_view file) noexcept;
/// One page for several results: the tables of each, and plots that hold all of them.
void write_load_page(std::ostream& out, std::span<const load_result> results);
/// Rates and percentiles over time, a row for each slice.
void write_series_csv(std::ostream& out, const load_result& result);
void write_load_report(std::ostream& out, load_format format, const load_result& result);

} // namespace troupe::bench
