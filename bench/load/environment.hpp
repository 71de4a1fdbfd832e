// environment: where a figure was measured; without it a figure means nothing.
//
// Lives here: environment, describe_environment().
// Units:   cores are those this process may use.
#pragma once

#include <string>

namespace troupe::bench {

struct environment {
  std::string version{}; // of the library
  std::string compiler{};
  std::string build{}; // "release" or "debug", sanitizers
  std::string processor{};
  unsigned cores = 0;
  std::string kernel{};
  std::string system{}; // name and version of the distribution
  std::string date{};   // UTC, ISO 8601
};

environment describe_environment();

} // namespace troupe::bench
