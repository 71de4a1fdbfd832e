#include "workload.hpp"

#include <algorithm>

namespace troupe::bench {
namespace {

using protocol::qos;
using protocol::version;

constexpr std::size_t kilo = 1'024;
constexpr qos all_qualities[] = {qos::at_most_once, qos::at_least_once, qos::exactly_once};
constexpr version both_versions[] = {version::v5_0, version::v3_1_1};
constexpr medium both_media[] = {medium::tcp, medium::loopback};

void name_row(workload& row, std::string_view number) {
  row.id = std::string{number} + '/' + std::string{name(row.kind)}
           + (row.version == version::v5_0 ? "/v5" : "/v3") + '/' + std::string{name(row.transport)} + "/qos"
           + std::to_string(static_cast<int>(row.quality)) + '/' + payload_name(row.payload);
  if (row.systems != 1) row.id += "/systems" + std::to_string(row.systems);
  if (row.scheduler != scheduler_kind::own) row.id += '/' + std::string{name(row.scheduler)};
}

class table {
public:
  void add(std::string_view number, workload row) {
    name_row(row, number);
    rows_.push_back(std::move(row));
  }
  /// The row over TCP, with the published figure (of one operation; a message is two), and in memory.
  void add_published(std::string_view number, workload row, double per_operation) {
    for (const medium transport : both_media) {
      row.transport = transport;
      row.published.reset();
      if (transport == medium::tcp && per_operation > 0) row.published = 2 * per_operation;
      add(number, row);
    }
  }
  std::vector<workload> take() { return std::move(rows_); }

private:
  std::vector<workload> rows_;
};

workload burst(version which, qos quality, std::size_t payload) {
  workload row;
  row.version = which;
  row.quality = quality;
  row.payload = payload;
  if (payload > 512 * kilo) row.messages = 16;
  row.in_short = payload <= 8 * kilo;
  return row;
}

// W40-W46: 5.0. Published: nanoseconds per operation.
void add_version_5(table& rows) {
  struct figure {
    const char* number;
    qos quality;
    std::size_t payload;
    double published;
  };
  constexpr figure figures[] = {
      {"W40", qos::at_most_once, 10, 3'243},    {"W41", qos::at_most_once, kilo, 3'175},
      {"W42", qos::at_least_once, 10, 3'810},   {"W43", qos::at_least_once, kilo, 3'866},
      {"W44", qos::exactly_once, 10, 8'862},    {"W45", qos::exactly_once, kilo, 9'694},
      {"W46", qos::at_most_once, 32 * kilo, 0}, {"W46", qos::at_least_once, 32 * kilo, 0},
      {"W46", qos::exactly_once, 32 * kilo, 0},
  };
  for (const figure& f : figures) {
    workload row = burst(version::v5_0, f.quality, f.payload);
    row.in_demo = f.payload <= kilo;
    rows.add_published(f.number, row, f.published);
  }
}

// W47-W48: 5.0 over TLS. T05: QoS 2, which was not published.
void add_secure(table& rows) {
  struct figure {
    const char* number;
    qos quality;
    std::size_t payload;
    double published;
  };
  constexpr figure figures[] = {
      {"W47", qos::at_most_once, 10, 3'993},  {"W47", qos::at_most_once, kilo, 4'521},
      {"W48", qos::at_least_once, 10, 5'228}, {"W48", qos::at_least_once, kilo, 5'733},
      {"T05", qos::exactly_once, 10, 0},      {"T05", qos::exactly_once, kilo, 0},
  };
  for (const figure& f : figures) {
    workload row = burst(version::v5_0, f.quality, f.payload);
    row.transport = medium::tls;
    if (f.published > 0) row.published = 2 * f.published;
    rows.add(f.number, row);
  }
}

// T06: 5.0 over a unix socket, which nobody published.
void add_unix_socket(table& rows) {
  for (const qos quality : all_qualities)
    for (const std::size_t payload : {std::size_t{10}, kilo}) {
      workload row = burst(version::v5_0, quality, payload);
      row.transport = medium::unix_socket;
      rows.add("T06", row);
    }
}

// W49-W52: 3.1.1. W49 is an earlier run of two rows of W50 by the same author.
void add_version_3(table& rows) {
  struct figure {
    const char* number;
    qos quality;
    std::size_t payload;
    double published;
  };
  constexpr figure figures[] = {
      {"W49", qos::at_most_once, 10, 3'135},        {"W49", qos::at_most_once, kilo, 3'057},
      {"W50", qos::at_most_once, 10, 3'313},        {"W50", qos::at_most_once, kilo, 3'220},
      {"W50", qos::at_most_once, 2 * kilo, 3'731},  {"W50", qos::at_most_once, 8 * kilo, 0},
      {"W51", qos::at_least_once, 10, 3'878},       {"W51", qos::at_least_once, kilo, 3'904},
      {"W51", qos::at_least_once, 2 * kilo, 3'544}, {"W51", qos::at_least_once, 8 * kilo, 0},
      {"W52", qos::exactly_once, 10, 8'488},        {"W52", qos::exactly_once, kilo, 10'964},
      {"W52", qos::exactly_once, 2 * kilo, 9'971},  {"W52", qos::exactly_once, 8 * kilo, 13'513},
  };
  for (const figure& f : figures)
    rows.add_published(f.number, burst(version::v3_1_1, f.quality, f.payload), f.published);
}

// W54: a long row of QoS 0 messages with a bounded window of about half a megabyte at most.
void add_sustained(table& rows) {
  for (const version which : both_versions) {
    for (const std::size_t payload : {std::size_t{10}, kilo}) {
      workload row = burst(which, qos::at_most_once, payload);
      row.kind = workload_kind::sustained;
      row.messages = payload == 10 ? 2'000'000 : 500'000;
      row.window = payload == 10 ? 4'096 : 512;
      rows.add_published("W54", row, 0);
    }
  }
}

// T01: payloads that the published tables lack, so that each size stands at each quality and version.
void add_sizes(table& rows) {
  for (const version which : both_versions) {
    for (const std::size_t payload : {2 * kilo, 8 * kilo, 32 * kilo, 64 * kilo, kilo * kilo}) {
      const bool is_published = which == version::v5_0 ? payload == 32 * kilo : payload <= 8 * kilo;
      if (is_published) continue;
      for (const qos quality : all_qualities) {
        workload row = burst(which, quality, payload);
        row.in_demo = which == version::v5_0 && payload == kilo * kilo && quality == qos::at_most_once;
        rows.add_published("T01", row, 0);
      }
    }
  }
}

// T02: one client, burst after burst. T03: one call for all. T04: one message at a time.
void add_kinds(table& rows) {
  struct kind {
    const char* number;
    workload_kind what;
    std::uint32_t messages;
  };
  constexpr kind kinds[] = {{"T02", workload_kind::steady, 1'000},
                            {"T03", workload_kind::many, 1'000},
                            {"T04", workload_kind::ping, 1'000}};
  for (const kind& k : kinds) {
    for (const version which : both_versions) {
      for (const qos quality : all_qualities) {
        workload row = burst(which, quality, 10);
        row.kind = k.what;
        row.messages = k.messages;
        row.in_short = which == version::v5_0;
        row.in_demo =
            which == version::v5_0 && quality == qos::at_most_once && k.what != workload_kind::steady;
        rows.add_published(k.number, row, 0);
      }
    }
  }
}

// W40, W42 and W44 with client and broker apart, and on the schedulers that come with CAF.
void add_arrangements(table& rows) {
  struct place {
    const char* number;
    qos quality;
  };
  constexpr place places[] = {
      {"W40", qos::at_most_once}, {"W42", qos::at_least_once}, {"W44", qos::exactly_once}};
  for (const place& p : places) {
    workload row = burst(version::v5_0, p.quality, 10);
    row.systems = 2;
    rows.add(p.number, row);
  }
  for (const scheduler_kind scheduler : {scheduler_kind::sharing, scheduler_kind::stealing}) {
    workload row = burst(version::v5_0, qos::at_most_once, 10);
    row.scheduler = scheduler;
    rows.add("W40", row);
  }
  workload row = burst(version::v5_0, qos::at_most_once, 10);
  row.kind = workload_kind::ping;
  row.systems = 2;
  rows.add("T04", row);
}

} // namespace

std::vector<workload> all_workloads() {
  table rows;
  add_version_5(rows);
  add_arrangements(rows);
  add_secure(rows);
  add_unix_socket(rows);
  add_version_3(rows);
  add_sustained(rows);
  add_sizes(rows);
  add_kinds(rows);
  return rows.take();
}

bool matches(std::string_view pattern, std::string_view text) noexcept {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos; // the last star, and how much text it covers so far
  std::size_t covered = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      covered = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++covered;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string_view name(workload_kind kind) noexcept {
  switch (kind) {
  case workload_kind::burst: return "burst";
  case workload_kind::steady: return "steady";
  case workload_kind::many: return "publish_many";
  case workload_kind::ping: return "ping";
  case workload_kind::sustained: return "sustained";
  }
  return "";
}

std::string_view name(medium transport) noexcept {
  switch (transport) {
  case medium::tcp: return "tcp";
  case medium::tls: return "tls";
  case medium::unix_socket: return "unix";
  case medium::loopback: return "loopback";
  }
  return "";
}

std::string_view name(scheduler_kind scheduler) noexcept {
  switch (scheduler) {
  case scheduler_kind::own: return "own";
  case scheduler_kind::sharing: return "sharing";
  case scheduler_kind::stealing: return "stealing";
  }
  return "";
}

std::string_view name(protocol::version version) noexcept {
  return version == protocol::version::v5_0 ? "5.0" : "3.1.1";
}

std::string payload_name(std::size_t payload) {
  if (payload >= kilo * kilo && payload % (kilo * kilo) == 0)
    return std::to_string(payload / (kilo * kilo)) + "MB";
  if (payload >= kilo && payload % kilo == 0) return std::to_string(payload / kilo) + "KB";
  return std::to_string(payload) + 'B';
}

} // namespace troupe::bench
