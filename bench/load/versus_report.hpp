// versus_report: what a comparison found, as text, Markdown or JSON; what was lost is said as plainly as what
// was won.
//
// Lives here: write_versus(), lost_rows(), has_failed().
#pragma once

#include "load_report.hpp"
#include "versus.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace troupe::bench {

/// Text, Markdown or JSON; anything else is text.
void write_versus(std::ostream& out, load_format format, const versus_result& result);
/// Cases in which another library was faster than ours, or took less of the processor, in words.
std::vector<std::string> lost_rows(const versus_result& result);
/// Whether something could not be measured, or a window was not kept by us. A library that does not get through
/// a window is a row that says so.
bool has_failed(const versus_result& result);

} // namespace troupe::bench
