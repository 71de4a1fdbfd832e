// sweep: the same load again and again, one choice changed each time.
#include "command.hpp"
#include "figure_text.hpp"
#include "load_command.hpp"
#include "load_series.hpp"
#include "load_threshold.hpp"
#include "option_words.hpp"
#include "result_table.hpp"
#include "scenario.hpp"
#include "whole_file.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace troupe::bench {
namespace {

struct sweep_options {
  std::string over{};
  double saturation = 95; // percent of what was asked for
  bool goes_on = false;
  load_format format = load_format::text;
  std::vector<std::string> outputs{};
  bool quiet = false;
  std::vector<std::string> words{}; // the load
};

struct sweep_plan {
  std::string name{}; // of the option
  std::vector<std::string> values{};
};

std::optional<sweep_plan> parse_over(const std::string& text) {
  const auto cut = text.find('=');
  if (cut == 0 || cut == std::string::npos) return std::nullopt;
  sweep_plan plan{.name = text.substr(0, cut)};
  std::istringstream rest{text.substr(cut + 1)};
  for (std::string value; std::getline(rest, value, ',');)
    if (!value.empty()) plan.values.push_back(value);
  if (plan.values.empty()) return std::nullopt;
  return plan;
}

/// Sets what the first words name, and takes them away; answers what is wrong.
std::string set_load(std::vector<std::string>& words, load_options& to) {
  constexpr std::array<std::pair<const char*, load_kind>, 4> kinds{{{"run", load_kind::run},
                                                                    {"pub", load_kind::publish},
                                                                    {"conn", load_kind::connect},
                                                                    {"rr", load_kind::round_trip}}};
  if (words.empty()) return "what is to be swept? Try: sweep --over rate=1k,2k,4k run --broker embedded:tcp";
  for (const auto& [name, kind] : kinds) {
    if (words.front() != name) continue;
    to.plan.kind = kind;
    words.erase(words.begin());
    return {};
  }
  if (words.front() != "scenario" || words.size() < 2) return "'" + words.front() + "' cannot be swept";
  for (const scenario& each : all_scenarios()) {
    if (words[1] != each.name) continue;
    each.set(to);
    words.erase(words.begin(), words.begin() + 2);
    return {};
  }
  return "there is no scenario '" + words[1] + "'";
}

/// The load with one choice made; nothing, with the reason on standard error, when it cannot be.
std::unique_ptr<load_options> resolved(const sweep_options& options, const std::string& name,
                                       const std::string& value) {
  auto load = std::make_unique<load_options>();
  std::vector<std::string> words = options.words;
  std::string wrong = set_load(words, *load);
  if (wrong.empty()) {
    CLI::App app{"", "troupe-bench sweep"};
    app.set_help_flag();
    add_load_options(app, *load);
    words.push_back("--" + name);
    words.push_back(value);
    std::reverse(words.begin(), words.end());
    try {
      app.parse(words);
      load->plan.labels.emplace_back("sweep", name + '=' + value);
      wrong = resolve(*load);
    } catch (const CLI::ParseError& problem) {
      wrong = problem.what();
    }
  }
  load->quiet = load->quiet || options.quiet;
  if (wrong.empty()) return load;
  std::fprintf(stderr, "troupe-bench sweep: %s=%s: %s\n", name.c_str(), value.c_str(), wrong.c_str());
  return nullptr;
}

/// The share of what an open loop asked for that arrived, in percent; nothing for other loads, and while the
/// rate rises: what a ramp asks for in the measured span is less than its rate.
std::optional<double> share_done(const load_plan& plan, const load_result& result) {
  if (!plan.is_open_loop() || plan.ramp_time.count() != 0) return std::nullopt;
  const double copies = plan.copies(0);
  if (copies > 0) return 100 * result.received_rate / (plan.rate * copies);
  return 100 * result.acked_rate / plan.rate;
}

std::string cell(const load_result& result, const char* name) {
  const auto value = figure_of(result, name);
  return value ? time_text(*value) : "-";
}

class sweep_table {
public:
  explicit sweep_table(const std::string& name)
      : table_{{name, "sent/s", "received/s", "of asked", "e2e p50", "p99", "p99.9", "ack p99", "connect p99",
                "cpu", "lost", "status"}} {}

  void add(const std::string& value, const load_result& result, std::optional<double> share, int status) {
    table_.add({value, rate_text(result.sent_rate), rate_text(result.received_rate),
                share ? fixed_text(*share, 1) + " %" : "-", cell(result, "e2e.p50"), cell(result, "e2e.p99"),
                cell(result, "e2e.p99.9"), cell(result, "ack.p99"), cell(result, "connect.total.p99"),
                fixed_text(result.processor_share, 2), std::to_string(result.counts.lost),
                std::to_string(status)});
    bars_.emplace_back(value, result.received_rate > 0 ? result.received_rate : result.sent_rate);
  }
  const result_table& table() const noexcept { return table_; }

