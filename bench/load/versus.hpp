// versus: the same work through other libraries, and the same load on other brokers.
//
// Lives here: versus_options, versus_row, passage_row, window_row, versus_result, run_versus().
// Holds:   every case of every library runs in a process of its own, against a mosquitto started for the
//          comparison; libraries take turns within each repeat, so that what the machine does meanwhile
//          falls on all. Brokers are started afresh for each repeat and take turns as well. The figure of a
//          row is the median of its repeats.
// Units:   as in peer_figures; brokers in messages for a second of their processors.
// Errors:  a row that failed says why; nothing is left out of the tables.
#pragma once

#include "environment.hpp"
#include "peer_run.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace troupe::bench {

struct versus_options {
  std::uint32_t repeats = 3;
  double scale = 1;                               // of the number of operations
  std::string filter = "*";                       // of cases
  bool has_brokers = true;                        // compare brokers, too
  std::function<bool(const std::string&)> tell{}; // what is being done; false: stop
};

struct versus_row {
  std::string id{};
  std::string peer{};
  std::vector<peer_figures> runs{}; // those that went well
  std::string failure{};

  double median(double peer_figures::*figure) const;
  double least(double peer_figures::*figure) const;
  double most(double peer_figures::*figure) const;
};

/// A broker under a load.
struct passage_row {
  std::string id{};
  std::string peer{}; // who loads it
  std::string broker{};
  std::vector<double> per_second{}; // messages for a second of its processor
  std::vector<double> time{};       // nanoseconds for a message, as the client sees it
  double peak = 0;                  // resident octets of the broker
  std::string failure{};
};

/// Whether a library keeps to the window that the broker announces.
struct window_row {
  std::string peer{};
  std::uint64_t most_in_flight = 0;
  std::uint64_t announced = 0;
  std::string failure{};
  bool is_kept() const noexcept { return failure.empty() && most_in_flight <= announced; }
};

struct versus_result {
  environment where{};
  versus_options options{};
  std::vector<versus_row> rows{};
  std::vector<window_row> windows{};
  std::vector<passage_row> passages{};
  std::string failure{};
};

/// Whether the filter chooses anything.
bool has_wanted_case(const versus_options& options) noexcept;
versus_result run_versus(const versus_options& options);

} // namespace troupe::bench
