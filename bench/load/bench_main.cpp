// troupe-bench: the load tool.
#include "command.hpp"
#include "config_words.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

namespace {

using namespace troupe::bench;

/// CLI11's own codes are folded into ours: help is success, everything else wrong usage.
int usage_status(const CLI::App& program, const CLI::ParseError& problem) {
  return program.exit(problem) == 0 ? exit_clean : exit_usage;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App program{"troupe-bench: MQTT load and what it costs", "troupe-bench"};
  program.set_help_flag("--help", "print this and leave");
  program.require_subcommand(1);
  const std::vector<command> commands{add_e2e(program),      add_run(program),         add_pub(program),
                                      add_sub(program),      add_conn(program),        add_rr(program),
                                      add_scenario(program), add_sweep(program),       add_probe(program),
                                      add_versus(program),   add_null_broker(program), add_compare(program),
                                      add_report(program)};
  auto [words, trouble] = with_config({argv + 1, argv + argc});
  if (!trouble.empty()) {
    std::fprintf(stderr, "troupe-bench: %s\n", trouble.c_str());
    return exit_usage;
  }
  try {
    std::reverse(words.begin(), words.end()); // as the parser wants them
    program.parse(std::move(words));
  } catch (const CLI::ParseError& problem) {
    return usage_status(program, problem);
  }
  try {
    const auto names = program.get_subcommands({});
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i]->parsed()) return commands[i]();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "troupe-bench: %s\n", problem.what());
  }
  return exit_failed;
}