  /// Throughput as bars, for a glance.
  void write_bars(std::ostream& out) const {
    constexpr double width = 50;
    double most = 0;
    for (const auto& [value, rate] : bars_) most = std::max(most, rate);
    if (most <= 0) return;
    for (const auto& [value, rate] : bars_)
      out << value << std::string(value.size() < 10 ? 10 - value.size() : 1, ' ')
          << std::string(static_cast<std::size_t>(width * rate / most), '#') << ' ' << rate_text(rate)
          << '\n';
    out << '\n';
  }

private:
  result_table table_;
  std::vector<std::pair<std::string, double>> bars_{};
};

bool write(const sweep_options& options, const sweep_table& table, std::span<const load_result> runs) {
  if (options.format == load_format::text) {
    table.table().write_text(std::cout);
    std::cout << '\n';
    table.write_bars(std::cout);
  } else {
    write_load_series(std::cout, options.format, runs, &table.table());
  }
  std::cout.flush();
  bool all_written = static_cast<bool>(std::cout);
  for (const std::string& file : options.outputs)
    all_written = write_file(file,
                             [&](std::ostream& out) {
                               write_load_series(out, load_format_of_file(file), runs, &table.table());
                             })
                  && all_written;
  return all_written;
}

/// What was said about output behind the load is meant for the whole.
void take_over_output(sweep_options& options, const load_options& load) {
  if (options.format == load_format::text) options.format = load.format;
  options.outputs.insert(options.outputs.end(), load.outputs.begin(), load.outputs.end());
  options.quiet = options.quiet || load.quiet;
}

int run_sweep(sweep_options& options) {
  const auto plan = parse_over(options.over);
  if (!plan) {
    std::fprintf(stderr, "troupe-bench sweep: --over wants NAME=VALUE,VALUE,... where --NAME is an option of "
                         "the load, as in rate=1k,2k,4k\n");
    return exit_usage;
  }
  for (const std::string& value : plan->values) { // all of them, before the first one runs
    const auto load = resolved(options, plan->name, value);
    if (!load) return exit_usage;
    if (value == plan->values.front()) take_over_output(options, *load);
  }
  sweep_table table{plan->name};
  std::vector<load_result> runs;
  int status = exit_clean;
  for (const std::string& value : plan->values) {
    const auto load = resolved(options, plan->name, value);
    if (!options.quiet) std::fprintf(stderr, "%s=%s\n", plan->name.c_str(), value.c_str());
    load_result& result = runs.emplace_back(measure_load(*load));
    const int ended = load_status(*load, result);
    const auto share = share_done(load->plan, result);
    table.add(value, result, share, ended);
    if (status == exit_clean) status = ended;
    if (ended == exit_failed || result.interrupted_by != 0) break;
    if (share && *share < options.saturation && !options.goes_on) {
      std::fprintf(stderr, "saturated at %s=%s: %s %% of what was asked for\n", plan->name.c_str(),
                   value.c_str(), fixed_text(*share, 1).c_str());
      break;
    }
  }
  return write(options, table, runs) ? status : exit_failed;
}

} // namespace

command add_sweep(CLI::App& program) {
  const auto options = std::make_shared<sweep_options>();
  CLI::App* app = program.add_subcommand(
      "sweep",
      "the same load again and again, one choice changed each time: a table, a chart, and where it ends");
  app->add_option(
         "--over", options->over,
         "NAME=VALUE,VALUE,...: an option of the load without its dashes: rate, size, clients, qos, ...")
      ->required();
  app->add_option("--saturation", options->saturation,
                  "percent: an open loop that gets less of what it asks for is saturated, and the sweep ends")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  app->add_flag("--keep-going", options->goes_on, "do not end there");
  add_choice(*app, "--format", options->format,
             std::map<std::string, load_format>{{"text", load_format::text},
                                                {"json", load_format::json},
                                                {"csv", load_format::csv},
                                                {"markdown", load_format::markdown},
                                                {"html", load_format::html}},
             "of standard output; default text");
  app->add_option("-o,--output", options->outputs,
                  "also write to FILE, as its ending says: .json .csv .md .html")
      ->allow_extra_args(false);
  app->add_flag("--quiet", options->quiet, "nothing on standard error");
  app->prefix_command();
  app->footer(
      "Then comes the load: run, pub, conn, rr or scenario NAME, with its own options:\n"
      "  troupe-bench sweep --over rate=10k,20k,50k,100k -o s.html run --broker embedded:tcp -q 1 -d 5s\n"
      "  troupe-bench sweep --over size=16,256,4KiB,64KiB run --url mqtt://broker.example\n"
      "Exit status: that of the first run that did not end well; being saturated is no failure.");
  return [options, app] {
    options->words = app->remaining();
    return run_sweep(*options);
  };
}

} // namespace troupe::bench
