#include "load_series.hpp"

#include "figure_text.hpp"
#include "load_json.hpp"
#include "load_threshold.hpp"
#include "statistics.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <ostream>

namespace troupe::bench {
namespace {

constexpr double nanoseconds_in_ms = 1e6;

} // namespace

std::string load_series_json(std::span<const load_result> runs) {
  if (runs.size() == 1) return load_json_of(runs.front());
  std::string text = "{\"schema\":1,\"kind\":\"loads\",\"runs\":[\n";
  for (std::size_t i = 0; i < runs.size(); ++i) text += (i == 0 ? "" : ",\n") + load_json_of(runs[i]);
  return text + "]}\n";
}

std::optional<std::vector<load_result>> read_load_series(const std::string& text) {
  std::vector<load_result> runs;
  if (auto one = read_load_json(text)) {
    runs.push_back(std::move(*one));
    return runs;
  }
  const auto from = nlohmann::json::parse(text, nullptr, false);
  if (!from.is_object() || from.value("kind", std::string{}) != "loads" || !from.contains("runs"))
    return std::nullopt;
  for (const auto& each : from.at("runs")) {
    auto run = read_load_json(each.dump());
    if (!run) return std::nullopt;
    runs.push_back(std::move(*run));
  }
  if (runs.empty()) return std::nullopt;
  return runs;
}

result_table repeats_table(std::span<const load_result> runs) {
  result_table table{
      {std::to_string(runs.size()) + " runs", "mean", "error", "stddev", "min", "median", "max"}};
  for (const std::string name : {"sent.rate", "acked.rate", "recv.rate", "e2e.p50", "e2e.p99", "e2e.p99.9",
                                 "ack.p50", "ack.p99", "connect.total.p50", "connect.total.p99", "cpu"}) {
    std::vector<double> values;
    for (const load_result& each : runs)
      if (const auto value = figure_of(each, name)) values.push_back(*value);
    if (values.empty()) continue;
    const summary s = summarise(values);
    if (s.largest <= 0) continue;
    table.add({name, figure_text(name, s.mean), figure_text(name, s.error), figure_text(name, s.deviation),
               figure_text(name, s.smallest), figure_text(name, s.median), figure_text(name, s.largest)});
  }
  return table;
}

void write_load_series(std::ostream& out, load_format format, std::span<const load_result> runs,
                       const result_table* table) {
  if (format == load_format::json) {
    out << load_series_json(runs);
    return;
  }
  if (format == load_format::html) return write_load_page(out, runs);
  const bool has_table = table != nullptr && runs.size() > 1 && format != load_format::csv;
  if (has_table) format == load_format::markdown ? table->write_markdown(out) : table->write_text(out);
  if (has_table) out << '\n';
  for (const load_result& each : runs) {
    write_load_report(out, format, each);
    out << (runs.size() > 1 ? "\n" : "");
  }
}

void write_hdr(std::ostream& out, const load_result& result) {
  const histogram* values = result.latency("e2e");
  if (values == nullptr) values = result.latency("ack");
  if (values == nullptr) values = result.latency("connect.total");
  out << "       Value     Percentile TotalCount 1/(1-Percentile)\n\n";
  if (values == nullptr) return;
  const auto total = static_cast<double>(values->count());
  std::uint64_t seen = 0;
  values->for_each_bucket([&](std::uint64_t end, std::uint64_t count) {
    seen += count;
    const double share = static_cast<double>(seen) / total;
    char line[128];
    const double ms = static_cast<double>(end) / nanoseconds_in_ms;
    if (seen < values->count())
      std::snprintf(line, sizeof line, "%12.6f %2.12f %10llu %14.2f\n", ms, share,
                    static_cast<unsigned long long>(seen), 1 / (1 - share));
    else
      std::snprintf(line, sizeof line, "%12.6f %2.12f %10llu\n",
                    static_cast<double>(values->largest().count()) / nanoseconds_in_ms, share,
                    static_cast<unsigned long long>(seen));
    out << line;
  });
  char line[200];
  std::snprintf(line, sizeof line, "#[Mean    = %12.6f]\n#[Max     = %12.6f, Total count    = %12llu]\n",
                values->mean() / nanoseconds_in_ms,
                static_cast<double>(values->largest().count()) / nanoseconds_in_ms,
                static_cast<unsigned long long>(values->count()));
  out << line;
}

} // namespace troupe::bench
