// topic_bench: T20 to T26: the subscription index: looking up, changing, churn, memory, client dispatch.
//
// A look-up puts the number of every subscriber it finds into an array. `remembered` topics have been looked up before; `cold`
// ones are looked up for the first time after a wildcard filter changed that might touch all of them.
#include "../../protocol/topic_index.hpp"
#include "../load/cost_counters.hpp"
#include "codec_case.hpp"
#include "topic_set.hpp"

#include <malloc.h>

#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <tuple>

namespace troupe::bench {
namespace {

using index_type = protocol::topic_index<std::uint64_t>;
using steady = std::chrono::steady_clock;

/// What the heap has handed out.
std::size_t octets_in_use() noexcept {
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

/// Sets are large; each is made once, and only if its case runs.
const topic_set& set_of(std::size_t subscriptions, std::size_t matches) {
  static std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<const topic_set>> made;
  auto& place = made[{subscriptions, matches}];
  if (!place) place = std::make_unique<const topic_set>(subscriptions, matches);
  return *place;
}

void fill(index_type& index, const topic_set& set) {
  for (const auto& [filter, who] : set.wishes) static_cast<void>(index.insert(filter, who));
}

/// Puts whoever wants `topic` into an array, as their user would.
class finder {
public:
  std::size_t operator()(index_type& index, std::string_view topic) {
    std::uint64_t* to = found_.data();
    index.match_lists(topic, [&](std::span<const index_type::entry> list) {
      if (list.size() == 1) {
        *to++ = list.front().who;
        return;
      }
      std::memcpy(to, list.data(), list.size_bytes());
      to += list.size();
    });
    benchmark::ClobberMemory();
    return static_cast<std::size_t>(to - found_.data());
  }

private:
  static_assert(sizeof(index_type::entry) == sizeof(std::uint64_t));
  std::vector<std::uint64_t> found_ = std::vector<std::uint64_t>(1'024);
};

/// The wildcard filters that might touch all topics change: nothing remembered is worth anything now.
void outdate(index_type& index) {
  static_cast<void>(index.insert("+/of/nobody", 0));
  index.erase("+/of/nobody", 0);
}

void report_operation(benchmark::State& state, double operations) {
  state.SetItemsProcessed(static_cast<std::int64_t>(operations * static_cast<double>(state.iterations())));
  state.counters["ns_per_op"] = benchmark::Counter(
      operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// -- T20, T21: look-ups -------------------------------------------------------------------------------

void look_up_remembered(benchmark::State& state, std::size_t subscriptions, std::size_t matches) {
  const topic_set& set = set_of(subscriptions, matches);
  finder look_up;
  index_type index{1};
  fill(index, set);
  for (int round = 0; round < 3; ++round)
    for (const std::string_view topic : set.topics) benchmark::DoNotOptimize(look_up(index, topic));
  std::size_t at = 0;
  measure(state, [&] {
    benchmark::DoNotOptimize(look_up(index, set.topics[at]));
    if (++at == set.topics.size()) at = 0;
  });
  state.counters["remembered"] = static_cast<double>(index.remembered());
}

/// Runs `timed` once an iteration and counts its time and heap use alone; `untimed` comes before.
template <class Untimed, class Timed>
void measure_parts(benchmark::State& state, double operations, Untimed untimed, Timed timed) {
  costs spent{};
  for (auto _ : state) {
    untimed();
    const costs before = count_costs();
    const auto begin = steady::now();
    timed();
    const std::chrono::duration<double> taken = steady::now() - begin;
    spent = spent + (count_costs() - before);
    state.SetIterationTime(taken.count());
  }
  const double all = operations * static_cast<double>(state.iterations());
  state.counters["allocs_per_op"] = static_cast<double>(spent.allocations) / all;
  state.counters["alloc_bytes_per_op"] = static_cast<double>(spent.allocated_bytes) / all;
  report_operation(state, operations);
}

void look_up_cold(benchmark::State& state, std::size_t subscriptions) {
  const topic_set& set = set_of(subscriptions, 1);
  finder look_up;
  // The clock is read once a pass, so a pass must be long; many small indices make one.
  std::vector<std::unique_ptr<index_type>> indices;
  while (indices.size() * set.topics.size() < 640) {
    indices.push_back(std::make_unique<index_type>(1 + indices.size()));
    fill(*indices.back(), set);
  }
  const auto pass = [&] {
    for (const std::string_view topic : set.topics)
      for (auto& index : indices) benchmark::DoNotOptimize(look_up(*index, topic));
  };
  for (int round = 0; round < 3; ++round) pass();
  const auto spoil = [&] {
    for (auto& index : indices) outdate(*index);
  };
  measure_parts(state, static_cast<double>(indices.size() * set.topics.size()), spoil, pass);
}

// -- T22, T23: changes and memory ---------------------------------------------------------------------

void build(benchmark::State& state, std::size_t subscriptions, std::size_t matches) {
  const topic_set& set = set_of(subscriptions, matches);
  std::unique_ptr<index_type> index;
  const auto fresh = [&] { index = std::make_unique<index_type>(1); };
  measure_parts(state, static_cast<double>(set.wishes.size()), fresh, [&] { fill(*index, set); });
  index.reset();
  const std::size_t before = octets_in_use();
  fresh();
  fill(*index, set);
  state.counters["octets_per_subscription"] =
      static_cast<double>(octets_in_use() - before) / static_cast<double>(set.wishes.size());
}

void one_filter(benchmark::State& state, std::size_t subscribers) {
  std::unique_ptr<index_type> index;
  const auto fresh = [&] { index = std::make_unique<index_type>(1); };
  const auto all = [&] {
    for (std::uint64_t who = 0; who < subscribers; ++who) static_cast<void>(index->insert("a/b", who));
  };
  measure_parts(state, static_cast<double>(subscribers), fresh, all);
  index.reset();
  const std::size_t before = octets_in_use();
  fresh();
  all();
  state.counters["octets_per_subscription"] =
      static_cast<double>(octets_in_use() - before) / static_cast<double>(subscribers);
}

/// Takes some of the subscriptions out of a full index and puts them in again; one of both is timed.
void change(benchmark::State& state, std::size_t subscriptions, bool is_insert) {
  const topic_set& set = set_of(subscriptions, 1);
  index_type index{1};
  fill(index, set);
  const std::size_t share = std::max<std::size_t>(1, std::min<std::size_t>(20'000, subscriptions / 10));
  std::size_t at = 0;
  const auto each = [&](auto what) {
    for (std::size_t n = 0; n < share; ++n) what(set.wishes[(at + n) % set.wishes.size()]);
  };
  const auto take = [&] { each([&](const auto& wish) { index.erase(wish.first, wish.second); }); };
  const auto put = [&] {
    each([&](const auto& wish) { static_cast<void>(index.insert(wish.first, wish.second)); });
  };
  const auto go_on = [&] { at = (at + share) % set.wishes.size(); };
  if (is_insert) {
    measure_parts(
        state, static_cast<double>(share), [&] { go_on(), take(); }, put);
  } else {
    take();
    measure_parts(
        state, static_cast<double>(share), [&] { put(), go_on(); }, take);
  }
}

// -- T24: look-ups while wildcard filters come and go ---------------------------------------------------

/// 4,096 topics in rotation, 100,000 subscriptions; every `period` look-ups a wildcard filter comes or goes
/// below one of 100 first levels. 0 = never.
void churn(benchmark::State& state, std::size_t period) {
  const topic_set& set = set_of(100'000, 1);
  finder look_up;
  index_type index{1};
  fill(index, set);
  constexpr std::size_t rotation = 4'096;
  for (int round = 0; round < 3; ++round)
    for (std::size_t n = 0; n < rotation; ++n) benchmark::DoNotOptimize(look_up(index, set.topics[n]));
  std::vector<std::string> filters;
  for (int n = 0; n < 100; ++n) filters.push_back("site" + std::to_string(n) + "/of/+/nobody");
  std::size_t count = 0;
  std::size_t at = 0;
  std::size_t changes = 0;
  measure(state, [&] {
    benchmark::DoNotOptimize(look_up(index, set.topics[at++ % rotation]));
    if (period != 0 && ++count % period == 0) {
      const std::string& filter = filters[changes / 2 % filters.size()];
      if (changes++ % 2 == 0)
        static_cast<void>(index.insert(filter, 1));
      else
        index.erase(filter, 1);
    }
  });
}

// -- T25: a client's dispatcher -------------------------------------------------------------------------

/// Handlers by filter, messages in random order over the topics they match.
void dispatch(benchmark::State& state, std::size_t filters, bool all_wild) {
  const topic_set& set = set_of(all_wild ? filters * 10 : filters, 1);
  finder look_up;
  index_type index{1};
  std::vector<std::string_view> topics;
  for (const auto& [filter, who] : set.wishes)
    if (!all_wild || who % 10 == 9) static_cast<void>(index.insert(filter, who));
  for (const std::string_view topic : set.topics)
    if (look_up(index, topic) != 0 || !all_wild) topics.push_back(topic);
  for (int round = 0; round < 3; ++round)
    for (const std::string_view topic : topics) benchmark::DoNotOptimize(look_up(index, topic));
  std::size_t at = 0;
  measure(state, [&] {
    benchmark::DoNotOptimize(look_up(index, topics[at]));
    if (++at == topics.size()) at = 0;
  });
}

// -- T26: against hostile filters -------------------------------------------------------------------------

/// Filters with every combination of `+` and a text along one path, and a last level that is not there.
void lattice(benchmark::State& state, std::uint32_t levels) {
  finder look_up;
  index_type index{1};
  for (std::uint32_t n = 0; n < 1U << levels; ++n) {
    std::string filter;
    for (std::uint32_t bit = 0; bit < levels; ++bit) filter += (n >> bit & 1U) != 0 ? "+/" : "a/";
    static_cast<void>(index.insert(filter + "end", n));
  }
  std::string path;
  for (std::uint32_t bit = 0; bit < levels; ++bit) path += "a/";
  std::vector<std::string> topics; // too many to be remembered
  for (int n = 0; n < 65'536; ++n) topics.push_back(path + std::to_string(n));
  std::size_t at = 0;
  measure(state, [&] {
    benchmark::DoNotOptimize(look_up(index, topics[at]));
    at = (at + 1) % topics.size();
  });
  state.counters["exhausted"] = static_cast<double>(index.exhausted());
}

const std::pair<const char*, std::size_t> sizes[] = {
    {"10", 10}, {"1k", 1'000}, {"100k", 100'000}, {"1M", 1'000'000}};

void register_look_ups() {
  using benchmark::RegisterBenchmark;
  for (const auto& [word, size] : sizes)
    for (const std::size_t matches : {1U, 10U, 1'000U}) {
      if (matches > size) continue;
      const std::string name = std::string{"T20/look_up/remembered/"} + word + "/" + std::to_string(matches);
      RegisterBenchmark(name.c_str(),
                        [=, size = size](benchmark::State& s) { look_up_remembered(s, size, matches); });
    }
  for (const auto& [word, size] : sizes)
    RegisterBenchmark((std::string{"T21/look_up/cold/"} + word).c_str(), [size = size](benchmark::State& s) {
      look_up_cold(s, size);
    })->UseManualTime();
}

void register_changes() {
  using benchmark::RegisterBenchmark;
  for (const auto& [word, size] : sizes) {
    for (const bool is_insert : {true, false})
      RegisterBenchmark((std::string{"T22/"} + (is_insert ? "insert/" : "remove/") + word).c_str(),
                        [=, size = size](benchmark::State& s) { change(s, size, is_insert); })
          ->UseManualTime();
    RegisterBenchmark((std::string{"T23/build/"} + word).c_str(), [size = size](benchmark::State& s) {
      build(s, size, 1);
    })->UseManualTime();
  }
  RegisterBenchmark("T23/build/1M/1000", [](benchmark::State& s) {
    build(s, 1'000'000, 1'000);
  })->UseManualTime();
  RegisterBenchmark("T23/one_filter/1M", [](benchmark::State& s) {
    one_filter(s, 1'000'000);
  })->UseManualTime();
}

const bool registered = [] {
  using benchmark::RegisterBenchmark;
  register_look_ups();
  register_changes();
  for (const std::size_t period : {0U, 100'000U, 10'000U, 1'000U, 100U})
    RegisterBenchmark(("T24/churn/every_" + std::to_string(period)).c_str(),
                      [=](benchmark::State& s) { churn(s, period); });
  for (const bool all_wild : {false, true})
    for (const std::size_t filters : {10U, 1'000U, 10'000U})
      RegisterBenchmark(
          ((all_wild ? "T25/dispatch_wildcards/" : "T25/dispatch/") + std::to_string(filters)).c_str(),
          [=](benchmark::State& s) { dispatch(s, filters, all_wild); });
  for (const std::uint32_t levels : {4U, 8U, 12U, 16U})
    RegisterBenchmark(("T26/lattice/" + std::to_string(1U << levels)).c_str(),
                      [=](benchmark::State& s) { lattice(s, levels); });
  return true;
}();

} // namespace
} // namespace troupe::bench
