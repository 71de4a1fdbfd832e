// problem: one thing that is wrong with the settings.
//
// Lives here: where it was written, the key, and what is wrong. Programs print all of them and leave
//          with exit code 2.
#pragma once

#include <cstdint>
#include <string>

namespace troupe::config {

struct problem {
  std::string source{};   // a file's name, "environment" or "command line"; empty: the settings as a whole
  std::uint32_t line = 0; // 0: the source has no lines
  std::string key{};
  std::string what{};
  friend bool operator==(const problem&, const problem&) = default;
};

/// "broker.toml:12: receive_maximum: wants a number from 1 to 65535, not '0'"
std::string to_string(const problem& trouble);

} // namespace troupe::config
