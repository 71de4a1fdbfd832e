// result_report: a run for people: text, markdown or one HTML file.
//
// Lives here: report_format, write_report().
// Holds:   every table says beside our figure the raw limit of the same run and the published one; then
//          follow how even the bursts are, what a message costs, what failed, and the verdict.
// Units:   written with each figure.
#pragma once

#include "environment.hpp"
#include "row.hpp"

#include <cstdint>
#include <iosfwd>
#include <span>

namespace troupe::bench {

enum class report_format : std::uint8_t { text, json, markdown, html };

void write_report(std::ostream& out, report_format format, const environment& where,
                  std::span<const row> rows);

} // namespace troupe::bench
