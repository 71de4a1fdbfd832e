#include "load_report.hpp"

#include "figure_text.hpp"
#include "load_json.hpp"
#include "load_plot.hpp"
#include "load_threshold.hpp"
#include "percentile.hpp"
#include "result_table.hpp"
#include "statistics.hpp"

#include <array>
#include <ostream>
#include <sstream>
#include <utility>

namespace troupe::bench {
namespace {

constexpr std::array<std::pair<std::string_view, load_format>, 5> formats{
    {{"text", load_format::text},
     {"json", load_format::json},
     {"csv", load_format::csv},
     {"markdown", load_format::markdown},
     {"html", load_format::html}}};

result_table rates_table(const load_result& result) {
  result_table table{{"throughput", "mean", "stddev", "min", "median", "max", "MB/s"}};
  const auto add = [&](const char* name, double mean, double load_slice::*member, std::uint64_t count) {
    if (count == 0) return;
    std::vector<double> values;
    for (const load_slice& each : result.series) values.push_back(each.*member);
    const summary s = summarise(values);
    const double octets = mean * static_cast<double>(result.payload) / 1e6;
    table.add({name, rate_text(mean), rate_text(s.deviation), rate_text(s.smallest), rate_text(s.median),
               rate_text(s.largest), fixed_text(octets, 2)});
  };
  add("sent", result.sent_rate, &load_slice::sent, result.counts.sent);
  add("acknowledged", result.acked_rate, &load_slice::acked, result.counts.acked);
  add("received", result.received_rate, &load_slice::received, result.counts.received);
  return table;
}

result_table latency_table(const load_result& result) {
  std::vector<std::string> head{"latency", "mean", "min"};
  for (const double each : result.percentiles) head.push_back(percentile_name(each));
  head.insert(head.end(), {"max", "samples"});
  result_table table{std::move(head)};
  for (const auto& [name, values] : result.latencies) {
    std::vector<std::string> cells{name, time_text(values.mean()),
                                   time_text(static_cast<double>(values.smallest().count()))};
    for (const double each : result.percentiles)
      cells.push_back(time_text(figure_of(result, name + '.' + percentile_name(each)).value_or(0)));
    cells.push_back(time_text(static_cast<double>(values.largest().count())));
    cells.push_back(std::to_string(values.count()));
    table.add(std::move(cells));
  }
  return table;
}

result_table counts_table(const load_result& result) {
  const load_counts& c = result.counts;
  result_table table{{"sent", "acknowledged", "received", "expected", "lost", "duplicated", "reordered",
                      "damaged", "errors", "connected", "not connected", "dropped"}};
  const auto text = [](std::uint64_t count) { return std::to_string(count); };
  table.add({text(c.sent), text(c.acked), text(c.received), text(c.expected), text(c.lost),
             text(c.duplicated), text(c.reordered), text(c.damaged), text(c.errors), text(c.connected),
             text(c.connect_failures), text(c.dropped_connections)});
  return table;
}

std::string environment_line(const environment& where) {
  std::ostringstream out;
  out << "troupe " << where.version << ", " << where.build << ", " << where.compiler << "; "
      << where.processor << ", " << where.cores << " cores; " << where.kernel << "; " << where.system << "; "
      << where.date;
  return out.str();
}

std::string span_line(const load_result& result) {
  return fixed_text(result.measured, 3) + " s measured, " + fixed_text(result.warm_up, 1)
         + " s warm-up excluded from rates and latencies; this process used "
         + fixed_text(100 * result.processor_share, 0) + " % of a core, "
         + fixed_text(static_cast<double>(result.resident) / 1e6, 1) + " MB resident";
}

std::string measured_text(const threshold_verdict& verdict) {
  if (!verdict.value) return "no such figure in this run";
  const auto what = parse_condition(verdict.text);
  return what ? figure_text(what->metric, *verdict.value) : exact_text(*verdict.value);
}

std::string ending(const load_result& result) {
  std::string text;
  for (const threshold_verdict& each : result.thresholds)
    text += std::string{each.is_met ? "met       " : "NOT MET   "} + each.text + "  (" + measured_text(each)
            + ")\n";
  for (const std::string& each : result.notes) text += "note: " + each + '\n';
  if (result.latency("e2e.uncorrected") || result.latency("ack.uncorrected"))
    text += "Latencies count from when a message was due (corrected for coordinated omission); uncorrected "
            "ones from when it was sent.\n";
  if (result.interrupted_by != 0)
    text += "INTERRUPTED by signal " + std::to_string(result.interrupted_by) + '\n';
  if (!result.failure.empty()) text += "FAILED: " + result.failure + '\n';
  return text;
}

template <class Write>
void each_table(const load_result& result, Write write) {
  write(counts_table(result));
  if (result.counts.sent + result.counts.received != 0) write(rates_table(result));
  if (!result.latencies.empty()) write(latency_table(result));
}

std::string plan_line(const load_result& result) {
  std::string text;
  for (const auto& [key, value] : result.plan)
    if (!value.empty()) text += (text.empty() ? "" : "  ") + key + "=" + value;
  return text;
}

void write_csv(std::ostream& out, const load_result& result) {
  out << "figure,value,unit\n";
  const auto add = [&](const std::string& name, double value, const char* unit) {
    out << name << ',' << exact_text(value) << ',' << unit << '\n';
  };
  for (const char* name :
       {"sent", "acked", "received", "expected", "lost", "duplicated", "reordered", "damaged", "foreign",
        "errors", "connected", "connect_failures", "dropped_connections"})
    add(name, figure_of(result, name).value_or(0), "1");
  add("measured", result.measured, "s");
  for (const char* name : {"sent.rate", "acked.rate", "recv.rate"})
    add(name, figure_of(result, name).value_or(0), "1/s");
  add("recv.mbps", figure_of(result, "recv.mbps").value_or(0), "MB/s");
  add("cpu", result.processor_share, "cores");
  add("rss", static_cast<double>(result.resident), "octets");
  std::vector<std::string> kinds{"mean", "min"};
  for (const double each : result.percentiles) kinds.push_back(percentile_name(each));
  kinds.push_back("max");
  for (const load_latency& each : result.latencies)
    for (const std::string& what : kinds)
      if (const auto value = figure_of(result, each.name + '.' + what))
        add(each.name + '.' + what, *value, "ns");
}

void write_section(std::ostream& out, const load_result& result) {
  out << "<h1>" << html_text("troupe-bench " + result.title) << "</h1>\n<p>"
      << html_text(environment_line(result.where)) << "</p>\n<p>" << html_text(span_line(result)) << "</p>\n";
  each_table(result, [&](const result_table& table) { table.write_html(out); });
  out << "<pre>" << html_text(ending(result)) << "</pre>\n<p>" << html_text(plan_line(result)) << "</p>\n";
}

} // namespace

std::optional<load_format> load_format_named(std::string_view name) noexcept {
  for (const auto& [word, format] : formats)
    if (word == name) return format;
  return std::nullopt;
}

load_format load_format_of_file(std::string_view file) noexcept {
  if (file.ends_with(".json")) return load_format::json;
  if (file.ends_with(".csv")) return load_format::csv;
  if (file.ends_with(".md")) return load_format::markdown;
  if (file.ends_with(".html")) return load_format::html;
  return load_format::text;
}

void write_load_page(std::ostream& out, std::span<const load_result> results) {
  out << "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>troupe-bench</title>\n"
      << page_style();
  for (const load_result& each : results) write_section(out, each);
  const auto plots = draw_plots(results);
  for (const load_plot& each : plots) out << "<h2>" << html_text(each.title) << "</h2>\n" << each.svg << '\n';
  if (plots.empty())
    out << "<p>There are no pictures: either gnuplot is not installed (Debian: gnuplot-nox), or nothing was "
           "measured.</p>\n";
  out << "</html>\n";
}

void write_series_csv(std::ostream& out, const load_result& result) {
  out << "end_s,sent_per_s,acked_per_s,received_per_s,p50_ns,p99_ns\n";
  const auto text = [](const std::optional<double>& value) {
    return value ? exact_text(*value) : std::string{};
  };
  for (const load_slice& each : result.series)
    out << exact_text(each.end) << ',' << exact_text(each.sent) << ',' << exact_text(each.acked) << ','
        << exact_text(each.received) << ',' << text(each.p50) << ',' << text(each.p99) << '\n';
}

void write_load_report(std::ostream& out, load_format format, const load_result& result) {
  switch (format) {
  case load_format::json: out << load_json_of(result); return;
  case load_format::csv: write_csv(out, result); return;
  case load_format::html: write_load_page(out, {&result, 1}); return;
  case load_format::text:
  case load_format::markdown: break;
  }
  const bool is_text = format == load_format::text;
  out << (is_text ? "" : "# ") << "troupe-bench " << result.title << "\n\n"
      << environment_line(result.where) << "\n\n"
      << span_line(result) << "\n\n";
  each_table(result, [&](const result_table& table) {
    is_text ? table.write_text(out) : table.write_markdown(out);
    out << '\n';
  });
  out << ending(result);
}

} // namespace troupe::bench
