// report: result files again, in another format.
#include "command.hpp"
#include "load_json.hpp"
#include "load_report.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace troupe::bench {
namespace {

struct report_options {
  std::vector<std::string> files{};
  std::string format = "text";
  std::vector<std::string> outputs{};
};

int run_report(const report_options& options) {
  bool all_written = true;
  for (const std::string& file : options.files) {
    std::ifstream input{file};
    std::stringstream text;
    text << input.rdbuf();
    const auto result = read_load_json(text.str());
    if (!result) {
      std::fprintf(stderr, "troupe-bench report: %s is no result of run, pub, sub, conn or rr\n",
                   file.c_str());
      return exit_usage;
    }
    if (options.outputs.empty()) write_load_report(std::cout, *load_format_named(options.format), *result);
    for (const std::string& to : options.outputs) {
      std::ofstream out{to};
      write_load_report(out, load_format_of_file(to), *result);
      if (!out.flush()) all_written = false;
    }
  }
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
  return [options] { return run_report(*options); };
}

} // namespace troupe::bench
