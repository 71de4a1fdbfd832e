// run, pub, sub, conn, rr: loads that differ in who takes part.
#include "command.hpp"
#include "load_options.hpp"
#include "load_run.hpp"
#include "load_threshold.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

namespace troupe::bench {
namespace {

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
  const auto progress = options.quiet ? std::chrono::milliseconds{0} : options.progress;
  load_result result = run_load(options.plan, progress);
  result.thresholds = judge(result, options.thresholds);
  const int status = status_of(options, result);
  return write_outputs(options, result) ? status : exit_failed;
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
