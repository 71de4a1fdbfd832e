#include "row.hpp"

#include "histogram.hpp"

#include <cmath>

namespace troupe::bench {
namespace {

std::vector<double> all_of(const sample_sets& sets) {
  std::vector<double> all;
  for (const auto& set : sets) all.insert(all.end(), set.begin(), set.end());
  return all;
}

histogram histogram_of(const std::vector<double>& samples) {
  histogram result;
  for (const double sample : samples)
    result.record(std::chrono::nanoseconds{static_cast<std::chrono::nanoseconds::rep>(std::llround(sample))});
  return result;
}

double percentile(const std::vector<double>& samples, double share) {
  return static_cast<double>(histogram_of(samples).percentile(share).count());
}

std::optional<raw_figures> best_raw(const row& measured) {
  std::optional<raw_figures> best;
  for (unsigned threads = 1; threads <= measured.raw.size(); ++threads) {
    const sample_sets& sets = measured.raw[threads - 1];
    const std::vector<double> samples = all_of(sets);
    if (samples.empty()) continue;
    raw_figures candidate{threads, summarise(samples), burst_spread(sets), 0};
    if (is_latency(measured.work)) candidate.p50 = percentile(samples, 0.5);
    if (!best || candidate.time.mean < best->time.mean) best = candidate;
  }
  return best;
}

} // namespace

std::optional<figures> figures_of(const row& measured) {
  const std::vector<double> samples = all_of(measured.ours);
  if (!measured.failure.empty() || samples.empty()) return std::nullopt;
  figures result;
  result.time = summarise(samples);
  result.bursts = burst_spread(measured.ours);
  result.raw = best_raw(measured);
  if (is_latency(measured.work)) {
    result.p50 = percentile(samples, 0.5);
    result.p99 = percentile(samples, 0.99);
    if (result.raw && result.p50 > 0) result.ratio = result.raw->p50 / result.p50;
  } else if (result.raw && result.time.mean > 0) {
    result.ratio = result.raw->time.mean / result.time.mean;
  }
  return result;
}

} // namespace troupe::bench
