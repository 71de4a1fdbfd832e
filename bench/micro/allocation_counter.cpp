#include "allocation_counter.hpp"

#include "../load/cost_counters.hpp"

#include <benchmark/benchmark.h>

namespace troupe::bench {

allocation_counter::allocation_counter(benchmark::State& state, double operations) noexcept
    : state_{state}, operations_{operations}, allocations_{0}, bytes_{0} {
  const costs now = count_costs();
  allocations_ = now.allocations;
  bytes_ = now.allocated_bytes;
}

allocation_counter::~allocation_counter() {
  const costs now = count_costs();
  const double all = operations_ * static_cast<double>(state_.iterations());
  state_.counters["allocs_per_op"] = static_cast<double>(now.allocations - allocations_) / all;
  state_.counters["alloc_bytes_per_op"] = static_cast<double>(now.allocated_bytes - bytes_) / all;
}

} // namespace troupe::bench
