// e2e: the published end-to-end workloads and our own rows, each beside the raw limit.
#include "child_process.hpp"
#include "command.hpp"
#include "result_json.hpp"
#include "result_report.hpp"
#include "row_choice.hpp"
#include "row_runner.hpp"
#include "system_calls.hpp"
#include "threshold.hpp"
#include "verdict.hpp"
#include "whole_file.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe::bench {
namespace {

struct e2e_options {
  row_choice rows{};
  bool list = false;
  bool quiet = false;
  bool with_system_calls = false;
  std::size_t workers = 1;
  std::string broker = "embedded";
  bool full_job = false;
  report_format format = report_format::text;
  std::vector<std::string> outputs{};
  std::vector<std::string> thresholds{};
  bool as_launch = false; // print one row's samples for the run that started this process
  unsigned bursts = 0;    // run so many bursts of one row and print nothing
};

constexpr unsigned full_launches = 10;

const std::map<std::string, protocol::version> versions{{"5", protocol::version::v5_0},
                                                        {"5.0", protocol::version::v5_0},
                                                        {"3", protocol::version::v3_1_1},
                                                        {"3.1.1", protocol::version::v3_1_1}};
const std::map<std::string, medium> media{{"tcp", medium::tcp},
                                          {"tls", medium::tls},
                                          {"unix", medium::unix_socket},
                                          {"loopback", medium::loopback}};
const std::map<std::string, protocol::qos> qualities{{"0", protocol::qos::at_most_once},
                                                     {"1", protocol::qos::at_least_once},
                                                     {"2", protocol::qos::exactly_once}};
const std::map<std::string, scheduler_kind> schedulers{{"own", scheduler_kind::own},
                                                       {"sharing", scheduler_kind::sharing},
                                                       {"stealing", scheduler_kind::stealing}};
const std::map<std::string, report_format> formats{{"text", report_format::text},
                                                   {"json", report_format::json},
                                                   {"markdown", report_format::markdown},
                                                   {"html", report_format::html}};

/// An option that takes one word of a table.
template <class Value, class Target>
void add_word(CLI::App& app, const std::string& names, Target& target,
              const std::map<std::string, Value>& words, const std::string& text) {
  std::vector<std::string> known;
  for (const auto& [word, value] : words) known.push_back(word);
  app.add_option_function<std::string>(
         names, [&target, words](const std::string& word) { target = words.at(word); }, text)
      ->check(CLI::IsMember{known});
}

void add_row_options(CLI::App& app, e2e_options& to) {
  app.add_option("--filter", to.rows.filter, "rows whose id fits this glob, e.g. 'W40*' or '*loopback*'");
  app.add_flag("--list", to.list, "print the ids of the rows chosen and leave");
  app.add_flag("--full", to.rows.full, "every row, with system calls counted");
  app.add_flag("--demo", to.rows.demo, "about a minute: the rows that say most");
  add_word(app, "--version", to.rows.version, versions, "of MQTT");
  add_word(app, "--transport", to.rows.transport, media, "");
  add_word(app, "--qos", to.rows.quality, qualities, "");
  app.add_option_function<std::size_t>(
         "--payload", [&to](std::size_t size) { to.rows.payload = size; }, "size in octets, e.g. 10 or 1KiB")
      ->transform(CLI::AsSizeValue(false));
  app.add_option_function<unsigned>(
         "--systems", [&to](unsigned count) { to.rows.systems = count; },
         "1: client and broker in one actor system; 2: each in its own")
      ->check(CLI::Range(1, 2));
  add_word(app, "--scheduler", to.rows.scheduler, schedulers, "whose scheduler runs the actors");
}

void add_run_options(CLI::App& app, e2e_options& to) {
  app.add_option("--workers", to.workers, "worker threads of each system")->check(CLI::Range(1, 64));
  app.add_option("--broker", to.broker, "embedded, or the URL of a broker elsewhere");
  add_word(app, "--job", to.full_job, std::map<std::string, bool>{{"short", false}, {"full", true}},
           "short: 1 process, 3 warm-up and 3 measured iterations; full: 10 processes with 10 and 10");
  app.add_flag("--syscalls", to.with_system_calls, "count system calls by strace");
  add_word(app, "--format", to.format, formats, "of standard output");
  app.add_option("-o,--output", to.outputs,
                 "also write to FILE, in the format of its ending (.json .md .html .txt)");
  app.add_option("--threshold", to.thresholds,
                 "a condition on every row, e.g. 'ratio>=0.6'; breached: exit status 99");
  app.add_flag("--quiet", to.quiet, "no progress on standard error");
  app.add_flag("--launch", to.as_launch)->group("");
  app.add_option("--bursts", to.bursts)->group("");
}

row_options options_of_rows(const e2e_options& options) {
  row_options result;
  result.workers = options.workers;
  if (options.broker != "embedded") {
    result.broker = options.broker;
    result.work.short_iterations = 0; // brokers that write packet by packet take their time
  }
  if (options.full_job) {
    result.work.warm_ups = 10;
    result.work.iterations = 10;
  } else if (options.rows.demo) {
    result.work.iterations = 5;
  }
  return result;
}

/// The command line that makes this program measure the row alone.
std::vector<std::string> command_for(const workload& row, const e2e_options& options) {
  std::vector<std::string> words{own_program(), "e2e",         "--quiet",   "--full",
                                 "--filter",    row.id,        "--workers", std::to_string(options.workers),
                                 "--broker",    options.broker};
  if (options.rows.systems) words.insert(words.end(), {"--systems", std::to_string(*options.rows.systems)});
  if (options.rows.scheduler)
    words.insert(words.end(), {"--scheduler", std::string{name(*options.rows.scheduler)}});
  return words;
}

row run_launches(const workload& work, const e2e_options& options, progress& shown) {
  row result;
  result.work = work;
  result.workers = options.workers;
  result.launches = 0;
  while (result.launches < full_launches && result.failure.empty()) {
    shown.step("process " + std::to_string(result.launches + 1) + '/' + std::to_string(full_launches));
    auto words = command_for(work, options);
    words.insert(words.end(), {"--job", "full", "--launch"});
    const child_result launch = run_child(words, child_errors::shown);
    if (!add_samples(result, launch.output))
      result.failure = "a launch ended with status " + std::to_string(launch.status);
    ++result.launches;
  }
  return result;
}

bool may_count_system_calls(const workload& work) noexcept {
  return work.kind != workload_kind::sustained && work.payload <= 64U * 1024;
}

void count_calls(row& measured, const e2e_options& options, progress& shown) {
  if (!measured.failure.empty() || !may_count_system_calls(measured.work)) return;
  shown.step("system calls");
  auto words = command_for(measured.work, options);
  words.push_back("--bursts");
  measured.system_calls = count_system_calls(words, measured.work.messages);
}

std::string how_it_ended(const row& measured) {
  const auto f = figures_of(measured);
  if (!f) return "FAILED: " + measured.failure;
  char text[160];
  if (is_latency(measured.work))
    std::snprintf(text, sizeof text, "p50 %.1f us", f->p50 / 1e3);
  else
    std::snprintf(text, sizeof text, "%.1f ns, %.0f messages/s, ours/raw %.2f", f->time.mean,
                  1e9 / f->time.mean, f->ratio.value_or(0));
  return measured.found.total() == 0 ? text : std::string{text} + ", MESSAGES WENT ASTRAY";
}

std::vector<row> run_rows(const std::vector<workload>& chosen, const e2e_options& options) {
  progress shown{chosen.size(), !options.quiet};
  std::vector<row> rows;
  for (const workload& work : chosen) {
    shown.begin(work.id);
    row measured = options.full_job && !options.as_launch ? run_launches(work, options, shown)
                                                          : run_row(work, options_of_rows(options), shown);
    const bool counts = options.with_system_calls || options.rows.full;
    if (counts && !options.as_launch) count_calls(measured, options, shown);
    shown.end(how_it_ended(measured));
    rows.push_back(std::move(measured));
  }
  return rows;
}

report_format format_of(const std::string& file) {
  const auto ends_with = [&file](std::string_view end) {
    return file.size() >= end.size() && file.compare(file.size() - end.size(), end.size(), end) == 0;
  };
  if (ends_with(".json")) return report_format::json;
  if (ends_with(".md")) return report_format::markdown;
  if (ends_with(".html")) return report_format::html;
  return report_format::text;
}

bool write_outputs(const e2e_options& options, const std::vector<row>& rows) {
  const environment where = describe_environment();
  write_report(std::cout, options.format, where, rows);
  std::cout.flush();
  bool all_written = static_cast<bool>(std::cout);
  for (const std::string& file : options.outputs)
    all_written =
        write_file(file, [&](std::ostream& out) { write_report(out, format_of(file), where, rows); })
        && all_written;
  return all_written;
}

int status_of(const std::vector<row>& rows, const std::vector<threshold>& conditions) {
  const run_state state = state_of(rows);
  if (state == run_state::failed) return exit_failed;
  if (state == run_state::astray) return exit_astray;
  bool is_breached = false;
  for (const threshold& condition : conditions) {
    for (const std::string& sentence : breaches(condition, rows)) {
      std::fprintf(stderr, "threshold: %s\n", sentence.c_str());
      is_breached = true;
    }
  }
  return is_breached ? exit_threshold : exit_clean;
}

int usage_problem(const std::string& text) {
  std::fprintf(stderr, "troupe-bench e2e: %s\n", text.c_str());
  return exit_usage;
}

int run_e2e(const e2e_options& options) {
  std::vector<threshold> conditions;
  for (const std::string& text : options.thresholds) {
    const auto condition = parse_threshold(text);
    if (!condition) return usage_problem("'" + text + "' is no condition; try 'ratio>=0.6'");
    conditions.push_back(*condition);
  }
  const std::vector<workload> chosen = choose_rows(options.rows);
  if (chosen.empty()) return usage_problem("no row fits; see --list");
  if (options.list) {
    for (const workload& work : chosen) std::printf("%s\n", work.id.c_str());
    return exit_clean;
  }
  if (options.bursts != 0) {
    const std::string failure = run_bursts(chosen.front(), options_of_rows(options), options.bursts);
    return failure.empty() ? exit_clean : exit_failed;
  }
  const std::vector<row> rows = run_rows(chosen, options);
  if (options.as_launch) {
    std::cout << samples_to_json(rows.front());
    return exit_clean;
  }
  if (!write_outputs(options, rows)) return exit_failed;
  return status_of(rows, conditions);
}

} // namespace

command add_e2e(CLI::App& program) {
  const auto options = std::make_shared<e2e_options>();
  CLI::App* app =
      program.add_subcommand("e2e", "published end-to-end workloads and our own, each beside the raw limit");
  add_row_options(*app, *options);
  add_run_options(*app, *options);
  return [options] { return run_e2e(*options); };
}

} // namespace troupe::bench
