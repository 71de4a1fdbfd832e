// load_json: the result of a load as JSON, for other programs and for our own compare and report.
//
// Lives here: load_json_of(), read_load_json().
// Holds:   schema 1, kind "load". Every number has its unit in its name or is a count; what was not
//          measured is null or absent; there is no NaN. Histograms are pairs [upper end in ns, count] and
//          can be merged with others.
// Errors:  read_load_json() answers nothing for a text that load_json_of() did not write.
#pragma once

#include "load_result.hpp"

#include <optional>
#include <string>

namespace troupe::bench {

std::string load_json_of(const load_result& result);
std::optional<load_result> read_load_json(const std::string& text);

} // namespace troupe::bench
