#include "condition.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace troupe::bench {
namespace {

constexpr std::array<std::pair<std::string_view, comparison>, 5> operators{{{"<=", comparison::at_most},
                                                                            {">=", comparison::at_least},
                                                                            {"==", comparison::equal},
                                                                            {"<", comparison::less},
                                                                            {">", comparison::more}}};
constexpr std::array<std::pair<std::string_view, double>, 8> units{
    {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

} // namespace

std::optional<double> parse_quantity(std::string_view words) {
  const std::string text{words};
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(value)) return std::nullopt;
  for (const auto& [unit, factor] : units)
    if (unit == end) return value * factor;
  return std::nullopt;
}

std::optional<condition> parse_condition(std::string_view text) {
  for (const auto& [sign, how] : operators) {
    const auto place = text.find(sign);
    if (place == std::string_view::npos) continue;
    const std::string_view metric = trimmed(text.substr(0, place));
    const auto bound = parse_quantity(trimmed(text.substr(place + sign.size())));
    if (metric.empty() || !bound) return std::nullopt;
    return condition{std::string{text}, std::string{metric}, how, *bound};
  }
  return std::nullopt;
}

bool holds(double value, const condition& what) noexcept {
  switch (what.how) {
  case comparison::less: return value < what.bound;
  case comparison::at_most: return value <= what.bound;
  case comparison::equal: return !(value < what.bound) && !(value > what.bound);
  case comparison::at_least: return value >= what.bound;
  case comparison::more: return value > what.bound;
  }
  return false;
}

} // namespace troupe::bench
