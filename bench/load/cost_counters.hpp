// cost_counters: how often the process asked for memory or took a mutex.
//
// Lives here: costs, count_costs(). The interposed functions stand in its source: every
//          program that links this room has malloc, calloc, realloc, the aligned forms, free,
//          pthread_mutex_lock and pthread_mutex_trylock replaced by counting ones that pass on to the C
//          library.
// Holds:   counts cover all threads and all libraries of the process. Under a sanitizer nothing is
//          interposed and are_counted() says so.
// Threads: any.
// Costs:   one uncontended atomic addition per event.
#pragma once

#include <cstdint>

namespace troupe::bench {

struct costs {
  std::uint64_t allocations = 0;     // of new memory; a realloc counts
  std::uint64_t allocated_bytes = 0; // as asked for
  std::uint64_t releases = 0;
  std::uint64_t mutexes = 0; // acquisitions

  friend costs operator-(const costs& a, const costs& b) noexcept {
    return {a.allocations - b.allocations, a.allocated_bytes - b.allocated_bytes, a.releases - b.releases,
            a.mutexes - b.mutexes};
  }
  friend costs operator+(const costs& a, const costs& b) noexcept {
    return {a.allocations + b.allocations, a.allocated_bytes + b.allocated_bytes, a.releases + b.releases,
            a.mutexes + b.mutexes};
  }
};

/// Everything since the start of the process.
costs count_costs() noexcept;
/// Whether events are counted in this build.
bool are_costs_counted() noexcept;

} // namespace troupe::bench
