#include "versus_report.hpp"

#include "figure_text.hpp"
#include "result_table.hpp"
#include "statistics.hpp"

#include <nlohmann/json.hpp>

#include <ostream>
#include <utility>

namespace troupe::bench {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* ours = "troupe";

const versus_row* our_row(const versus_result& result, const versus_row& other) {
  for (const versus_row& each : result.rows)
    if (each.id == other.id && each.peer == ours && !each.runs.empty()) return &each;
  return nullptr;
}

/// How often theirs goes into ours: above one, ours takes more.
double ratio(const versus_row& mine, const versus_row& theirs, double peer_figures::*figure) {
  const double whole = theirs.median(figure);
  return whole > 0 ? mine.median(figure) / whole : 0;
}

std::string ratio_text(const versus_result& result, const versus_row& row, double peer_figures::*figure) {
  const versus_row* mine = our_row(result, row);
  if (row.peer == ours || mine == nullptr || row.runs.empty()) return "";
  return fixed_text(ratio(*mine, row, figure), 2);
}

result_table library_table(const versus_result& result) {
  result_table table{{"case", "library", "time", "min..max", "ours/theirs", "CPU", "ours/theirs",
                      "allocations", "octets", "peak RSS", "growth", "faults", "switches"}};
  for (const versus_row& row : result.rows) {
    if (row.runs.empty()) {
      table.add({row.id, row.peer, "FAILED: " + row.failure, "", "", "", "", "", "", "", "", "", ""});
      continue;
    }
    const auto megabytes = [&](double peer_figures::*figure) {
      return fixed_text(row.median(figure) / 1e6, 1) + " MB";
    };
    table.add({row.id, row.peer, time_text(row.median(&peer_figures::time)),
               time_text(row.least(&peer_figures::time)) + " .. " + time_text(row.most(&peer_figures::time)),
               ratio_text(result, row, &peer_figures::time), time_text(row.median(&peer_figures::processor)),
               ratio_text(result, row, &peer_figures::processor),
               fixed_text(row.median(&peer_figures::allocations), 2),
               fixed_text(row.median(&peer_figures::allocated), 0), megabytes(&peer_figures::peak),
               megabytes(&peer_figures::growth), fixed_text(row.median(&peer_figures::faults), 0),
               fixed_text(row.median(&peer_figures::switches), 0)});
  }
  return table;
}

result_table window_table(const versus_result& result) {
  result_table table{{"library, as it comes", "most in flight", "announced by the broker", "kept"}};
  for (const window_row& row : result.windows)
    table.add({row.peer, std::to_string(row.most_in_flight), std::to_string(row.announced),
               !row.failure.empty() ? "NO: " + row.failure
               : row.is_kept()      ? "yes"
                                    : "NO"});
  return table;
}

const passage_row* passage_of(const versus_result& result, const std::string& id, std::string_view broker) {
  for (const passage_row& each : result.passages)
    if (each.id == id && each.broker == broker && !each.per_second.empty()) return &each;
  return nullptr;
}

result_table broker_table(const versus_result& result) {
  result_table table{
      {"load", "broker", "messages per CPU second", "of mosquitto's", "time a message", "peak RSS"}};
  for (const passage_row& row : result.passages) {
    const std::string load = row.id + " by " + row.peer;
    if (row.per_second.empty()) {
      table.add({load, row.broker, row.failure.empty() ? "too short to tell" : "FAILED: " + row.failure, "",
                 "", ""});
      continue;
    }
    const passage_row* theirs = passage_of(result, row.id, "mosquitto");
    const double mine = median_of(row.per_second);
    table.add({load, row.broker, rate_text(mine),
               theirs == nullptr ? "" : fixed_text(mine / median_of(theirs->per_second), 2),
               time_text(median_of(row.time)), fixed_text(row.peak / 1e6, 1) + " MB"});
  }
  return table;
}

json number_list(const std::vector<double>& values) { return json(values); }

json rows_json(const versus_result& result) {
  json list = json::array();
  for (const versus_row& row : result.rows) {
    json runs = json::array();
    for (const peer_figures& each : row.runs) runs.push_back(json::parse(figures_json(each)));
    list.push_back({{"id", row.id}, {"peer", row.peer}, {"runs", std::move(runs)}, {"failure", row.failure}});
  }
  return list;
}

void write_json(std::ostream& out, const versus_result& result) {
  json windows = json::array();
  for (const window_row& row : result.windows)
    windows.push_back({{"peer", row.peer},
                       {"most_in_flight", row.most_in_flight},
                       {"announced", row.announced},
                       {"kept", row.is_kept()},
                       {"failure", row.failure}});
  json brokers = json::array();
  for (const passage_row& row : result.passages)
    brokers.push_back({{"id", row.id},
                       {"peer", row.peer},
                       {"broker", row.broker},
                       {"messages_per_cpu_second", number_list(row.per_second)},
                       {"time_ns", number_list(row.time)},
                       {"peak_rss_octets", row.peak},
                       {"failure", row.failure}});
  const json whole{{"schema", 1},
                   {"kind", "versus"},
                   {"environment",
                    {{"version", result.where.version},
                     {"compiler", result.where.compiler},
                     {"build", result.where.build},
                     {"processor", result.where.processor},
                     {"cores", result.where.cores},
                     {"kernel", result.where.kernel},
                     {"system", result.where.system},
                     {"date", result.where.date}}},
                   {"repeats", result.options.repeats},
                   {"scale", result.options.scale},
                   {"rows", rows_json(result)},
                   {"windows", std::move(windows)},
                   {"brokers", std::move(brokers)},
                   {"lost", lost_rows(result)}};
  out << whole.dump(2) << '\n';
}

/// What did not go well, though the tables have figures of it.
void write_failures(std::ostream& out, const versus_result& result) {
  if (!result.failure.empty()) out << "FAILED: " << result.failure << '\n';
  const auto write = [&](const std::string& what, std::size_t went_well, const std::string& failure) {
    if (went_well != 0 && !failure.empty())
      out << "FAILED, but for " << went_well << " of " << result.options.repeats << " repeats: " << what
          << ": " << failure << "\n\n";
  };
  for (const versus_row& row : result.rows) write(row.id + " by " + row.peer, row.runs.size(), row.failure);
  for (const passage_row& row : result.passages)
    write(row.id + " through " + row.broker, row.time.size(), row.failure);
}

} // namespace

