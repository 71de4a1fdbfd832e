// row_choice: which rows of the table a command line means.
//
// Lives here: row_choice, choose_rows().
// Holds:   filters keep rows; `systems` and `scheduler` change the rows they do not fit and are then
//          part of their ids. Without `full` and without a filter by name, rows that take long or vary
//          the arrangement are left out.
// Errors:  two systems have no loopback in common: such rows are left out.
#pragma once

#include "workload.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::bench {

struct row_choice {
  std::string filter{}; // glob over ids; empty: all
  bool full = false;
  bool demo = false;
  std::optional<protocol::version> version{};
  std::optional<medium> transport{};
  std::optional<protocol::qos> quality{};
  std::optional<std::size_t> payload{};
  std::optional<unsigned> systems{};
  std::optional<scheduler_kind> scheduler{};
};

std::vector<workload> choose_rows(const row_choice& choice);

} // namespace troupe::bench
