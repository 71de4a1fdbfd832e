// load_options: the words of run, pub, sub, conn and rr.
//
// Lives here: load_options, add_load_options(), resolve().
// Holds:   letters are those of emqtt-bench where they mean the same; every option has a long name. What
//          was not said has the default of the command.
// Errors:  CLI11's while the line is read; resolve() says what does not fit together.
#pragma once

#include "condition.hpp"
#include "load_plan.hpp"
#include "load_report.hpp"
#include "percentile.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace troupe::bench {

struct load_options {
  load_plan plan{};
  std::string host{};
  std::uint16_t port = 0;
  bool secure = false;
  bool web = false;
  std::string path = "/mqtt";
  double connect_interval = 0; // ms
  double message_interval = 0; // ms, of each client
  double rate_per_client = 0;
  bool has_window = false;          // --inflight was said
  double usual_rate_per_client = 0; // when nothing was said about rates
  std::chrono::milliseconds usual_duration{10'000};
  std::optional<std::chrono::milliseconds> duration{};
  std::optional<std::chrono::milliseconds> warm_up{};
  load_format format = load_format::text;
  std::vector<std::string> outputs{};
  std::vector<std::string> threshold_texts{};
  std::vector<condition> thresholds{};
  std::vector<double> percentiles{usual_percentiles.begin(), usual_percentiles.end()};
  std::string baseline{};
  double max_regression = 5; // percent
  std::string time_series{};
  std::string hdr{};
  std::string raw{};
  std::uint32_t repeat = 1;
  bool waits = true;    // it always does
  std::string config{}; // read before anything else: config_words
  bool prints_config = false;
  std::string config_text{}; // what was said, as a configuration file
  std::chrono::milliseconds progress{1'000};
  bool quiet = false;
  bool dry_run = false;
};

void add_load_options(CLI::App& app, load_options& to);
/// Fills in what follows from the rest. Answers what is wrong, in words; empty: nothing.
std::string resolve(load_options& options);

} // namespace troupe::bench
