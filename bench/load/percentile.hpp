// percentile: which percentiles of a latency are shown, and their names.
//
// Lives here: usual_percentiles, parse_percentiles(), percentile_name(), share_of_name().
// Units:   percent, as people say it: 99.9. A share is of one.
// Errors:  what is no list of percentiles, or no name of one, gives nothing.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

inline constexpr std::array usual_percentiles{50.0, 90.0, 99.0, 99.9, 99.99};

/// "50,95,99.9": each above 0 and below 100.
std::optional<std::vector<double>> parse_percentiles(std::string_view words);
/// "p99.9".
std::string percentile_name(double percentile);
/// 0.999 of "p99.9", the nearest there is to it: a rank is found by it.
std::optional<double> share_of_name(std::string_view name);

} // namespace troupe::bench
