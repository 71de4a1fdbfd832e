// versus: the comparison with other libraries and brokers.
#include "command.hpp"
#include "interrupt.hpp"
#include "versus.hpp"
#include "versus_report.hpp"
#include "whole_file.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace troupe::bench {
namespace {

struct versus_command_options {
  versus_options what{};
  std::string job = "short";
  std::string format = "text";
  std::vector<std::string> outputs{};
  bool clients_only = false;
  bool lists = false;
  bool quiet = false;
  bool has_repeats = false;
  std::string only{}; // a case to be done here, by one library
  std::string peer{};
  std::uint16_t port = 0;
};

int run_only(const versus_command_options& options) {
  const peer_case* what = peer_case_named(options.only);
  if (what == nullptr) {
    std::fprintf(stderr, "troupe-bench versus: there is no case '%s'; --list names them\n",
                 options.only.c_str());
    return exit_usage;
  }
  const peer_figures figures = run_peer_case(*what, options.peer, options.port, options.what.scale);
  std::cout << figures_json(figures) << '\n';
  return figures.failure.empty() ? exit_clean : exit_failed;
}

void list_cases() {
  for (const peer_case& each : all_peer_cases()) std::printf("%-29s %s\n", each.id, each.text);
  std::printf("libraries:");
  for (const std::string& each : peer_names()) std::printf(" %s", each.c_str());
  std::printf("\n");
}

bool write_files(const versus_command_options& options, const versus_result& result) {
  bool all_written = true;
  for (const std::string& file : options.outputs)
    all_written =
        write_file(file, [&](std::ostream& out) { write_versus(out, load_format_of_file(file), result); })
        && all_written;
  return all_written;
}

int run_all(versus_command_options& options) {
  if (!has_wanted_case(options.what)) {
    std::fprintf(stderr, "troupe-bench versus: no case fits '%s'; --list names them\n",
                 options.what.filter.c_str());
    return exit_usage;
  }
  interrupt signals;
  if (!options.has_repeats) options.what.repeats = options.job == "full" ? 9 : 3;
  options.what.has_brokers = !options.clients_only;
  options.what.tell = [&](const std::string& what) {
    if (!options.quiet) std::fprintf(stderr, "%s\n", what.c_str());
    return !signals.wait(std::chrono::nanoseconds{0});
  };
  const versus_result result = run_versus(options.what);
  write_versus(std::cout, *load_format_named(options.format), result);
  std::cout.flush();
  const bool all_written = write_files(options, result) && std::cout;
  if (signals.signal() != 0) return exit_interrupted + signals.signal();
  return has_failed(result) || !all_written ? exit_failed : exit_clean;
}

} // namespace

command add_versus(CLI::App& program) {
  const auto options = std::make_shared<versus_command_options>();
  CLI::App* app = program.add_subcommand(
      "versus",
      "ours beside libmosquitto and Paho C, and our broker beside mosquitto, started for the purpose");
  app->add_option("--filter", options->what.filter, "cases whose id matches this glob")
      ->capture_default_str();
  app->add_option("--job", options->job, "short: 3 repeats, full: 9")
      ->check(CLI::IsMember(std::vector<std::string>{"short", "full"}))
      ->capture_default_str();
  app->add_option_function<std::uint32_t>(
         "--repeats",
         [options](std::uint32_t count) {
           options->what.repeats = count;
           options->has_repeats = true;
         },
         "so many, by turns")
      ->check(CLI::Range(1, 1'000));
  app->add_option("--scale", options->what.scale, "of the number of operations: 0.1 for a quick look")
      ->check(CLI::Range(1e-6, 1e3))
      ->capture_default_str();
  app->add_flag("--clients-only", options->clients_only, "do not compare brokers");
  app->add_flag("--list", options->lists, "cases and libraries");
  app->add_option("--format", options->format, "of standard output")
      ->check(CLI::IsMember(std::vector<std::string>{"text", "markdown", "json"}))
      ->capture_default_str();
  app->add_option("-o,--output", options->outputs, "also write to FILE: .json .md .txt")
      ->allow_extra_args(false);
  app->add_flag("--quiet", options->quiet, "nothing on standard error");
  CLI::Option* only = app->add_option("--only", options->only, "one case in this process, figures as JSON");
  app->add_option("--peer", options->peer, "of --only: the library")->needs(only);
  app->add_option("--port", options->port, "of --only: where the broker is")->needs(only);
  app->footer(
      "Each case of each library is a process of its own; libraries take turns. CPU, allocations, faults\n"
      "and switches are those of the client's process. A row where another is better is named at the end.\n"
      "Exit status: 0 all was measured, 1 something could not be, or we broke the broker's window.");
  return [options]() -> int {
    if (options->lists) {
      list_cases();
      return exit_clean;
    }
    return options->only.empty() ? run_all(*options) : run_only(*options);
  };
}

} // namespace troupe::bench
