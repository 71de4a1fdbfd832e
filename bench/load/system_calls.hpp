// system_calls: how many system calls a message costs, counted from outside by strace.
//
// Lives here: count_system_calls(), total_of_summary().
// Holds:   the program runs itself twice with different numbers of bursts; the difference is what the
//          bursts cost, whatever starting and stopping cost. Under strace everything is slower, so
//          batches tend to be larger than in free running: the figure is an orientation.
// Errors:  no figure when strace is missing or fails.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

/// `command` runs the program (its own path first); the number of bursts is appended to it. Each burst
/// has `messages` messages.
std::optional<double> count_system_calls(const std::vector<std::string>& command, std::uint64_t messages);

/// The number of calls in the last line of what `strace -c` writes.
std::optional<std::uint64_t> total_of_summary(std::string_view summary);

} // namespace troupe::bench
