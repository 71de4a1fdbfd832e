#include "row_choice.hpp"

#include <algorithm>

namespace troupe::bench {
namespace {

bool is_kept(const workload& row, const row_choice& choice) {
  if (choice.demo && !row.in_demo) return false;
  if (choice.filter.empty() && !choice.full && !choice.demo && !row.in_short) return false;
  return (!choice.version || row.version == *choice.version)
         && (!choice.transport || row.transport == *choice.transport)
         && (!choice.quality || row.quality == *choice.quality)
         && (!choice.payload || row.payload == *choice.payload);
}

/// Fits the row to the arrangement that is asked for; false when it cannot be.
bool rearrange(workload& row, const row_choice& choice) {
  if (choice.systems && row.systems != *choice.systems) {
    row.systems = *choice.systems;
    row.id += "/systems" + std::to_string(row.systems);
  }
  if (choice.scheduler && row.scheduler != *choice.scheduler) {
    row.scheduler = *choice.scheduler;
    row.id += '/' + std::string{name(row.scheduler)};
  }
  return row.systems == 1 || row.transport != medium::loopback;
}

/// The table's own variants of a row, when the same variant is asked for anyway.
bool is_variant(const workload& row, const row_choice& choice) noexcept {
  return (choice.systems && row.systems != 1) || (choice.scheduler && row.scheduler != scheduler_kind::own);
}

} // namespace

std::vector<workload> choose_rows(const row_choice& choice) {
  std::vector<workload> chosen;
  for (workload& row : all_workloads()) {
    if (!is_kept(row, choice) || is_variant(row, choice) || !rearrange(row, choice)) continue;
    if (choice.filter.empty() || matches(choice.filter, row.id)) chosen.push_back(std::move(row));
  }
  return chosen;
}

} // namespace troupe::bench
