#include "rank_sum.hpp"

#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace troupe::bench {
namespace {

constexpr int draws = 1'000;

double ratio_of(double base, double fresh) noexcept { return base > 0 ? fresh / base : 1; }

std::vector<double> drawn_from(std::span<const double> values, std::mt19937_64& chance) {
  std::vector<double> result;
  result.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result.push_back(values[chance() % values.size()]);
  return result;
}

} // namespace

double rank_sum_p(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return 1;
  std::vector<std::pair<double, bool>> all; // value, whether it is of a
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  double rank_sum = 0;
  double ties = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i;
    while (end < all.size() && !(all[i].first < all[end].first)) ++end;
    const auto equal = static_cast<double>(end - i);
    const double rank = static_cast<double>(i) + (equal + 1) / 2;
    for (std::size_t k = i; k < end; ++k)
      if (all[k].second) rank_sum += rank;
    ties += equal * equal * equal - equal;
    i = end;
  }
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  const double total = n + m;
  const double u = rank_sum - n * (n + 1) / 2;
  const double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
  if (variance <= 0) return 1;
  const double distance = std::max(std::abs(u - n * m / 2) - 0.5, 0.0);
  return std::erfc(distance / std::sqrt(variance) / std::sqrt(2.0));
}

std::pair<double, double> ratio_interval(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return {1, 1};
  std::mt19937_64 chance{2'026};
  std::vector<double> ratios;
  for (int i = 0; i < draws; ++i)
    ratios.push_back(ratio_of(median_of(drawn_from(a, chance)), median_of(drawn_from(b, chance))));
  std::sort(ratios.begin(), ratios.end());
  return {ratios[draws * 25 / 1'000], ratios[draws * 975 / 1'000 - 1]};
}

} // namespace troupe::bench
