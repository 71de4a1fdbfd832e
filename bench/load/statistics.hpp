// statistics: what a row of measured times says, and how sure one may be of it.
//
// Lives here: summary, summarise(), burst_spread(), student_quantile().
// Holds:   as in the published tables, the mean, its deviation and its error are taken without upper
//          outliers (above the third quartile by more than 1.5 times the distance of the quartiles;
//          with fewer than four values nothing counts as one). Median, smallest and largest are of all
//          values. The error is half the width of the 99.9 % confidence interval of the mean.
// Units:   whatever the values have.
// Errors:  of no values, everything is zero.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace troupe::bench {

struct summary {
  std::size_t count = 0;    // values, outliers included
  std::size_t outliers = 0; // values left out of mean, deviation and error
  double mean = 0;
  double median = 0;
  double smallest = 0;
  double largest = 0;
  double deviation = 0; // of the sample (n - 1)
  double error = 0;     // half the 99.9 % confidence interval; 0 with one value
};

summary summarise(std::span<const double> values);

/// Middle value, or the mean of the two middle ones.
double median_of(std::vector<double> values);

/// t such that a Student t variable with `degrees` of freedom lies within +-t with probability
/// `confidence`.
double student_quantile(double confidence, std::size_t degrees);

/// How even bursts are. Each set holds the times of bursts that followed each other.
struct spread {
  double slow_share = 0;  // share of all bursts slower than three times the median of all
  double worst_ratio = 0; // slowest burst over median burst, of the set where that is the median
};
spread burst_spread(std::span<const std::vector<double>> sets);

/// Whether the means of two rows differ: Welch's t test at the given confidence.
bool differs(const summary& a, const summary& b, double confidence);

} // namespace troupe::bench
