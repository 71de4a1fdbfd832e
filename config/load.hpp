// load: defaults < file < environment < command line -> settings, or all that is wrong with them at once.
//
// Lives here: sources, loading, load, print (the settings as a file). CLI11 stays in the source.
// Holds:   receive_maximum is "receive_maximum" in a file, TROUPE_BROKER_RECEIVE_MAXIMUM in the environment
//          (with that prefix) and --receive-maximum on the command line; tls.ca_file is TROUPE_.._TLS_CA_FILE
//          and --tls-ca-file. Lists are repeated options, and separated by commas in the environment.
//          An unknown key, variable or option is a problem; --config FILE names the file. --print-config
//          asks for the settings that would hold.
// Errors:  as problems; the settings are then partly changed and not to be used.
#pragma once

#include "field.hpp"
#include "problem.hpp"

#include <string>
#include <vector>

namespace troupe::config {

struct sources {
  std::string program{};                // "troupe-broker", for the help
  std::string purpose{};                // one sentence, for the help
  bool prints = false;                  // the program knows --print-config
  std::string advice{};                 // what stands below the options in the help
  std::string environment_prefix{};     // "TROUPE_BROKER_"; empty: the environment is not read
  std::string file{};                   // read when the command line names none; empty: none
  std::vector<std::string> arguments{}; // without the program's name
};

struct loading {
  std::vector<problem> problems{};
  std::string help{};           // not empty when --help was asked for; nothing has been loaded then
  bool is_print_wanted = false; // by --print-config
  bool is_good() const noexcept { return problems.empty() && help.empty(); }
};

/// As a file that, read again, gives the same settings; a sentence above each key.
std::string print(const description& settings);

loading load(const description& settings, const sources& from);

/// Loads, then lets the settings judge themselves as a whole.
template <class Settings>
loading load(Settings& settings, const sources& from) {
  loading result = load(settings.describe(), from);
  if (!result.help.empty()) return result;
  for (problem& trouble : settings.check()) result.problems.push_back(std::move(trouble));
  return result;
}

/// argv as `sources::arguments`.
std::vector<std::string> arguments_of(int argc, const char* const* argv);

} // namespace troupe::config
