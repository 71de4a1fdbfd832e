// case_compare: rows of `e2e` against those of a base, by id.
//
// Lives here: compare_cases().
// Holds:   a row is worse or better when Welch's test over its iterations says so at 99 % and the means
//          differ by more than the limit. Rows that only one file has are left out; one that stood and has
//          failed is worse.
// Errors:  nothing when a text is no result of `e2e`.
#pragma once

#include "load_compare.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::bench {

std::optional<std::vector<compared_figure>> compare_cases(const std::string& base, const std::string& fresh,
                                                          const compare_options& how);

} // namespace troupe::bench
