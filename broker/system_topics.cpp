#include "system_topics.hpp"

#include <cstdint>
#include <utility>

#ifndef TROUPE_VERSION
#define TROUPE_VERSION "unknown"
#endif

namespace troupe::brokerage {

namespace {

struct figure_topic {
  const char* topic;
  std::uint64_t broker_statistics::*value;
};

constexpr figure_topic topics[] = {
    {"$SYS/broker/clients/connected", &broker_statistics::connections},
    {"$SYS/broker/clients/accepted", &broker_statistics::connections_total},
    {"$SYS/broker/clients/refused", &broker_statistics::connections_refused},
    {"$SYS/broker/clients/throttled", &broker_statistics::connections_throttled},
    {"$SYS/broker/clients/logins_refused", &broker_statistics::logins_refused},
    {"$SYS/broker/clients/logins_busy", &broker_statistics::logins_busy},
    {"$SYS/broker/clients/greetings_failed", &broker_statistics::greetings_failed},
    {"$SYS/broker/clients/takeovers", &broker_statistics::takeovers},
    {"$SYS/broker/sessions/count", &broker_statistics::sessions},
    {"$SYS/broker/subscriptions/count", &broker_statistics::subscriptions},
    {"$SYS/broker/subscriptions/refused", &broker_statistics::filters_refused},
    {"$SYS/broker/messages/received", &broker_statistics::messages_received},
    {"$SYS/broker/messages/sent", &broker_statistics::messages_sent},
    {"$SYS/broker/messages/queued", &broker_statistics::messages_queued},
    {"$SYS/broker/messages/dropped", &broker_statistics::messages_dropped},
    {"$SYS/broker/messages/expired", &broker_statistics::messages_expired},
    {"$SYS/broker/clients/stopped", &broker_statistics::publishers_stopped},
    {"$SYS/broker/messages/refused", &broker_statistics::publishes_refused},
    {"$SYS/broker/messages/retained", &broker_statistics::retained_messages},
    {"$SYS/broker/messages/wills", &broker_statistics::wills_published},
    {"$SYS/broker/store/failures", &broker_statistics::store_failures},
    {"$SYS/broker/bridges/connected", &broker_statistics::bridges_connected},
    {"$SYS/broker/bridges/messages/out", &broker_statistics::bridged_out},
    {"$SYS/broker/bridges/messages/in", &broker_statistics::bridged_in},
    {"$SYS/broker/bridges/messages/dropped", &broker_statistics::bridged_dropped},
    {"$SYS/broker/bridges/messages/suppressed", &broker_statistics::bridged_suppressed},
    {"$SYS/broker/bytes/received", &broker_statistics::octets_received},
};

} // namespace

void system_topics::say(const broker_statistics& figures, std::chrono::seconds uptime,
                        const speaker& publish) {
  const auto one = [&](const char* topic, std::string value) {
    std::string& last = said_[topic];
    if (last == value) return;
    publish(topic, value);
    last = std::move(value);
  };
  one("$SYS/broker/version", "troupe " TROUPE_VERSION);
  one("$SYS/broker/uptime", std::to_string(uptime.count()));
  for (const figure_topic& each : topics) one(each.topic, std::to_string(figures.*each.value));
}

} // namespace troupe::brokerage
