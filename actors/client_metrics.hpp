// client_metrics: what a client has done, in the form that monitoring systems take.
//
// Lives here: metric_sample, samples_of, write_metrics (the text format of Prometheus), and, where
//          prometheus-cpp is installed, client_collector for its registries.
// Holds:   names begin with mqtt_client_; counters end in _total and never fall.
// Threads: anybody; a collector holds a reference to its client, which must outlive it.
// Costs:   reading counters that are kept anyway: nothing per message.
#pragma once

#include "health.hpp"

#if __has_include(<prometheus/collectable.h>)
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#endif

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

enum class metric_kind : std::uint8_t { counter, gauge };

struct metric_sample {
  std::string_view name;
  std::string_view help;
  metric_kind kind;
  double value;
};

inline std::array<metric_sample, 10> samples_of(const client& whose) {
  const client_report now = report_on(whose);
  const auto count = [](std::uint64_t value) { return static_cast<double>(value); };
  using enum metric_kind;
  return {{
      {"mqtt_client_connections_total", "connections that the broker accepted", counter,
       count(now.counts.connections)},
      {"mqtt_client_sessions_resumed_total", "of these, with the session it had kept", counter,
       count(now.counts.resumed)},
      {"mqtt_client_failed_attempts_total", "attempts and connections that failed", counter,
       count(now.counts.failed_attempts)},
      {"mqtt_client_published_total", "publishes that ended well", counter, count(now.counts.published)},
      {"mqtt_client_publish_failures_total", "publishes that ended otherwise", counter,
       count(now.counts.publish_failures)},
      {"mqtt_client_received_total", "messages that arrived", counter, count(now.counts.received)},
      {"mqtt_client_unrouted_total", "of these, wanted by no subscription", counter,
       count(now.counts.unrouted)},
      {"mqtt_client_dropped_total", "messages dropped by a policy", counter, count(now.counts.dropped)},
      {"mqtt_client_handler_failures_total", "handlers that threw", counter,
       count(now.counts.handler_failures)},
      {"mqtt_client_state",
       "0 connecting, 1 handshaking, 2 connected, 3 waiting, 4 disconnecting, "
       "5 disconnected, 6 faulted",
       gauge, static_cast<double>(now.state)},
  }};
}

/// The text format, with the client's name as label.
inline std::string write_metrics(const client& whose, std::string_view label) {
  std::string result;
  for (const metric_sample& each : samples_of(whose)) {
    const std::string name{each.name};
    result += "# HELP " + name + ' ' + std::string{each.help} + '\n';
    result += "# TYPE " + name + (each.kind == metric_kind::counter ? " counter\n" : " gauge\n");
    result += name + "{client=\"";
    for (const char c : label) {
      if (c == '"' || c == '\\') result += '\\';
      if (c == '\n') {
        result += "\\n";
        continue;
      }
      result += c;
    }
    result += "\"} " + std::to_string(static_cast<std::uint64_t>(each.value)) + '\n';
  }
  return result;
}

#if __has_include(<prometheus/collectable.h>)
/// For prometheus::Exposer::RegisterCollectable.
class client_collector final : public prometheus::Collectable {
public:
  client_collector(const client& whose, std::string label) : client_{whose}, label_{std::move(label)} {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> result;
    for (const metric_sample& each : samples_of(client_)) {
      const bool is_counter = each.kind == metric_kind::counter;
      prometheus::MetricFamily family;
      family.name = each.name;
      family.help = each.help;
      family.type = is_counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
      prometheus::ClientMetric metric;
      metric.label.push_back({"client", label_});
      (is_counter ? metric.counter.value : metric.gauge.value) = each.value;
      family.metric.push_back(std::move(metric));
      result.push_back(std::move(family));
    }
    return result;
  }

private:
  const client& client_;
  const std::string label_;
};
#endif

} // namespace troupe
