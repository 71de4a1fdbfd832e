// peer_run: one case of the comparison, done once by one library, in a process that does nothing else.
//
// Lives here: peer_case, all_peer_cases(), peer_figures, run_peer_case(), figures to JSON and back.
// Holds:   before the clock starts the client is connected, subscribed where the case wants it, and warm: a
//          tenth of the operations has been done. Processor time, allocations, faults and switches are of
//          the whole process between the same two moments as the time.
// Threads: the caller's, and the library's own.
// Units:   nanoseconds and counts for one operation; octets.
// Errors:  peer_figures::failure in words.
#pragma once

#include "../peers/peer_client.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe::bench {

enum class peer_work : std::uint8_t {
  batches,    // `batch` publishes started together and all awaited, again and again
  one_by_one, // a publish, its end
  round_trip, // a publish to our own subscription, its receipt
  passage,    // batches to our own subscription, each batch's receipts
  connecting, // a new client until it is connected
};

struct peer_case {
  const char* id;
  const char* text;
  peer_work work;
  int quality;
  std::uint32_t count; // operations of the full size
  std::uint32_t batch;
  bool is_uncapped;
};

std::span<const peer_case> all_peer_cases() noexcept;
const peer_case* peer_case_named(std::string_view id) noexcept;

struct peer_figures {
  std::string failure{};
  double time = 0;      // for one operation; connecting: the median
  double processor = 0; // of this process, for one operation
  double allocations = 0;
  double allocated = 0; // octets
  double faults = 0;    // of pages, in the whole span
  double switches = 0;  // of context, in the whole span
  double peak = 0;      // resident octets
  double growth = 0;    // resident octets between the first tenth and the end
};

peer_figures run_peer_case(const peer_case& what, const std::string& peer, std::uint16_t port, double scale);

std::string figures_json(const peer_figures& figures);
std::optional<peer_figures> read_figures(const std::string& text);

} // namespace troupe::bench
