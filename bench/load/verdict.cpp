#include "verdict.hpp"

#include <cmath>
#include <cstdio>

namespace troupe::bench {
namespace {

bool is_pair(const workload& a, const workload& b) noexcept {
  return a.kind == b.kind && a.transport == b.transport && a.quality == b.quality && a.payload == b.payload
         && a.messages == b.messages && a.systems == b.systems && a.scheduler == b.scheduler;
}

void add_pair(version_verdict& to, const row& v5, const row& v3) {
  const auto ours = figures_of(v5);
  const auto other = figures_of(v3);
  if (!ours || !other || ours->time.mean <= 0) return;
  to.pairs.push_back({&v5, &v3, other->time.mean / ours->time.mean, differs(ours->time, other->time, 0.999)});
}

} // namespace

version_verdict compare_versions(std::span<const row> rows) {
  version_verdict result;
  for (const row& v5 : rows) {
    if (v5.work.version != protocol::version::v5_0) continue;
    for (const row& v3 : rows) {
      if (v3.work.version != protocol::version::v3_1_1 || !is_pair(v5.work, v3.work)) continue;
      add_pair(result, v5, v3);
      break;
    }
  }
  double sum = 0;
  for (const version_pair& pair : result.pairs) {
    sum += std::log(pair.ratio);
    if (!pair.keeps_up()) ++result.behind;
  }
  if (!result.pairs.empty()) result.mean_ratio = std::exp(sum / static_cast<double>(result.pairs.size()));
  return result;
}

std::string sentence(const version_verdict& verdict) {
  if (verdict.pairs.empty()) return {};
  char text[256];
  std::snprintf(
      text, sizeof text,
      "5.0 against 3.1.1: %.3f of its throughput over %zu pairs of rows (geometric mean); in %zu of them "
      "5.0 is behind by more than 5 %% and significantly so.",
      verdict.mean_ratio, verdict.pairs.size(), verdict.behind);
  std::string result = text;
  for (const version_pair& pair : verdict.pairs) {
    if (pair.keeps_up()) continue;
    std::snprintf(text, sizeof text, "\n  behind: %s at %.3f", pair.v5->work.id.c_str(), pair.ratio);
    result += text;
  }
  return result;
}

run_state state_of(std::span<const row> rows) noexcept {
  run_state state = run_state::clean;
  for (const row& each : rows) {
    if (!each.failure.empty()) return run_state::failed;
    if (each.found.total() != 0) state = run_state::astray;
  }
  return state;
}

} // namespace troupe::bench
