// bench_settings: what a measurement of troupe-bench may be told from outside; its options and the keys of
// a file are the same words.
//
// Lives here: the struct and its keys.
#pragma once

#include "field.hpp"
#include "problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::config {

struct bench_settings {
  std::string filter = "*";           // a glob over case ids
  std::string version = "both";       // 5.0 | 3.1.1 | both
  std::string transport = "all";      // tcp | tls | unix | loopback | all
  std::vector<std::string> qos{};     // 0, 1, 2; empty: all
  std::vector<std::string> payload{}; // sizes; empty: the workload's own
  std::uint16_t systems = 1;          // actor systems: 1 shared, 2 apart
  std::string scheduler = "own";      // own | sharing | stealing
  std::uint32_t workers = 1;
  std::string broker = "embedded"; // or a URL
  std::string job = "short";       // short | full
  bool full = false;               // every row, not the usual selection
  std::string format = "text";     // text | json | markdown | html

  description describe();
  std::vector<problem> check() const;
  friend bool operator==(const bench_settings&, const bench_settings&) = default;
};

} // namespace troupe::config
