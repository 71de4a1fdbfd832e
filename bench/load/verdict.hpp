// verdict: what a run says as a whole.
//
// Lives here: version_verdict, compare_versions(); run_state, state_of().
// Holds:   5.0 and 3.1.1 are compared on rows that differ in nothing else. A pair differs when Welch's
//          test says so at 99.9 %; 5.0 keeps up when its throughput is at least 0.95 of 3.1.1's or the
//          difference is not significant.
#pragma once

#include "row.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe::bench {

struct version_pair {
  const row* v5 = nullptr;
  const row* v3 = nullptr;
  double ratio = 0; // throughput of 5.0 over that of 3.1.1
  bool is_significant = false;
  bool keeps_up() const noexcept { return ratio >= 0.95 || !is_significant; }
};

struct version_verdict {
  std::vector<version_pair> pairs{};
  double mean_ratio = 0;  // geometric
  std::size_t behind = 0; // pairs that do not keep up
};

version_verdict compare_versions(std::span<const row> rows);
/// The verdict in a sentence or two; empty without pairs.
std::string sentence(const version_verdict& verdict);

/// How the run ends.
enum class run_state {
  clean,
  failed, // a row could not be finished
  astray, // every row ended, but messages were lost, doubled, out of order or damaged
};
run_state state_of(std::span<const row> rows) noexcept;

} // namespace troupe::bench
