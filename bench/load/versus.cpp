#include "versus.hpp"

#include "broker_program.hpp"
#include "child_process.hpp"
#include "relay.hpp"
#include "statistics.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::bench {
namespace {

// Seconds for one case, so that a library that hangs is a failed row.
constexpr const char* patience = "60";
constexpr const char* short_patience = "20";

/// The case in a process of its own.
peer_figures in_child(const peer_case& what, const std::string& peer, std::uint16_t port, double scale,
                      const char* seconds = patience) {
  const child_result ended =
      run_child({"timeout", "-k", "5", seconds, own_program(), "versus", "--only", what.id, "--peer", peer,
                 "--port", std::to_string(port), "--scale", std::to_string(scale)},
                child_errors::hidden);
  if (auto figures = read_figures(ended.output)) return *figures;
  peer_figures failed;
  const bool is_late = ended.status == 124 || ended.status == 137;
  failed.failure = is_late ? "did not end" : "ended with status " + std::to_string(ended.status);
  return failed;
}

std::vector<double> values_of(const std::vector<peer_figures>& runs, double peer_figures::*figure) {
  std::vector<double> values;
  for (const peer_figures& each : runs) values.push_back(each.*figure);
  return values;
}

bool is_wanted(const versus_options& options, const peer_case& what) noexcept {
  return ::fnmatch(options.filter.c_str(), what.id, 0) == 0;
}

void compare_libraries(versus_result& result, std::uint16_t port) {
  const auto peers = peer_names();
  for (const peer_case& what : all_peer_cases()) {
    if (!is_wanted(result.options, what)) continue;
    const std::size_t first = result.rows.size();
    for (const std::string& peer : peers) result.rows.push_back({.id = what.id, .peer = peer});
    for (std::uint32_t repeat = 0; repeat < result.options.repeats; ++repeat)
      for (std::size_t i = 0; i < peers.size(); ++i) {
        versus_row& row = result.rows[first + i];
        if (!result.options.tell(row.id + "  " + row.peer + "  " + std::to_string(repeat + 1))) return;
        peer_figures figures = in_child(what, row.peer, port, result.options.scale);
        if (figures.failure.empty())
          row.runs.push_back(std::move(figures));
        else
          row.failure = figures.failure;
      }
  }
}

/// With its own settings, against a mosquitto that takes twenty at once.
void look_at_windows(versus_result& result) {
  const peer_case& what = *peer_case_named("W70/sustained/out_of_the_box");
  if (!is_wanted(result.options, what)) return;
  const broker_program broker{broker_kind::mosquitto};
  for (const std::string& peer : peer_names()) {
    window_row row{.peer = peer, .failure = broker.failure()};
    if (!result.options.tell("window  " + peer)) return;
    if (row.failure.empty()) {
      relay between{{.broker_port = broker.port()}};
      row.failure = in_child(what, peer, between.port(), result.options.scale, short_patience).failure;
      row.most_in_flight = between.most_in_flight();
      row.announced = between.receive_maximum();
    }
    result.windows.push_back(std::move(row));
  }
}

void load_once(const versus_options& options, const peer_case& what, broker_kind kind, passage_row& row) {
  const broker_program broker{kind};
  if (!broker.failure().empty()) {
    row.failure = broker.failure();
    return;
  }
  const double before = broker.usage().processor_seconds;
  const peer_figures seen = in_child(what, row.peer, broker.port(), options.scale);
  const process_usage after = broker.usage();
  if (!seen.failure.empty()) {
    row.failure = seen.failure;
    return;
  }
  const double count =
      std::max(what.count * options.scale, static_cast<double>(what.batch)) * 1.1; // the warm-up is a tenth
  const double spent = after.processor_seconds - before;
  if (spent > 0) row.per_second.push_back(count / spent);
  row.time.push_back(seen.time);
  row.peak = std::max(row.peak, static_cast<double>(after.peak_resident));
}

void compare_brokers(versus_result& result) {
  struct load {
    const char* id;
    const char* peer;
  };
  constexpr std::array<load, 2> loads{
      {{"V02/passage/qos0/200", "libmosquitto"}, {"V02/passage/qos0/1000", "troupe"}}};
  constexpr std::array<broker_kind, 3> kinds{broker_kind::troupe, broker_kind::mosquitto_uncapped,
                                             broker_kind::bare};
  for (const load& each : loads) {
    const peer_case& what = *peer_case_named(each.id);
    const auto peers = peer_names();
    if (!is_wanted(result.options, what) || std::find(peers.begin(), peers.end(), each.peer) == peers.end())
      continue;
    const std::size_t first = result.passages.size();
    for (const broker_kind kind : kinds)
      result.passages.push_back({.id = each.id, .peer = each.peer, .broker = std::string{name(kind)}});
    for (std::uint32_t repeat = 0; repeat < result.options.repeats; ++repeat)
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        passage_row& row = result.passages[first + i];
        if (!result.options.tell(row.id + "  " + row.broker + " under " + row.peer)) return;
        load_once(result.options, what, kinds[i], row);
      }
  }
}

} // namespace

double versus_row::median(double peer_figures::*figure) const { return median_of(values_of(runs, figure)); }

double versus_row::least(double peer_figures::*figure) const {
  const auto values = values_of(runs, figure);
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double versus_row::most(double peer_figures::*figure) const {
  const auto values = values_of(runs, figure);
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

bool has_wanted_case(const versus_options& options) noexcept {
  const auto all = all_peer_cases();
  return std::any_of(all.begin(), all.end(),
                     [&options](const peer_case& each) { return is_wanted(options, each); });
}

versus_result run_versus(const versus_options& options) {
  versus_result result;
  result.where = describe_environment();
  result.options = options;
  {
    const broker_program broker{broker_kind::mosquitto_uncapped};
    result.failure = broker.failure();
    if (!result.failure.empty()) return result;
    compare_libraries(result, broker.port());
  }
  look_at_windows(result);
  if (options.has_brokers) compare_brokers(result);
  return result;
}

} // namespace troupe::bench
