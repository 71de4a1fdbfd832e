// client_metrics: what a client has done, in the form that monitoring systems take.
//
// Lives here: metric_sample, samples_of, metric_times, times_of, write_metrics (the text format of Prometheus), and, where
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
#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>
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

/// Times, as Prometheus counts them: each bucket includes those before it.
struct metric_times {
  std::string_view name;
  std::string_view help;
  time_histogram seen;
};

inline std::array<metric_times, 2> times_of(const client& whose) {
  const client_times now = whose.times();
  return {{{"mqtt_client_connect_seconds", "from dialling to the end of the subscriptions' renewal",
            now.connecting},
           {"mqtt_client_publish_seconds", "publishes at QoS 1 and 2 until their end, one at a time",
            now.publishing}}};
}

inline std::array<metric_sample, 20> samples_of(const client& whose) {
  const client_report now = report_on(whose);
  const client_depths depths = whose.depths();
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
      {"mqtt_client_attempts_total", "dials", counter, count(now.counts.attempts)},
      {"mqtt_client_transitions_total", "steps from one state to another", counter,
       count(now.counts.transitions)},
      {"mqtt_client_redirects_total", "dials of a broker that another one named", counter,
       count(now.counts.redirects)},
      {"mqtt_client_batches_total", "reads that brought packets", counter, count(now.counts.batches)},
      {"mqtt_client_in_flight", "publishes at QoS 1 and 2 on their way", gauge, count(depths.in_flight)},
      {"mqtt_client_queued", "publishes that wait for a connection or the window", gauge,
       count(depths.queued)},
      {"mqtt_client_requests_waiting", "requests in front of the session", gauge, count(depths.requests)},
      {"mqtt_client_session_mails_waiting", "in the session's mailbox", gauge, count(depths.session_mails)},
      {"mqtt_client_supervisor_mails_waiting", "in the supervisor's mailbox", gauge,
       count(depths.supervisor_mails)},
      {"mqtt_client_dispatcher_mails_waiting", "in the dispatcher's mailbox", gauge,
       count(depths.dispatcher_mails)},
      {"mqtt_client_state",
       "0 connecting, 1 handshaking, 2 connected, 3 waiting, 4 disconnecting, "
       "5 disconnected, 6 faulted",
       gauge, static_cast<double>(now.state)},
  }};
}

namespace actors {

/// `client="..."`, as the text format wants its values written.
inline std::string metric_label(std::string_view label) {
  std::string result = "client=\"";
  for (const char c : label) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? std::string{"\\n"} : std::string{c};
  }
  return result + '"';
}

inline void write_head(std::string& to, std::string_view name, std::string_view help, std::string_view kind) {
  to.append("# HELP ").append(name).append(" ").append(help).append("\n");
  to.append("# TYPE ").append(name).append(" ").append(kind).append("\n");
}

inline std::string in_seconds(std::chrono::nanoseconds time) {
  std::array<char, 32> text{};
  const double value = std::chrono::duration<double>{time}.count();
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

inline void write_times(std::string& to, const metric_times& each, const std::string& label) {
  const std::string name{each.name};
  write_head(to, name, each.help, "histogram");
  std::uint64_t so_far = 0;
  for (std::size_t at = 0; at != each.seen.counts.size(); ++at) {
    so_far += each.seen.counts[at];
    const bool is_last = at == time_histogram::bounds_count;
    const std::string bound = is_last ? "+Inf" : in_seconds(time_histogram::bounds()[at]);
    to += name + "_bucket{" + label + ",le=\"" + bound + "\"} " + std::to_string(so_far) + '\n';
  }
  to += name + "_sum{" + label + "} " + in_seconds(each.seen.sum) + '\n';
  to += name + "_count{" + label + "} " + std::to_string(each.seen.count) + '\n';
}

} // namespace actors

/// The text format, with the client's name as label.
inline std::string write_metrics(const client& whose, std::string_view name_of_client) {
  const std::string label = actors::metric_label(name_of_client);
  std::string result;
  for (const metric_sample& each : samples_of(whose)) {
    actors::write_head(result, each.name, each.help, each.kind == metric_kind::counter ? "counter" : "gauge");
    result += std::string{each.name} + '{' + label + "} "
              + std::to_string(static_cast<std::uint64_t>(each.value)) + '\n';
  }
  for (const metric_times& each : times_of(whose)) actors::write_times(result, each, label);
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
    for (const metric_times& each : times_of(client_)) result.push_back(family_of(each));
    return result;
  }

private:
  prometheus::MetricFamily family_of(const metric_times& each) const {
    prometheus::MetricFamily family;
    family.name = each.name;
    family.help = each.help;
    family.type = prometheus::MetricType::Histogram;
    prometheus::ClientMetric metric;
    metric.label.push_back({"client", label_});
    metric.histogram.sample_count = each.seen.count;
    metric.histogram.sample_sum = std::chrono::duration<double>{each.seen.sum}.count();
    std::uint64_t so_far = 0;
    for (std::size_t at = 0; at != each.seen.counts.size(); ++at) {
      so_far += each.seen.counts[at];
      prometheus::ClientMetric::Bucket bucket;
      bucket.cumulative_count = so_far;
      bucket.upper_bound = at == time_histogram::bounds_count
                               ? std::numeric_limits<double>::infinity()
                               : std::chrono::duration<double>{time_histogram::bounds()[at]}.count();
      metric.histogram.bucket.push_back(bucket);
    }
    family.metric.push_back(std::move(metric));
    return family;
  }

  const client& client_;
  const std::string label_;
};
#endif

} // namespace troupe
