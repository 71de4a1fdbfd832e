// run, pub, sub, conn, rr: loads that differ in who takes part.
#include "command.hpp"
#include "figure_text.hpp"
#include "load_compare.hpp"
#include "load_json.hpp"
#include "load_options.hpp"
#include "load_run.hpp"
#include "load_threshold.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

namespace troupe::bench {
namespace {

bool write_series(const load_options& options, const load_result& result) {
  if (options.time_series.empty()) return true;
  std::ofstream out{options.time_series};
  write_series_csv(out, result);
  if (out.flush()) return true;
  std::fprintf(stderr, "troupe-bench: %s could not be written\n", options.time_series.c_str());
  return false;
}

/// The base to compare with; nothing when none was asked for.
std::optional<load_result> read_baseline(const load_options& options) {
  std::ifstream input{options.baseline};
  std::stringstream text;
  text << input.rdbuf();
  return read_load_json(text.str());
}

/// Says what is worse than the base; answers whether anything is.
bool is_behind(const load_options& options, const load_result& base, load_result& result) {
  bool is_worse = false;
  for (const compared_figure& each : compare_loads(base, result, {.limit = options.max_regression / 100})) {
    if (each.verdict != verdict_word::worse) continue;
    is_worse = true;
    result.notes.push_back("worse than the baseline: " + each.name + ", " + exact_text(each.base) + " "
                           + each.unit + " became " + exact_text(each.fresh));
  }
  return is_worse;
}

bool write_outputs(const load_options& options, const load_result& result) {
  write_load_report(std::cout, options.format, result);
  std::cout.flush();
  bool all_written = static_cast<bool>(std::cout);
  for (const std::string& file : options.outputs) {
    std::ofstream out{file};
    write_load_report(out, load_format_of_file(file), result);
    if (out.flush()) continue;
    std::fprintf(stderr, "troupe-bench: %s could not be written\n", file.c_str());
    all_written = false;
  }
  return all_written;
}

int status_of(const load_options& options, const load_result& result) {
  if (!result.failure.empty() && result.interrupted_by == 0) return exit_failed;
  if (result.interrupted_by != 0) return exit_interrupted + result.interrupted_by;
  const load_counts& c = result.counts;
  const std::uint64_t astray = c.lost + c.duplicated + c.reordered + c.damaged;
  if (c.errors + c.connect_failures + c.dropped_connections != 0) return exit_astray;
  if (options.plan.verify && astray != 0) return exit_astray;
  for (const threshold_verdict& each : result.thresholds)
    if (!each.is_met) return exit_threshold;
  return exit_clean;
}

void print_plan(const load_plan& plan) {
  std::printf("%s\n", sentence(plan).c_str());
  for (const auto& [key, value] : describe(plan)) std::printf("  %-16s %s\n", key.c_str(), value.c_str());
}

int run_command(load_options& options) {
  if (const std::string wrong = resolve(options); !wrong.empty()) {
    std::fprintf(stderr, "troupe-bench %s: %s\n", std::string{name(options.plan.kind)}.c_str(),
                 wrong.c_str());
    return exit_usage;
  }
  if (options.dry_run) {
    print_plan(options.plan);
    return exit_clean;
  }
  std::optional<load_result> base;
  if (!options.baseline.empty() && !(base = read_baseline(options))) {
    std::fprintf(stderr, "troupe-bench: %s is no result of this command\n", options.baseline.c_str());
    return exit_usage;
  }
  const auto progress = options.quiet ? std::chrono::milliseconds{0} : options.progress;
  load_result result = run_load(options.plan, progress);
  result.thresholds = judge(result, options.thresholds);
  int status = status_of(options, result);
  if (base && is_behind(options, *base, result) && status == exit_clean) status = exit_threshold;
  const bool is_written = write_outputs(options, result);
  return write_series(options, result) && is_written ? status : exit_failed;
}

command add_load(CLI::App& program, load_kind kind, const char* text) {
  const auto options = std::make_shared<load_options>();
  options->plan.kind = kind;
  CLI::App* app = program.add_subcommand(std::string{name(kind)}, text);
  add_load_options(*app, *options);
  return [options] { return run_command(*options); };
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
