// allocation_counter: what a benchmark case asked of the heap, as counters beside its time.
//
// Lives here: allocation_counter. The interposed malloc, calloc, realloc and aligned forms are those of
//          bench/load/cost_counters, linked into this program too.
// Holds:   allocs_per_op and alloc_bytes_per_op are set when the counter goes; what happened before it
//          was made, or between pause() and resume(), is not counted.
// Threads: made and destroyed by one thread of a case; counts those of all.
// Costs:   nothing inside the measured loop.
#pragma once

#include <cstdint>

namespace benchmark {
class State;
}

namespace troupe::bench {

class allocation_counter {
public:
  /// Starts counting. One iteration of `state` is `operations` operations of the case.
  explicit allocation_counter(benchmark::State& state, double operations = 1) noexcept;
  allocation_counter(const allocation_counter&) = delete;
  allocation_counter& operator=(const allocation_counter&) = delete;
  ~allocation_counter();

  void pause() noexcept;
  void resume() noexcept;

private:
  benchmark::State& state_;
  double operations_;
  // What is not the case's, subtracted from all there is at the end.
  std::uint64_t allocations_ = 0;
  std::uint64_t bytes_ = 0;
};

} // namespace troupe::bench
