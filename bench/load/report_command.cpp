// report: result files again, in another format.
#include "command.hpp"
#include "load_report.hpp"
#include "load_series.hpp"
#include "option_words.hpp"
#include "percentile.hpp"
#include "whole_file.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::bench {
namespace {

struct report_options {
  std::vector<std::string> files{};
  std::string format = "text";
  std::vector<std::string> outputs{};
  std::vector<double> percentiles{}; // none: those of each result
};

std::optional<std::vector<load_result>> read_all(const std::vector<std::string>& files) {
  std::vector<load_result> results;
  for (const std::string& file : files) {
    auto runs = read_load_series(text_of_file(file));
    if (!runs) {
      std::fprintf(stderr, "troupe-bench report: %s is no result of run, pub, sub, conn or rr\n",
                   file.c_str());
      return std::nullopt;
    }
    for (load_result& each : *runs) results.push_back(std::move(each));
  }
  return results;
}

void write(std::ostream& out, load_format format, const std::vector<load_result>& results) {
  write_load_series(out, format, results, nullptr);
}

int run_report(const report_options& options) {
  auto results = read_all(options.files);
  if (!results) return exit_usage;
  if (!options.percentiles.empty())
    for (load_result& each : *results) each.percentiles = options.percentiles;
  bool all_written = true;
  if (options.outputs.empty()) write(std::cout, *load_format_named(options.format), *results);
  for (const std::string& file : options.outputs)
    all_written =
        write_file(file, [&](std::ostream& out) { write(out, load_format_of_file(file), *results); })
        && all_written;
  std::cout.flush();
  return all_written && std::cout ? exit_clean : exit_failed;
}

} // namespace

command add_report(CLI::App& program) {
  const auto options = std::make_shared<report_options>();
  CLI::App* app =
      program.add_subcommand("report", "a result file as text, Markdown, CSV, JSON or a page with plots");
  app->add_option("FILE", options->files, "written by run, pub, sub, conn or rr with -o FILE.json")
      ->required();
  app->add_option("--format", options->format, "of standard output")
      ->check(CLI::IsMember(std::vector<std::string>{"text", "json", "csv", "markdown", "html"}))
      ->capture_default_str();
  app->add_option("-o,--output", options->outputs, "write to FILE instead, as its ending says");
  add_parsed(*app, "--percentiles", "of latencies; default those that the run was asked for", "LIST",
             [options = options.get()](const std::string& word) {
               auto all = parse_percentiles(word);
               if (all) options->percentiles = std::move(*all);
               return all.has_value();
             });
  return [options] { return run_report(*options); };
}

} // namespace troupe::bench
