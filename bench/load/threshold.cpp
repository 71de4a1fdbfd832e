#include "threshold.hpp"

#include <array>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace troupe::bench {
namespace {

constexpr std::array<std::string_view, 12> metrics{"ns_per_message",
                                                   "ratio",
                                                   "rate",
                                                   "p50_ns",
                                                   "p99_ns",
                                                   "lost",
                                                   "duplicated",
                                                   "reordered",
                                                   "allocations_per_message",
                                                   "mutexes_per_message",
                                                   "syscalls_per_message",
                                                   "slow_burst_share"};

constexpr std::array<std::pair<std::string_view, comparison>, 5> operators{{{"<=", comparison::at_most},
                                                                            {">=", comparison::at_least},
                                                                            {"==", comparison::equal},
                                                                            {"<", comparison::less},
                                                                            {">", comparison::more}}};

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<double> parse_number(std::string_view words) {
  const std::string text{words};
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return std::nullopt;
  const std::string unit = end;
  if (unit.empty()) return value;
  if (unit == "k") return value * 1e3;
  if (unit == "M") return value * 1e6;
  return std::nullopt;
}

bool holds(double value, comparison how, double bound) noexcept {
  switch (how) {
  case comparison::less: return value < bound;
  case comparison::at_most: return value <= bound;
  case comparison::equal: return !(value < bound) && !(value > bound);
  case comparison::at_least: return value >= bound;
  case comparison::more: return value > bound;
  }
  return false;
}

std::optional<double> time_metric(std::string_view metric, const row& measured) {
  const auto f = figures_of(measured);
  if (!f) return std::nullopt;
  if (metric == "ns_per_message") return f->time.mean;
  if (metric == "rate") return 1e9 / f->time.mean;
  if (metric == "ratio") return f->ratio;
  if (metric == "slow_burst_share" && has_bursts(measured.work)) return f->bursts.slow_share;
  if (is_latency(measured.work) && metric == "p50_ns") return f->p50;
  if (is_latency(measured.work) && metric == "p99_ns") return f->p99;
  return std::nullopt;
}

std::optional<double> value_of(std::string_view metric, const row& measured) {
  if (metric == "lost") return static_cast<double>(measured.found.lost);
  if (metric == "duplicated") return static_cast<double>(measured.found.duplicated);
  if (metric == "reordered") return static_cast<double>(measured.found.reordered);
  if (metric == "syscalls_per_message") return measured.system_calls;
  if (metric == "allocations_per_message" && measured.costs) return measured.costs->allocations;
  if (metric == "mutexes_per_message" && measured.costs) return measured.costs->mutexes;
  return time_metric(metric, measured);
}

} // namespace

std::optional<threshold> parse_threshold(std::string_view text) {
  for (const auto& [sign, how] : operators) {
    const auto place = text.find(sign);
    if (place == std::string_view::npos) continue;
    const std::string_view metric = trimmed(text.substr(0, place));
    const auto bound = parse_number(trimmed(text.substr(place + sign.size())));
    for (const std::string_view known : metrics)
      if (metric == known && bound) return threshold{std::string{text}, std::string{metric}, how, *bound};
    return std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::string> breaches(const threshold& condition, std::span<const row> rows) {
  std::vector<std::string> result;
  bool was_asked = false;
  for (const row& measured : rows) {
    const auto value = value_of(condition.metric, measured);
    if (!value) continue;
    was_asked = true;
    if (holds(*value, condition.how, condition.bound)) continue;
    std::ostringstream sentence;
    sentence << condition.text << " is not met by " << measured.work.id << ": " << *value;
    result.push_back(sentence.str());
  }
  if (!was_asked) result.push_back(condition.text + " applies to no row");
  return result;
}

} // namespace troupe::bench
