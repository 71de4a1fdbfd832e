// run, pub, sub, conn, rr: loads that differ in who takes part.
#include "load_command.hpp"

#include "command.hpp"
#include "figure_text.hpp"
#include "load_compare.hpp"
#include "load_run.hpp"
#include "load_series.hpp"
#include "load_threshold.hpp"
#include "whole_file.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe::bench {
namespace {

template <class Write>
bool write_if_named(const std::string& name, Write write) {
  return name.empty() || write_file(name, write);
}

/// What is asked for beside the report; of several runs, the last.
bool write_extras(const load_options& options, const load_result& result) {
  const bool has_series =
      write_if_named(options.time_series, [&](std::ostream& out) { write_series_csv(out, result); });
  const bool has_hdr = write_if_named(options.hdr, [&](std::ostream& out) { write_hdr(out, result); });
  const bool has_raw = write_if_named(options.raw, [&](std::ostream& out) { out << result.events; });
  return has_series && has_hdr && has_raw;
}

/// The runs to compare with. Nothing, with the reason on standard error, when there are none like this load.
std::optional<std::vector<load_result>> read_baseline(const load_options& options) {
  auto base = read_load_series(text_of_file(options.baseline));
  if (!base) {
    std::fprintf(stderr, "troupe-bench: %s is no result of this command\n", options.baseline.c_str());
    return std::nullopt;
  }
  load_result planned;
  planned.plan = describe(options.plan);
  planned.where = describe_environment();
  const auto misfits = misfits_of(base->front(), planned);
  if (misfits.empty()) return base;
  for (const std::string& each : misfits) std::fprintf(stderr, "differs in %s\n", each.c_str());
  std::fprintf(stderr,
               "troupe-bench: %s was measured otherwise; troupe-bench compare --force compares anyway\n",
               options.baseline.c_str());
  return std::nullopt;
}

/// Says in the last run what is worse than the base; answers whether anything is.
bool is_behind(const load_options& options, std::span<const load_result> base, std::span<load_result> runs) {
  bool is_worse = false;
  for (const compared_figure& each :
       compare_load_series(base, runs, {.limit = options.max_regression / 100})) {
    if (each.verdict != verdict_word::worse) continue;
    is_worse = true;
    runs.back().notes.push_back("worse than the baseline: " + each.name + ", " + exact_text(each.base) + " "
                                + each.unit + " became " + exact_text(each.fresh));
  }
  return is_worse;
}

bool write_outputs(const load_options& options, std::span<const load_result> runs) {
  const result_table table = repeats_table(runs);
  write_load_series(std::cout, options.format, runs, &table);
  std::cout.flush();
  bool all_written = static_cast<bool>(std::cout);
  for (const std::string& file : options.outputs)
    all_written =
        write_file(
            file, [&](std::ostream& out) { write_load_series(out, load_format_of_file(file), runs, &table); })
        && all_written;
  return all_written;
}

/// The first thing that went wrong counts.
int worse_of(int a, int b) { return a != exit_clean ? a : b; }

} // namespace

int load_status(const load_options& options, const load_result& result) {
  if (!result.failure.empty() && result.interrupted_by == 0) return exit_failed;
  if (result.interrupted_by != 0) return exit_interrupted + result.interrupted_by;
  const load_counts& c = result.counts;
  // At QoS 1 a message that was on its way when the connection was cut may come twice [MQTT-4.3.2-1].
  const bool may_double =
      options.plan.turn == load_turn::storm && options.plan.quality == protocol::qos::at_least_once;
  const std::uint64_t astray = c.lost + (may_double ? 0 : c.duplicated) + c.reordered + c.damaged;
  if (c.errors + c.connect_failures + c.dropped_connections != 0) return exit_astray;
  if (options.plan.verify && astray != 0) return exit_astray;
  for (const threshold_verdict& each : result.thresholds)
    if (!each.is_met) return exit_threshold;
  return exit_clean;
}

namespace {

void print_plan(const load_plan& plan) {
  std::printf("%s\n", sentence(plan).c_str());
  for (const auto& [key, value] : describe(plan)) std::printf("  %-16s %s\n", key.c_str(), value.c_str());
}

} // namespace

int run_load_command(load_options& options, const std::string& command_name) {
  if (const std::string wrong = resolve(options); !wrong.empty()) {
    std::fprintf(stderr, "troupe-bench %s: %s\n", command_name.c_str(), wrong.c_str());
    return exit_usage;
  }
  if (options.prints_config) {
    std::printf("%s", options.config_text.c_str());
    return exit_clean;
  }
  if (options.dry_run) {
    print_plan(options.plan);
    return exit_clean;
  }
  std::optional<std::vector<load_result>> base;
  if (!options.baseline.empty() && !(base = read_baseline(options))) return exit_usage;
  std::vector<load_result> runs;
  int status = exit_clean;
  for (std::uint32_t i = 0; i < options.repeat; ++i) {
    load_result& result = runs.emplace_back(measure_load(options));
    status = worse_of(status, load_status(options, result));
    if (result.interrupted_by != 0) break;
  }
  if (base && is_behind(options, *base, runs)) status = worse_of(status, exit_threshold);
  const bool is_written = write_outputs(options, runs);
  return write_extras(options, runs.back()) && is_written ? status : exit_failed;
}

load_result measure_load(const load_options& options) {
  const auto progress = options.quiet ? std::chrono::milliseconds{0} : options.progress;
  load_result result = run_load(options.plan, progress);
  result.thresholds = judge(result, options.thresholds);
  result.percentiles = options.percentiles;
  return result;
}

namespace {

command add_load(CLI::App& program, load_kind kind, const char* text) {
  const auto options = std::make_shared<load_options>();
  options->plan.kind = kind;
  CLI::App* app = program.add_subcommand(std::string{name(kind)}, text);
  add_load_options(*app, *options);
  return [options] { return run_load_command(*options, std::string{name(options->plan.kind)}); };
}

} // namespace

command add_run(CLI::App& program) {
  return add_load(
      program, load_kind::run,
      "publishers and subscribers in one process, by one clock: throughput, latency, loss, order");
}
command add_pub(CLI::App& program) {
  return add_load(program, load_kind::publish, "publishers alone: throughput and acknowledgement latency");
}
command add_sub(CLI::App& program) {
  return add_load(program, load_kind::subscribe,
                  "subscribers alone: throughput, and latency of what a pub on this machine sends");
}
command add_conn(CLI::App& program) {
  return add_load(program, load_kind::connect, "connections alone: how long each phase of coming up takes");
}
command add_rr(CLI::App& program) {
  return add_load(program, load_kind::round_trip,
                  "requests and responses by response topic and correlation data: round trips");
}

} // namespace troupe::bench
