// config_words: the words of a configuration file, in the place of "--config FILE".
//
// Lives here: with_config().
// Holds:   the file is TOML; its keys are the long options. true is the option alone, false is nothing, a list
//          is the option again and again. A table named as the subcommand holds keys for that one alone. What
//          stands on the command line comes later, and so wins.
// Errors:  problem: what is wrong with the file, in words; empty: nothing.
#pragma once

#include <string>
#include <vector>

namespace troupe::bench {

struct expanded_words {
  std::vector<std::string> words{};
  std::string problem{};
};

/// `words` are those after the program's name.
expanded_words with_config(const std::vector<std::string>& words);

} // namespace troupe::bench