std::vector<std::string> lost_rows(const versus_result& result) {
  std::vector<std::string> lost;
  const auto judge = [&](const versus_row& row, double peer_figures::*figure, const char* what) {
    const versus_row* mine = our_row(result, row);
    if (mine == nullptr || row.peer == ours || row.runs.empty()) return;
    if (const double more = ratio(*mine, row, figure); more > 1)
      lost.push_back(row.id + ": " + row.peer + " takes less " + what + ", ours " + fixed_text(more, 2)
                     + " times as much");
  };
  for (const versus_row& row : result.rows) {
    judge(row, &peer_figures::time, "time");
    judge(row, &peer_figures::processor, "processor");
    judge(row, &peer_figures::peak, "memory");
  }
  for (const passage_row& row : result.passages) {
    const passage_row* theirs = passage_of(result, row.id, "mosquitto");
    if (row.broker != "troupe-broker" || row.per_second.empty() || theirs == nullptr) continue;
    const double share = median_of(row.per_second) / median_of(theirs->per_second);
    if (share < 1)
      lost.push_back(row.id + ": our broker does " + fixed_text(share, 2) + " of mosquitto's work");
  }
  return lost;
}

bool has_failed(const versus_result& result) {
  if (!result.failure.empty()) return true;
  for (const versus_row& row : result.rows)
    if (row.runs.empty()) return true;
  for (const window_row& row : result.windows)
    if (row.peer == ours && !row.is_kept()) return true; // what others make of it is a result
  for (const passage_row& row : result.passages)
    if (row.time.empty()) return true;
  return false;
}

void write_versus(std::ostream& out, load_format format, const versus_result& result) {
  if (format == load_format::json) return write_json(out, result);
  const bool is_markdown = format == load_format::markdown;
  out << (is_markdown ? "# " : "") << "ours beside others, " << result.options.repeats
      << " repeats by turns, median\n\n"
      << "troupe " << result.where.version << ", " << result.where.build << ", " << result.where.compiler
      << "; " << result.where.processor << ", " << result.where.cores << " cores; " << result.where.system
      << "; " << result.where.date << "\n\n";
  const auto write = [&](const result_table& table) {
    is_markdown ? table.write_markdown(out) : table.write_text(out);
    out << '\n';
  };
  if (!result.rows.empty()) write(library_table(result));
  if (!result.windows.empty()) write(window_table(result));
  if (!result.passages.empty()) write(broker_table(result));
  write_failures(out, result);
  if (!result.failure.empty()) return;
  const auto lost = lost_rows(result);
  out << (lost.empty() ? "Nothing was lost in this run.\n" : "Lost in this run:\n");
  if (is_markdown && !lost.empty()) out << '\n';
  for (const std::string& each : lost) out << "- " << each << '\n';
}

} // namespace troupe::bench
