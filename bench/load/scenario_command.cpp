// scenario: loads that are known by a name, with sizes as options.
#include "command.hpp"
#include "load_command.hpp"
#include "scenario.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::bench {
namespace {

void list_scenarios() {
  for (const scenario& each : all_scenarios()) std::printf("%-17s %s\n", each.name, each.text);
}

} // namespace

command add_scenario(CLI::App& program) {
  CLI::App* group = program.add_subcommand(
      "scenario",
      "loads that are known by a name; each takes the options of run or conn, which change its sizes");
  const auto lists = std::make_shared<bool>(false);
  group->add_flag("--list", *lists, "names and what they do");
  group->require_subcommand(0, 1);
  group->footer(
      "troupe-bench scenario NAME --help says what can be changed, --dry-run what would be done.\n"
      "They run against --broker embedded, embedded:tcp, or a URL, and end like run: 0 well, 3 when\n"
      "something went astray or did not come back, 99 a threshold not met.");
  std::vector<std::pair<CLI::App*, std::shared_ptr<load_options>>> all;
  for (const scenario& each : all_scenarios()) {
    const auto options = std::make_shared<load_options>();
    each.set(*options);
    CLI::App* app = group->add_subcommand(each.name, each.text);
    add_load_options(*app, *options);
    all.emplace_back(app, options);
  }
  return [group, lists, all = std::move(all)]() -> int {
    for (const auto& [app, options] : all)
      if (app->parsed()) return run_load_command(*options, "scenario " + app->get_name());
    if (!*lists) std::fputs(group->help().c_str(), stderr);
    if (*lists) list_scenarios();
    return *lists ? exit_clean : exit_usage;
  };
}

} // namespace troupe::bench
