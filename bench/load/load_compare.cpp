#include "load_compare.hpp"

#include "load_threshold.hpp"
#include "rank_sum.hpp"
#include "statistics.hpp"

#include <array>
#include <cmath>
#include <map>
#include <numeric>

namespace troupe::bench {
namespace {

template <class Value>
std::vector<double> values_of(const load_result& result, Value value) {
  std::vector<double> values;
  for (const load_slice& each : result.series)
    if (const std::optional<double> one = value(each)) values.push_back(*one);
  return values;
}

void add_rate(std::vector<compared_figure>& to, const char* name, const load_result& base,
              const load_result& fresh, double load_slice::*member, std::uint64_t load_counts::*count,
              const compare_options& how) {
  if (base.counts.*count + fresh.counts.*count == 0) return;
  const auto rate = [member](const load_slice& s) { return std::optional{s.*member}; };
  to.push_back(compare_values(name, "1/s", values_of(base, rate), values_of(fresh, rate), true, how));
}

void add_percentile(std::vector<compared_figure>& to, const char* name, const load_result& base,
                    const load_result& fresh, std::optional<double> load_slice::*member,
                    const compare_options& how) {
  const auto time = [member](const load_slice& s) { return s.*member; };
  const auto a = values_of(base, time);
  const auto b = values_of(fresh, time);
  if (!a.empty() && !b.empty()) to.push_back(compare_values(name, "ns", a, b, false, how));
}

void add_faults(std::vector<compared_figure>& to, const load_result& base, const load_result& fresh) {
  for (const char* name :
       {"lost", "duplicated", "reordered", "damaged", "errors", "connect_failures", "dropped_connections"}) {
    compared_figure figure{.name = name, .unit = "1"};
    figure.base = figure_of(base, name).value_or(0);
    figure.fresh = figure_of(fresh, name).value_or(0);
    if (figure.base <= 0 && figure.fresh <= 0) continue;
    figure.verdict = figure.base <= 0    ? verdict_word::worse
                     : figure.fresh <= 0 ? verdict_word::better
                                         : verdict_word::shown;
    to.push_back(std::move(figure));
  }
}

void add_shown(std::vector<compared_figure>& to, const load_result& base, const load_result& fresh) {
  for (const load_latency& each : base.latencies) {
    for (const char* what : {".p50", ".p99", ".p99.9", ".max"}) {
      compared_figure figure{.name = each.name + what, .unit = "ns", .verdict = verdict_word::shown};
      const auto a = figure_of(base, figure.name);
      const auto b = figure_of(fresh, figure.name);
      if (!a || !b) continue;
      figure.base = *a;
      figure.fresh = *b;
      if (*a > 0) figure.change = *b / *a - 1;
      to.push_back(std::move(figure));
    }
  }
}

std::vector<double> figures_of(std::span<const load_result> runs, const char* name) {
  std::vector<double> values;
  for (const load_result& each : runs)
    if (const auto value = figure_of(each, name)) values.push_back(*value);
  return values;
}

/// Everything but the histograms' memory is copied as it is; they are merged into new ones.
load_result copy_of(const load_result& from) {
  load_result to;
  to.counts = from.counts;
  to.series = from.series;
  to.failure = from.failure;
  for (const load_latency& each : from.latencies) {
    load_latency& fresh = to.latencies.emplace_back();
    fresh.name = each.name;
    fresh.values.merge(each.values);
  }
  return to;
}

/// The first run with the slices and faults of the others.
load_result together(std::span<const load_result> runs) {
  load_result all = copy_of(runs.front());
  for (const load_result& each : runs.subspan(1)) {
    all.series.insert(all.series.end(), each.series.begin(), each.series.end());
    for (const auto fault :
         {&load_counts::lost, &load_counts::duplicated, &load_counts::reordered, &load_counts::damaged,
          &load_counts::errors, &load_counts::connect_failures, &load_counts::dropped_connections})
      all.counts.*fault += each.counts.*fault;
    if (all.failure.empty()) all.failure = each.failure;
  }
  return all;
}

/// Whether the test could see even the clearest difference between so many values. It cannot between few:
/// of four against four p is never below 0.03.
bool could_tell(std::size_t base, std::size_t fresh, double alpha) {
  std::vector<double> low(base), high(fresh);
  std::iota(low.begin(), low.end(), 0.0);
  std::iota(high.begin(), high.end(), static_cast<double>(base));
  return rank_sum_p(low, high) < alpha;
}

} // namespace

std::string_view name(verdict_word word) noexcept {
  switch (word) {
  case verdict_word::same: return "same";
  case verdict_word::better: return "better";
  case verdict_word::worse: return "WORSE";
  case verdict_word::noisy: return "noisy";
  case verdict_word::shown: return "";
  }
  return {};
}

compared_figure compare_values(std::string name, std::string unit, const std::vector<double>& base,
                               const std::vector<double>& fresh, bool more_is_better,
                               const compare_options& how) {
  compared_figure figure{.name = std::move(name), .unit = std::move(unit)};
  figure.base = median_of(base);
  figure.fresh = median_of(fresh);
  if (figure.base <= 0) {
    figure.verdict = verdict_word::shown;
    return figure;
  }
  figure.change = figure.fresh / figure.base - 1;
  const auto [low, high] = ratio_interval(base, fresh);
  figure.low = low - 1;
  figure.high = high - 1;
  figure.p = rank_sum_p(base, fresh);
  if (std::abs(*figure.change) <= how.limit) return figure;
  if (*figure.p >= how.alpha)
    figure.verdict = verdict_word::noisy;
  else
    figure.verdict = (*figure.change > 0) == more_is_better ? verdict_word::better : verdict_word::worse;
  return figure;
}

std::vector<compared_figure> compare_loads(const load_result& base, const load_result& fresh,
                                           const compare_options& how) {
  std::vector<compared_figure> figures;
  add_rate(figures, "sent.rate", base, fresh, &load_slice::sent, &load_counts::sent, how);
  add_rate(figures, "acked.rate", base, fresh, &load_slice::acked, &load_counts::acked, how);
  add_rate(figures, "recv.rate", base, fresh, &load_slice::received, &load_counts::received, how);
  add_percentile(figures, "latency p50, by slices", base, fresh, &load_slice::p50, how);
  add_percentile(figures, "latency p99, by slices", base, fresh, &load_slice::p99, how);
  add_faults(figures, base, fresh);
  add_shown(figures, base, fresh);
  if (base.failure.empty() && !fresh.failure.empty())
    figures.push_back(
        {.name = "failed: " + fresh.failure, .unit = "1", .fresh = 1, .verdict = verdict_word::worse});
  return figures;
}

std::vector<compared_figure> compare_load_series(std::span<const load_result> base,
                                                 std::span<const load_result> fresh,
                                                 const compare_options& how) {
  if (!could_tell(base.size(), fresh.size(), how.alpha))
    return compare_loads(together(base), together(fresh), how);
  std::vector<compared_figure> figures;
  for (const char* name : {"sent.rate", "acked.rate", "recv.rate", "e2e.p50", "e2e.p99", "ack.p50", "ack.p99",
                           "connect.total.p50", "connect.total.p99", "reconnect.p99", "stored.all.p99"}) {
    const auto a = figures_of(base, name);
    const auto b = figures_of(fresh, name);
    const bool is_rate = std::string_view{name}.ends_with(".rate");
    if (!a.empty() && !b.empty())
      figures.push_back(compare_values(name, is_rate ? "1/s" : "ns", a, b, is_rate, how));
  }
  add_faults(figures, together(base), together(fresh));
  return figures;
}

std::vector<std::string> misfits_of(const load_result& base, const load_result& fresh) {
  std::vector<std::string> result;
  const std::map<std::string, std::string> plan{fresh.plan.begin(), fresh.plan.end()};
  for (const auto& [key, value] : base.plan) {
    if (key == "broker" || key.starts_with("label.")) continue;
    const auto other = plan.find(key);
    const std::string theirs = other == plan.end() ? "nothing" : other->second;
    if (theirs != value) result.push_back(key + ": " + value + " against " + theirs);
  }
  const auto add = [&result](const std::string& key, const std::string& a, const std::string& b) {
    if (a != b) result.push_back(key + ": " + a + " against " + b);
  };
  add("processor", base.where.processor, fresh.where.processor);
  add("cores", std::to_string(base.where.cores), std::to_string(fresh.where.cores));
  add("build", base.where.build, fresh.where.build);
  return result;
}

} // namespace troupe::bench
