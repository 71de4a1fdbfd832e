#include "metrics_endpoint.hpp"

#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>

#include <cstdint>
#include <exception>
#include <system_error>
#include <utility>
#include <vector>

namespace troupe::brokerage {

namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

struct shown_figure {
  const char* name;
  const char* help;
  std::uint64_t broker_statistics::*value;
  bool only_grows = true;
};

constexpr shown_figure figures[] = {
    {"connections", "Clients that are connected", &broker_statistics::connections, false},
    {"connections_total", "Clients ever accepted", &broker_statistics::connections_total},
    {"connections_refused_total", "By reason code, limit or time-out",
     &broker_statistics::connections_refused},
    {"connections_throttled_total", "Refused by the connect rate", &broker_statistics::connections_throttled},
    {"greetings_failed_total", "Ended within TLS or WebSocket", &broker_statistics::greetings_failed},
    {"logins_refused_total", "Wrong passwords", &broker_statistics::logins_refused},
    {"logins_busy_total", "Too many passwords at once", &broker_statistics::logins_busy},
    {"takeovers_total", "Connections that gave way to another", &broker_statistics::takeovers},
    {"sessions", "Sessions, connected or not", &broker_statistics::sessions, false},
    {"subscriptions", "Of all sessions", &broker_statistics::subscriptions, false},
    {"filters_refused_total", "Filters that SUBACK refused", &broker_statistics::filters_refused},
    {"retained_messages", "Retained messages", &broker_statistics::retained_messages, false},
    {"messages_received_total", "PUBLISH packets from clients", &broker_statistics::messages_received},
    {"messages_sent_total", "PUBLISH packets to clients", &broker_statistics::messages_sent},
    {"messages_queued", "Messages that wait for clients", &broker_statistics::messages_queued, false},
    {"messages_dropped_total", "By full queues, limits and hooks", &broker_statistics::messages_dropped},
    {"messages_expired_total", "By their expiry", &broker_statistics::messages_expired},
    {"publishers_stopped_total", "Times that a full queue stopped a publisher",
     &broker_statistics::publishers_stopped},
    {"publishes_refused_total", "PUBLISH packets that were not allowed",
     &broker_statistics::publishes_refused},
    {"wills_total", "Last wills published", &broker_statistics::wills_published},
    {"store_failures_total", "Attempts to write down that failed", &broker_statistics::store_failures},
    {"bridges_connected", "Bridges whose remote broker is there", &broker_statistics::bridges_connected,
     false},
    {"bridged_out_total", "Messages that remote brokers took", &broker_statistics::bridged_out},
    {"bridged_in_total", "Messages of remote brokers", &broker_statistics::bridged_in},
    {"bridged_dropped_total", "Messages that bridges could not carry", &broker_statistics::bridged_dropped},
    {"bridged_suppressed_total", "Messages that had been there before",
     &broker_statistics::bridged_suppressed},
    {"octets_received_total", "Octets from clients", &broker_statistics::octets_received},
};

class broker_figures final : public prometheus::Collectable {
public:
  explicit broker_figures(const broker& of) : broker_{of} {}

  std::vector<MetricFamily> Collect() const override {
    const broker_statistics now = broker_.statistics();
    std::vector<MetricFamily> all;
    for (const shown_figure& each : figures) {
      MetricFamily family;
      family.name = std::string{"troupe_broker_"} + each.name;
      family.help = each.help;
      family.type = each.only_grows ? MetricType::Counter : MetricType::Gauge;
      prometheus::ClientMetric metric;
      const auto value = static_cast<double>(now.*each.value);
      metric.counter.value = value;
      metric.gauge.value = value;
      family.metric.push_back(std::move(metric));
      all.push_back(std::move(family));
    }
    return all;
  }

private:
  const broker& broker_;
};

} // namespace

struct metrics_endpoint::inside {
  std::shared_ptr<broker_figures> figures;
  prometheus::Exposer exposer; // first to go: it asks for figures
};

protocol::result<std::unique_ptr<metrics_endpoint>> metrics_endpoint::make(const broker& of,
                                                                           const std::string& address) {
  try { // its constructor throws
    auto made = std::unique_ptr<inside>(
        new inside{std::make_shared<broker_figures>(of), prometheus::Exposer{address, 1}});
    made->exposer.RegisterCollectable(made->figures);
    return std::unique_ptr<metrics_endpoint>{new metrics_endpoint{std::move(made)}};
  } catch (const std::exception&) {
    return std::make_error_code(std::errc::address_not_available);
  }
}

metrics_endpoint::metrics_endpoint(std::unique_ptr<inside> what) : inside_{std::move(what)} {}
metrics_endpoint::~metrics_endpoint() = default;

int metrics_endpoint::port() const {
  const auto ports = inside_->exposer.GetListeningPorts();
  return ports.empty() ? 0 : ports.front();
}

} // namespace troupe::brokerage
