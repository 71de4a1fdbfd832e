#include "row_runner.hpp"

#include "cost_counters.hpp"
#include "raw_limit.hpp"

#include <algorithm>
#include <exception>
#include <optional>

namespace troupe::bench {
namespace {

constexpr std::string_view raw_topic = "test0f8fad5b-d9cb-469f-a165-70867728950e";

bool has_fresh_clients(const workload& work) noexcept {
  return work.kind == workload_kind::burst || work.kind == workload_kind::many
         || work.kind == workload_kind::sustained;
}

double per_message(std::chrono::nanoseconds time, std::uint64_t messages) noexcept {
  return static_cast<double>(time.count()) / static_cast<double>(messages);
}

/// One iteration of either side: `fresh` makes a new client, `burst(messages)` answers its time.
template <class Fresh, class Burst>
std::vector<double> iterate(const workload& work, Fresh fresh, Burst burst) {
  std::vector<double> samples;
  if (is_latency(work)) {
    fresh();
    burst(10); // wakes everybody up
    for (std::uint32_t i = 0; i < work.messages; ++i) samples.push_back(per_message(burst(1), 1));
    return samples;
  }
  const unsigned bursts = bursts_per_iteration(work);
  for (unsigned i = 0; i < bursts; ++i) {
    if (i == 0 || has_fresh_clients(work)) fresh();
    if (i == 0 && !has_fresh_clients(work)) burst(work.messages);
    samples.push_back(per_message(burst(work.messages), work.messages));
  }
  return samples;
}

class raw_runner {
public:
  raw_runner(const workload& work, std::size_t workers) : work_{work} {
    first_ = 1;
    last_ = work.transport == medium::loopback ? 1 : 3;
    if (!is_latency(work)) return;
    // Latency is compared with as many threads as ours has: the caller's and the workers.
    first_ = last_ = static_cast<unsigned>(std::clamp<std::size_t>(1 + workers * work.systems, 2, 3));
  }
  /// In memory a single message is a function call for one thread; there is nothing to compare with.
  bool is_meant() const noexcept { return !(is_latency(work_) && work_.transport == medium::loopback); }
  unsigned first() const noexcept { return first_; }
  unsigned last() const noexcept { return last_; }

  std::vector<double> iterate_with(unsigned threads) {
    raw_plan plan;
    plan.medium = work_.transport == medium::tcp           ? raw_medium::tcp
                  : work_.transport == medium::tls         ? raw_medium::tls
                  : work_.transport == medium::unix_socket ? raw_medium::unix_socket
                                                           : raw_medium::memory;
    plan.version = work_.version;
    plan.quality = work_.quality;
    plan.topic = raw_topic;
    plan.payload = work_.payload;
    plan.threads = threads;
    const std::uint64_t window = work_.kind == workload_kind::sustained ? work_.window : UINT64_MAX;
    std::optional<raw_limit> side;
    auto samples = iterate(
        work_,
        [&] {
          retire(side);
          side.emplace(plan);
          side->burst(1); // as CONNECT and SUBSCRIBE do for ours
        },
        [&](std::uint64_t messages) { return side->burst(messages, window); });
    retire(side);
    return samples;
  }

private:
  static void retire(std::optional<raw_limit>& side) {
    if (side && side->faults() != 0) throw row_failure{"the raw limit itself lost messages"};
    side.reset();
  }

  const workload& work_;
  unsigned first_;
  unsigned last_;
};

message_costs count_steady(our_side& ours, const workload& work) {
  const unsigned warm = 3;
  const unsigned bursts = is_latency(work) ? work.messages : work.kind == workload_kind::sustained ? 1 : 10;
  const std::uint32_t messages = is_latency(work) ? 1 : work.messages;
  ours.fresh_client();
  for (unsigned i = 0; i < warm; ++i) ours.burst(work.messages);
  const costs before = count_costs();
  for (unsigned i = 0; i < bursts; ++i) ours.burst(messages);
  const costs spent = count_costs() - before;
  const double total = static_cast<double>(bursts) * messages;
  return {static_cast<double>(spent.allocations) / total, static_cast<double>(spent.allocated_bytes) / total,
          static_cast<double>(spent.mutexes) / total};
}

void measure(row& result, our_side& ours, const row_options& options, progress& shown) {
  const workload& work = result.work;
  const job& plan = options.work;
  raw_runner raw{work, options.workers};
  const bool with_raw = plan.with_raw && raw.is_meant();
  const bool is_short = has_bursts(work) && work.payload <= 10;
  const unsigned iterations = is_short ? std::max(plan.iterations, plan.short_iterations) : plan.iterations;
  const unsigned warm_ups = work.kind == workload_kind::sustained ? 1 : plan.warm_ups;
  const auto fresh = [&] { ours.fresh_client(); };
  const auto burst = [&](std::uint32_t messages) { return ours.burst(messages); };
  for (unsigned i = 0; i < warm_ups + iterations; ++i) {
    const bool is_measured = i >= warm_ups;
    shown.step(is_measured
                   ? "iteration " + std::to_string(i - warm_ups + 1) + '/' + std::to_string(iterations)
                   : "warm-up " + std::to_string(i + 1) + '/' + std::to_string(warm_ups));
    ours.thorough(!is_measured);
    auto samples = iterate(work, fresh, burst);
    if (is_measured) result.ours.push_back(std::move(samples));
    for (unsigned threads = raw.first(); with_raw && threads <= raw.last(); ++threads) {
      auto limit = raw.iterate_with(threads);
      if (is_measured) result.raw[threads - 1].push_back(std::move(limit));
    }
  }
  if (plan.with_costs && are_costs_counted()) {
    shown.step("counting");
    result.costs = count_steady(ours, work);
  }
}

} // namespace

unsigned bursts_per_iteration(const workload& work) noexcept {
  if (!has_bursts(work)) return 1;
  constexpr std::size_t mega = std::size_t{1} << 20U;
  const std::size_t total = work.payload * work.messages;
  return total <= 2 * mega ? 20 : total <= 10 * mega ? 5 : 2;
}

row run_row(const workload& work, const row_options& options, progress& shown) {
  row result;
  result.work = work;
  result.workers = options.workers;
  try {
    our_side ours{our_plan{work, options.workers, options.broker}};
    try {
      measure(result, ours, options, shown);
    } catch (const std::exception& problem) {
      result.failure = problem.what();
    }
    result.found = ours.found();
  } catch (const std::exception& problem) {
    result.failure = problem.what();
  }
  return result;
}

std::string run_bursts(const workload& work, const row_options& options, unsigned bursts) {
  try {
    our_side ours{our_plan{work, options.workers, options.broker}};
    ours.fresh_client();
    for (unsigned i = 0; i < bursts; ++i) {
      if (!is_latency(work)) {
        ours.burst();
        continue;
      }
      for (std::uint32_t each = 0; each < work.messages; ++each) ours.burst(1);
    }
    return ours.found().total() == 0 ? std::string{} : "messages went astray";
  } catch (const std::exception& problem) {
    return problem.what();
  }
}

} // namespace troupe::bench
