// bridge_desk: what a broker and its bridges share.
//
// Lives here: bridge_counts, bridge_desk.
// Holds:   `id` names this broker to others while it lives; no other has it. Counts only grow, but for
//          `connected`.
// Threads: the counts are anybody's; no order is promised between two of them. The rest never changes.
// Costs:   a count is one atomic step.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::brokerage {

/// The user property in which bridges and brokers say who they are, and where a message has been.
inline constexpr std::string_view bridge_property = "troupe-bridge";

struct bridge_counts {
  std::atomic<std::uint64_t> connected{0};  // bridges whose remote broker is there now
  std::atomic<std::uint64_t> out{0};        // messages taken by a remote broker
  std::atomic<std::uint64_t> in{0};         // messages of a remote broker taken by ours
  std::atomic<std::uint64_t> dropped{0};    // by full queues, the end, or a broker that would not have them
  std::atomic<std::uint64_t> suppressed{0}; // that had been there before
};

struct bridge_desk {
  bridge_desk();

  const std::string id;
  bridge_counts counts{};
};

} // namespace troupe::brokerage
