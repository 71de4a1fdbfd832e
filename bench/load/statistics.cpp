#include "statistics.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::bench {
namespace {

// Value at `share` of a sorted row, interpolated.
double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] + (sorted[above] - sorted[below]) * part;
}

std::size_t count_without_outliers(std::span<const double> sorted) {
  if (sorted.size() < 4) return sorted.size();
  const double first = quantile(sorted, 0.25);
  const double third = quantile(sorted, 0.75);
  const double fence = third + 1.5 * (third - first);
  const auto end = std::upper_bound(sorted.begin(), sorted.end(), fence);
  return static_cast<std::size_t>(end - sorted.begin());
}

// The continued fraction of the incomplete beta function, evaluated from the front.
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto guarded = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1;
  double d = 1 / guarded(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int step = 1; step <= 300; ++step) {
    const double m = step;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guarded(1 + even * d);
    c = guarded(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guarded(1 + odd * d);
    c = guarded(1 + odd / c);
    result *= d * c;
    if (std::abs(d * c - 1) < 1e-14) break;
  }
  return result;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// Probability that a Student t variable lies outside +-t.
double student_tails(double t, double degrees) {
  return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_quantile_real(double confidence, double degrees) {
  double low = 0;
  double high = 1;
  while (student_tails(high, degrees) > 1 - confidence && high < 1e12) high *= 2;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    (student_tails(middle, degrees) > 1 - confidence ? low : high) = middle;
  }
  return high;
}

} // namespace

double student_quantile(double confidence, std::size_t degrees) {
  return degrees == 0 ? 0 : student_quantile_real(confidence, static_cast<double>(degrees));
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

summary summarise(std::span<const double> values) {
  summary result;
  if (values.empty()) return result;
  std::vector<double> sorted{values.begin(), values.end()};
  std::sort(sorted.begin(), sorted.end());
  const std::size_t kept = count_without_outliers(sorted);
  result.count = sorted.size();
  result.outliers = sorted.size() - kept;
  result.median = quantile(sorted, 0.5);
  result.smallest = sorted.front();
  result.largest = sorted.back();
  double sum = 0;
  for (std::size_t i = 0; i < kept; ++i) sum += sorted[i];
  result.mean = sum / static_cast<double>(kept);
  if (kept < 2) return result;
  double squares = 0;
  for (std::size_t i = 0; i < kept; ++i) squares += (sorted[i] - result.mean) * (sorted[i] - result.mean);
  result.deviation = std::sqrt(squares / static_cast<double>(kept - 1));
  result.error = student_quantile(0.999, kept - 1) * result.deviation / std::sqrt(static_cast<double>(kept));
  return result;
}

spread burst_spread(std::span<const std::vector<double>> sets) {
  spread result;
  std::vector<double> all;
  std::vector<double> ratios;
  for (const auto& set : sets) {
    if (set.empty()) continue;
    all.insert(all.end(), set.begin(), set.end());
    const double middle = median_of(set);
    if (middle > 0) ratios.push_back(*std::max_element(set.begin(), set.end()) / middle);
  }
  if (all.empty()) return result;
  const double limit = 3 * median_of(all);
  const auto slow = std::count_if(all.begin(), all.end(), [limit](double time) { return time > limit; });
  result.slow_share = static_cast<double>(slow) / static_cast<double>(all.size());
  result.worst_ratio = median_of(std::move(ratios));
  return result;
}

bool differs(const summary& a, const summary& b, double confidence) {
  const auto kept_a = static_cast<double>(a.count - a.outliers);
  const auto kept_b = static_cast<double>(b.count - b.outliers);
  if (kept_a < 2 || kept_b < 2) return false;
  const double part_a = a.deviation * a.deviation / kept_a;
  const double part_b = b.deviation * b.deviation / kept_b;
  const double variance = part_a + part_b;
  if (variance <= 0) return a.mean != b.mean;
  const double degrees =
      variance * variance / (part_a * part_a / (kept_a - 1) + part_b * part_b / (kept_b - 1));
  return std::abs(a.mean - b.mean) / std::sqrt(variance) > student_quantile_real(confidence, degrees);
}

} // namespace troupe::bench
