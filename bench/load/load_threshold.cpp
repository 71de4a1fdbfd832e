#include "load_threshold.hpp"

#include "figure_text.hpp"
#include "percentile.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::bench {
namespace {

using count = std::uint64_t load_counts::*;
constexpr std::array<std::pair<std::string_view, count>, 13> counts{
    {{"sent", &load_counts::sent},
     {"acked", &load_counts::acked},
     {"received", &load_counts::received},
     {"expected", &load_counts::expected},
     {"lost", &load_counts::lost},
     {"duplicated", &load_counts::duplicated},
     {"reordered", &load_counts::reordered},
     {"damaged", &load_counts::damaged},
     {"foreign", &load_counts::foreign},
     {"errors", &load_counts::errors},
     {"connected", &load_counts::connected},
     {"connect_failures", &load_counts::connect_failures},
     {"dropped_connections", &load_counts::dropped_connections}}};

using rate = double load_result::*;
constexpr std::array<std::pair<std::string_view, rate>, 4> rates{{{"sent.rate", &load_result::sent_rate},
                                                                  {"acked.rate", &load_result::acked_rate},
                                                                  {"recv.rate", &load_result::received_rate},
                                                                  {"cpu", &load_result::processor_share}}};

constexpr std::array<std::string_view, 14> latencies{
    "e2e",          "e2e.uncorrected", "ack",           "ack.uncorrected", "lag",
    "connect.dial", "connect.mqtt",    "connect.total", "subscribe",       "reconnect",
    "takeover",     "stored.first",    "stored.all",    "slow.e2e"};

double nanoseconds(histogram::duration time) noexcept { return static_cast<double>(time.count()); }

std::optional<double> value_of(const histogram& values, std::string_view what) {
  if (what == ".mean") return values.mean();
  if (what == ".min") return nanoseconds(values.smallest());
  if (what == ".max") return nanoseconds(values.largest());
  if (!what.starts_with('.')) return std::nullopt;
  const auto share = share_of_name(what.substr(1));
  return share ? std::optional{nanoseconds(values.percentile(*share))} : std::nullopt;
}

/// The latency a name begins with, and the rest; the longest fits best.
std::pair<std::string_view, std::string_view> parted(std::string_view name) {
  std::string_view best;
  for (const std::string_view each : latencies)
    if (name.starts_with(each) && each.size() > best.size()) best = each;
  return {best, name.substr(best.size())};
}

template <class Table>
auto* entry_of(const Table& table, std::string_view name) {
  const auto place =
      std::find_if(table.begin(), table.end(), [name](const auto& each) { return each.first == name; });
  return place == table.end() ? nullptr : &place->second;
}

} // namespace

bool has_figure_name(std::string_view name) {
  if (entry_of(counts, name) || entry_of(rates, name) || name == "recv.mbps" || name == "rss") return true;
  const auto [latency, what] = parted(name);
  return !latency.empty() && value_of(histogram{}, what).has_value();
}

std::optional<double> figure_of(const load_result& result, std::string_view name) {
  if (const auto* which = entry_of(counts, name)) return static_cast<double>(result.counts.*(*which));
  if (const auto* which = entry_of(rates, name)) return result.*(*which);
  if (name == "recv.mbps") return result.received_rate * static_cast<double>(result.payload) / 1e6;
  if (name == "rss") return static_cast<double>(result.resident);
  const auto [latency, what] = parted(name);
  const histogram* values = result.latency(latency);
  if (values == nullptr || values->count() == 0) return std::nullopt;
  return value_of(*values, what);
}

std::string figure_text(std::string_view name, double value) {
  if (name.ends_with(".rate")) return rate_text(value);
  if (name == "cpu") return fixed_text(value, 2) + " cores";
  if (name == "recv.mbps") return fixed_text(value, 2) + " MB/s";
  if (name == "rss") return fixed_text(value / 1e6, 1) + " MB";
  return entry_of(counts, name) ? fixed_text(value, 0) : time_text(value);
}

std::vector<threshold_verdict> judge(const load_result& result, std::span<const condition> conditions) {
  std::vector<threshold_verdict> verdicts;
  for (const condition& each : conditions) {
    const auto value = figure_of(result, each.metric);
    verdicts.push_back({each.text, value, value && holds(*value, each)});
  }
  return verdicts;
}

} // namespace troupe::bench
