#include "allocation_counter.hpp"

#include "../load/cost_counters.hpp"

#include <benchmark/benchmark.h>

namespace troupe::bench {

allocation_counter::allocation_counter(benchmark::State& state, double operations) noexcept
    : state_{state}, operations_{operations} {
  resume();
}

// Counts only grow and wrap alike, so that the difference of the sums is exact.
void allocation_counter::pause() noexcept {
  const costs now = count_costs();
  allocations_ -= now.allocations;
  bytes_ -= now.allocated_bytes;
}

void allocation_counter::resume() noexcept {
  const costs now = count_costs();
  allocations_ += now.allocations;
  bytes_ += now.allocated_bytes;
}

allocation_counter::~allocation_counter() {
  const costs now = count_costs();
  const double all = operations_ * static_cast<double>(state_.iterations());
  state_.counters["allocs_per_op"] = static_cast<double>(now.allocations - allocations_) / all;
  state_.counters["alloc_bytes_per_op"] = static_cast<double>(now.allocated_bytes - bytes_) / all;
}

} // namespace troupe::bench
