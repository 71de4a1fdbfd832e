// compare: result files against a base.
#include "case_compare.hpp"
#include "command.hpp"
#include "figure_text.hpp"
#include "load_compare.hpp"
#include "load_series.hpp"
#include "result_table.hpp"
#include "whole_file.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace troupe::bench {
namespace {

struct compare_command_options {
  std::vector<std::string> files{};
  double percent = 5;
  double alpha = 0.01;
  bool force = false;
  std::string format = "text";
};

struct compared_file {
  std::string name{};
  std::vector<compared_figure> figures{};
};

int usage_problem(const std::string& text) {
  std::fprintf(stderr, "troupe-bench compare: %s\n", text.c_str());
  return exit_usage;
}

std::string value_text(const compared_figure& figure, double value) {
  if (figure.unit == "ns") return time_text(value);
  return figure.unit == "1/s" ? rate_text(value) : exact_text(value);
}

std::string percent_text(const std::optional<double>& share) {
  if (!share) return "-";
  return (*share >= 0 ? "+" : "") + fixed_text(100 * *share, 1) + " %";
}

result_table table_of(const compared_file& file) {
  result_table table{{file.name, "base", "new", "change", "95 % interval", "p", "verdict"}};
  for (const compared_figure& each : file.figures) {
    const std::string interval =
        each.low ? percent_text(each.low) + " .. " + percent_text(each.high) : std::string{"-"};
    table.add({each.name, value_text(each, each.base), value_text(each, each.fresh),
               percent_text(each.change), interval, each.p ? fixed_text(*each.p, 4) : "-",
               std::string{name(each.verdict)}});
  }
  return table;
}

std::string json_of(const std::vector<compared_file>& files) {
  using json = nlohmann::ordered_json;
  const auto optional = [](const std::optional<double>& value) {
    return value ? json(*value) : json(nullptr);
  };
  json all = json::array();
  for (const compared_file& file : files) {
    json figures = json::array();
    for (const compared_figure& each : file.figures)
      figures.push_back({{"name", each.name},
                         {"unit", each.unit},
                         {"base", each.base},
                         {"new", each.fresh},
                         {"change", optional(each.change)},
                         {"low", optional(each.low)},
                         {"high", optional(each.high)},
                         {"p", optional(each.p)},
                         {"verdict", each.verdict == verdict_word::worse ? "worse" : name(each.verdict)}});
    all.push_back({{"file", file.name}, {"figures", std::move(figures)}});
  }
  return json{{"schema", 1}, {"kind", "comparison"}, {"comparisons", std::move(all)}}.dump(2) + '\n';
}

void write(const std::vector<compared_file>& files, const std::string& format) {
  if (format == "json") {
    std::cout << json_of(files);
    return;
  }
  for (const compared_file& each : files) {
    format == "markdown" ? table_of(each).write_markdown(std::cout) : table_of(each).write_text(std::cout);
    std::cout << '\n';
  }
}

int run_compare(const compare_command_options& options) {
  if (options.files.size() < 2) return usage_problem("there must be a base and at least one other file");
  const compare_options how{.limit = options.percent / 100, .alpha = options.alpha};
  const std::string base_text = text_of_file(options.files.front());
  const auto base = read_load_series(base_text);
  std::vector<compared_file> files;
  for (std::size_t i = 1; i < options.files.size(); ++i) {
    const std::string& file = options.files[i];
    const std::string text = text_of_file(file);
    if (auto cases = compare_cases(base_text, text, how)) {
      if (cases->empty()) return usage_problem(file + " has no row in common with " + options.files.front());
      files.push_back({file, std::move(*cases)});
      continue;
    }
    const auto fresh = read_load_series(text);
    if (!base || !fresh)
      return usage_problem((base ? file : options.files.front())
                           + " is no result of this program, or of another kind");
    if (const auto misfits = misfits_of(base->front(), fresh->front()); !misfits.empty() && !options.force) {
      for (const std::string& each : misfits) std::fprintf(stderr, "differs in %s\n", each.c_str());
      return usage_problem(file + " was measured otherwise than " + options.files.front()
                           + "; --force compares anyway");
    }
    files.push_back({file, compare_load_series(*base, *fresh, how)});
  }
  write(files, options.format);
  const bool is_worse = std::any_of(files.begin(), files.end(), [](const compared_file& file) {
    return std::any_of(file.figures.begin(), file.figures.end(),
                       [](const compared_figure& each) { return each.verdict == verdict_word::worse; });
  });
  return is_worse ? exit_threshold : exit_clean;
}

} // namespace

command add_compare(CLI::App& program) {
  const auto options = std::make_shared<compare_command_options>();
  CLI::App* app = program.add_subcommand("compare", "result files against a base: change, interval, verdict");
  app->add_option("FILES", options->files,
                  "the base, then what is compared with it; JSON of run, ... or of e2e")
      ->required();
  app->add_option("--fail-on", options->percent, "percent; a smaller change is none")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app->add_option("--alpha", options->alpha, "of the Mann-Whitney test")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app->add_flag("--force", options->force, "also when plans or machines differ");
  app->add_option("--format", options->format, "")
      ->check(CLI::IsMember(std::vector<std::string>{"text", "markdown", "json"}))
      ->capture_default_str();
  app->footer("Exit status: 0 no significant loss, 99 at least one, 2 the files cannot be compared.");
  return [options] { return run_compare(*options); };
}

} // namespace troupe::bench
