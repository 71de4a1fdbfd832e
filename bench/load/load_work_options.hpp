// load_work_options: the words about what a load sends, how much, how fast, and what is written about it.
//
// Lives here: add_work_options(), add_output_options(), quality_words().
// Errors:  CLI11's.
#pragma once

#include "load_options.hpp"

#include <map>
#include <string>

namespace troupe::bench {

void add_work_options(CLI::App& app, load_options& to);
void add_output_options(CLI::App& app, load_options& to);

/// 0, 1, 2.
std::map<std::string, protocol::qos> quality_words();

} // namespace troupe::bench
