#include "result_report.hpp"

#include "result_json.hpp"
#include "result_table.hpp"
#include "verdict.hpp"

#include <cstdio>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace troupe::bench {
namespace {

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string time_text(double nanoseconds) {
  if (nanoseconds < 10'000) return fixed(nanoseconds, 1) + " ns";
  if (nanoseconds < 10'000'000) return fixed(nanoseconds / 1e3, 1) + " us";
  return fixed(nanoseconds / 1e6, 1) + " ms";
}

std::string rate_text(double nanoseconds) {
  const double rate = nanoseconds > 0 ? 1e9 / nanoseconds : 0;
  return rate >= 1e6 ? fixed(rate / 1e6, 2) + " M/s" : fixed(rate / 1e3, 1) + " k/s";
}

std::string count_text(double value) { return value != 0 && value < 0.001 ? "<0.001" : fixed(value, 3); }

const std::string none = "-";

template <class T, class Text>
std::string or_none(const std::optional<T>& value, Text text) {
  return value ? text(*value) : none;
}

std::string faults_text(const faults& found) {
  return std::to_string(found.lost) + '/' + std::to_string(found.duplicated) + '/'
         + std::to_string(found.reordered + found.damaged);
}

result_table throughput_table(std::span<const row> rows) {
  result_table table{{"throughput", "mean", "error", "stddev", "median", "messages", "raw limit", "ours/raw",
                      "published", "faster", "lost/dup/order"}};
  for (const row& each : rows) {
    if (is_latency(each.work)) continue;
    const auto f = figures_of(each);
    if (!f) continue;
    const auto raw = [&](const raw_figures& r) {
      return time_text(r.time.mean) + " (" + std::to_string(r.threads) + ")";
    };
    const auto faster = [&](double published) { return fixed(published / f->time.mean, 1) + "x"; };
    table.add({each.work.id, time_text(f->time.mean), time_text(f->time.error), time_text(f->time.deviation),
               time_text(f->time.median), rate_text(f->time.mean), or_none(f->raw, raw),
               or_none(f->ratio, [](double r) { return fixed(r, 2); }),
               or_none(each.work.published, time_text), or_none(each.work.published, faster),
               faults_text(each.found)});
  }
  return table;
}

result_table latency_table(std::span<const row> rows) {
  result_table table{{"one at a time", "p50", "p99", "mean", "raw p50", "ours/raw p50", "lost/dup/order"}};
  for (const row& each : rows) {
    if (!is_latency(each.work)) continue;
    const auto f = figures_of(each);
    if (!f) continue;
    table.add({each.work.id, time_text(f->p50), time_text(f->p99), time_text(f->time.mean),
               or_none(f->raw, [](const raw_figures& r) { return time_text(r.p50); }),
               or_none(f->ratio, [](double r) { return fixed(r > 0 ? 1 / r : 0, 2); }),
               faults_text(each.found)});
  }
  return table;
}

result_table costs_table(std::span<const row> rows) {
  result_table table{{"per message, and how even", "allocations", "bytes", "mutexes", "system calls",
                      "slow bursts", "slowest/median", "raw's"}};
  for (const row& each : rows) {
    const auto f = figures_of(each);
    if (!f) continue;
    const bool bursts = has_bursts(each.work);
    const auto cost = [&](double message_costs::*member) {
      return or_none(each.costs, [&](const message_costs& c) { return count_text(c.*member); });
    };
    const auto raw_worst = [](const raw_figures& r) { return fixed(r.bursts.worst_ratio, 2); };
    table.add({each.work.id, cost(&message_costs::allocations), cost(&message_costs::allocated_bytes),
               cost(&message_costs::mutexes), or_none(each.system_calls, count_text),
               bursts ? fixed(100 * f->bursts.slow_share, 1) + " %" : none,
               bursts ? fixed(f->bursts.worst_ratio, 2) : none, bursts ? or_none(f->raw, raw_worst) : none});
  }
  return table;
}

std::string legend() {
  return "A message was published and received, and its outcome is known. mean, error (half the 99.9 % "
         "interval) and\n"
         "stddev leave upper outliers out, for both sides alike; median does not. raw limit: bare threads "
         "and epoll doing\n"
         "the same in this run (how many threads were fastest); over loopback: one thread handing over "
         "memory.\n"
         "published: another implementation's own figure, on its author's machine. slow bursts: slower than "
         "three times\n"
         "the median; slowest/median: of the median set of 20 bursts.\n";
}

std::string environment_text(const environment& where) {
  std::ostringstream out;
  out << "troupe " << where.version << ", " << where.build << ", " << where.compiler << "; "
      << where.processor << ", " << where.cores << " cores; " << where.kernel << "; " << where.system << "; "
      << where.date;
  return out.str();
}

std::string ending(std::span<const row> rows) {
  std::string text;
  std::size_t astray = 0;
  for (const row& each : rows) {
    if (!each.failure.empty()) text += "FAILED " + each.work.id + ": " + each.failure + '\n';
    if (each.found.total() != 0) ++astray;
  }
  if (astray != 0)
    text += "MESSAGES WENT ASTRAY in " + std::to_string(astray) + " rows\n";
  else if (text.empty())
    text += "Every message of every row arrived once and in order, with the right octets.\n";
  const std::string versions = sentence(compare_versions(rows));
  return versions.empty() ? text : text + versions + '\n';
}

struct tables {
  explicit tables(std::span<const row> rows)
      : throughput{throughput_table(rows)}, latency{latency_table(rows)}, costs{costs_table(rows)} {
    for (const row& each : rows) (is_latency(each.work) ? has_latency : has_throughput) = true;
  }
  template <class Write>
  void each(Write write) const {
    if (has_throughput) write(throughput);
    if (has_latency) write(latency);
    if (has_throughput || has_latency) write(costs);
  }
  result_table throughput, latency, costs;
  bool has_throughput = false;
  bool has_latency = false;
};

void write_html(std::ostream& out, const environment& where, std::span<const row> rows) {
  out << "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>troupe-bench "
         "e2e</title>\n<style>\n"
         ":root{color-scheme:light dark}body{font:14px/1.5 "
         "sans-serif;margin:2em}table{border-collapse:collapse;margin:1.5em 0}\n"
         "th,td{padding:.2em .7em;text-align:right;border-bottom:1px solid "
         "#8884}th:first-child,td:first-child{text-align:left}\n"
         "pre{white-space:pre-wrap}\n</style>\n<h1>troupe-bench e2e</h1>\n<p>"
      << html_text(environment_text(where)) << "</p>\n";
  tables{rows}.each([&](const result_table& table) { table.write_html(out); });
  out << "<pre>" << html_text(legend() + '\n' + ending(rows)) << "</pre>\n</html>\n";
}

} // namespace

void write_report(std::ostream& out, report_format format, const environment& where,
                  std::span<const row> rows) {
  switch (format) {
  case report_format::json: out << json_of(where, rows); return;
  case report_format::html: write_html(out, where, rows); return;
  case report_format::text:
    out << environment_text(where) << "\n\n";
    tables{rows}.each([&](const result_table& table) {
      table.write_text(out);
      out << '\n';
    });
    break;
  case report_format::markdown:
    out << environment_text(where) << "\n\n";
    tables{rows}.each([&](const result_table& table) {
      table.write_markdown(out);
      out << '\n';
    });
    break;
  }
  out << legend() << '\n' << ending(rows);
}

} // namespace troupe::bench
