// rank_sum: whether two rows of values differ, without asking how they are distributed.
//
// Lives here: rank_sum_p() (Mann-Whitney), ratio_interval() (bootstrap over medians).
// Holds:   both are deterministic; the bootstrap draws from a fixed seed.
// Errors:  of fewer than two values a side: p is 1, the interval is the ratio itself or 1.
#pragma once

#include <span>
#include <utility>

namespace troupe::bench {

/// Two-sided, with the correction for ties and for continuity.
double rank_sum_p(std::span<const double> a, std::span<const double> b);
/// 95 % interval of median(b) / median(a).
std::pair<double, double> ratio_interval(std::span<const double> a, std::span<const double> b);

} // namespace troupe::bench
