#include "threshold.hpp"

#include <algorithm>
#include <array>
#include <sstream>

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
  auto what = parse_condition(text);
  if (!what || std::find(metrics.begin(), metrics.end(), what->metric) == metrics.end()) return std::nullopt;
  return what;
}

std::vector<std::string> breaches(const threshold& condition, std::span<const row> rows) {
  std::vector<std::string> result;
  bool was_asked = false;
  for (const row& measured : rows) {
    const auto value = value_of(condition.metric, measured);
    if (!value) continue;
    was_asked = true;
    if (holds(*value, condition)) continue;
    std::ostringstream sentence;
    sentence << condition.text << " is not met by " << measured.work.id << ": " << *value;
    result.push_back(sentence.str());
  }
  if (!was_asked) result.push_back(condition.text + " applies to no row");
  return result;
}

} // namespace troupe::bench
