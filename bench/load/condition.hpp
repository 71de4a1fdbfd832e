// condition: METRIC OP NUMBER, as scripts write it: `ratio>=0.6`, `e2e.p99<5ms`, `lost==0`.
//
// Lives here: comparison, condition, parse_quantity(), parse_condition(), holds().
// Units:   numbers may be written 100k, 2M, 1e6; times 50ns, 20us, 5ms, 1s and are nanoseconds then.
// Errors:  a condition that cannot be understood is no condition. Whether a metric exists is a question
//          for whoever knows the metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::bench {

enum class comparison : std::uint8_t { less, at_most, equal, at_least, more };

struct condition {
  std::string text{};
  std::string metric{};
  comparison how = comparison::equal;
  double bound = 0;
};

/// A number with or without a unit.
std::optional<double> parse_quantity(std::string_view text);
std::optional<condition> parse_condition(std::string_view text);
bool holds(double value, const condition& what) noexcept;

} // namespace troupe::bench
