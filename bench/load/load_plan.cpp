#include "load_plan.hpp"

#include "message_stamp.hpp"
#include "workload.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace troupe::bench {
namespace {

constexpr std::string_view number_mark = "%i";

std::string replaced(const std::string& pattern, std::string_view mark, std::string_view by) {
  std::string result;
  std::size_t from = 0;
  for (auto at = pattern.find(mark); at != std::string::npos; at = pattern.find(mark, from)) {
    result.append(pattern, from, at - from).append(by);
    from = at + mark.size();
  }
  return result.append(pattern, from);
}

/// Whether every mark fills a level of its own, so that a wildcard can stand for it.
bool marks_are_levels(const std::string& pattern, std::string_view mark) {
  for (auto at = pattern.find(mark); at != std::string::npos; at = pattern.find(mark, at + 1)) {
    const auto end = at + mark.size();
    if ((at != 0 && pattern[at - 1] != '/') || (end != pattern.size() && pattern[end] != '/')) return false;
  }
  return true;
}

std::string flag(bool value) { return value ? "true" : "false"; }

std::string text_of(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::string seconds(std::chrono::milliseconds time) {
  return text_of(static_cast<double>(time.count()) / 1e3) + "s";
}

std::string payload_misfit(const load_plan& plan) {
  if (plan.verify && (plan.kind != load_kind::run && plan.kind != load_kind::round_trip))
    return "--verify wants run or rr, which see both ends";
  if (plan.verify && !plan.text.empty()) return "--verify wants payloads of our own, not --message";
  if (plan.verify && plan.payload < numbered_octets) return "--verify wants payloads of at least 8 octets";
  if (plan.kind == load_kind::round_trip && (!plan.text.empty() || plan.payload < stamped_octets))
    return "rr wants payloads of our own of at least 24 octets";
  return {};
}

std::string pace_misfit(const load_plan& plan) {
  const bool wants_open_loop = plan.poisson || plan.burst > 1 || plan.ramp_time.count() != 0;
  if (wants_open_loop && !plan.is_open_loop())
    return "--arrival, --burst and --ramp want an open loop: say --rate, --rate-per-client or -I";
  if (plan.poisson && plan.burst > 1) return "--burst and --arrival poisson do not go together";
  if (plan.ramp_from > plan.rate) return "--ramp rises; its first rate must not be above the second";
  return {};
}

std::string upset_misfit(const load_plan& plan) {
  if (plan.slow != 0 && (plan.pairs || !plan.share.empty()))
    return "--slow wants subscribers that all take everything, not --pairs or --share";
  if (plan.slow > plan.subscribers) return "--slow: there are not so many subscribers";
  if (plan.churn > 0 && plan.churners == 0) return "--churn wants --churners above zero";
  if (plan.is_stored() && plan.limit == 0) return "there must be a --limit: how many messages are stored";
  const bool keeps_sessions = plan.turn == load_turn::resume || plan.turn == load_turn::storm;
  if (keeps_sessions && plan.version != protocol::version::v5_0)
    return "this wants MQTT 5.0, where a session that is kept can be given up in the end";
  if (plan.turn == load_turn::resume && plan.quality == protocol::qos::at_most_once)
    return "this wants --qos 1 or 2: messages at QoS 0 are not kept for who is away";
  if (plan.turn == load_turn::retained && plan.topic.find(message_mark) == std::string::npos)
    return "this wants a %s in the topic: each topic retains one message";
  return {};
}

} // namespace

std::string_view name(load_kind kind) noexcept {
  switch (kind) {
  case load_kind::run: return "run";
  case load_kind::publish: return "pub";
  case load_kind::subscribe: return "sub";
  case load_kind::connect: return "conn";
  case load_kind::round_trip: return "rr";
  }
  return {};
}

std::string_view name(load_turn turn) noexcept {
  switch (turn) {
  case load_turn::none: return "none";
  case load_turn::storm: return "reconnect-storm";
  case load_turn::takeover: return "takeover";
  case load_turn::retained: return "retained-burst";
  case load_turn::resume: return "session-resume";
  }
  return {};
}

std::string with_number(const std::string& pattern, std::uint32_t number) {
  return replaced(pattern, number_mark, std::to_string(number));
}

bool load_plan::is_dialled_by_tcp() const noexcept {
  return broker != "embedded" && broker != "embedded:unix" && !broker.starts_with("unix:")
         && !broker.starts_with("loopback:");
}

std::size_t load_plan::connection_count() const noexcept {
  std::size_t count = 0;
  if (kind != load_kind::subscribe) count += publishers;
  if (kind != load_kind::publish && kind != load_kind::connect) count += subscribers;
  if (turn == load_turn::takeover) count *= 2;
  return count + (churn > 0 ? churners : 0);
}

std::uint32_t load_plan::topic_count() const noexcept {
  if (kind == load_kind::round_trip) return std::max<std::uint32_t>(subscribers, 1);
  if (topic.find(number_mark) == std::string::npos) return 1;
  if (topics != 0) return topics;
  return kind == load_kind::subscribe ? subscribers : std::max<std::uint32_t>(publishers, 1);
}

std::uint32_t load_plan::copies(std::uint32_t topic_number) const noexcept {
  if (kind == load_kind::round_trip) return 1;
  if (kind != load_kind::run) return 0;
  std::uint32_t takers = subscribers - std::min(slow, subscribers);
  if (pairs) {
    const std::uint32_t count = topic_count();
    takers = subscribers / count + (topic_number < subscribers % count ? 1 : 0);
  }
  return share.empty() ? takers : std::min<std::uint32_t>(takers, 1);
}

std::string load_plan::topic_name(std::uint32_t number) const { return with_number(topic, number); }

std::vector<std::string> load_plan::filters(std::uint32_t subscriber) const {
  const std::string before = share.empty() ? std::string{} : "$share/" + share + '/';
  const bool takes_one = pairs || kind != load_kind::run;
  std::vector<std::string> all;
  if (takes_one)
    all.push_back(topic_name(subscriber % topic_count()));
  else if (marks_are_levels(topic, number_mark))
    all.push_back(replaced(topic, number_mark, "+"));
  else
    for (std::uint32_t i = 0; i < topic_count(); ++i) all.push_back(topic_name(i));
  for (std::string& each : all) each = before + replaced(each, message_mark, "+");
  return all;
}

plan_words describe(const load_plan& plan) {
  plan_words all{{"command", std::string{name(plan.kind)}},
                 {"broker", plan.broker},
                 {"mqtt-version", std::string{name(plan.version)}},
                 {"qos", std::to_string(static_cast<int>(plan.quality))},
                 {"size", std::to_string(plan.payload_size())},
                 {"publishers", std::to_string(plan.publishers)},
                 {"subscribers", std::to_string(plan.subscribers)},
                 {"topics", std::to_string(plan.topic_count())},
                 {"pairs", flag(plan.pairs)},
                 {"share", plan.share},
                 {"retain", flag(plan.retain)},
                 {"loop", plan.is_open_loop() ? "open" : "closed"},
                 {"inflight", plan.window == 0 ? "" : std::to_string(plan.window)},
                 {"rate", plan.is_open_loop() ? text_of(plan.rate) : ""},
                 {"arrival", plan.is_open_loop() ? (plan.poisson ? "poisson" : "constant") : ""},
                 {"limit", std::to_string(plan.limit)},
                 {"messages", std::to_string(plan.messages)},
                 {"duration", seconds(plan.duration)},
                 {"warmup", seconds(plan.warm_up)},
                 {"drain", seconds(plan.drain)},
                 {"connrate", text_of(plan.connect_rate)},
                 {"keepalive", std::to_string(plan.keep_alive.count())},
                 {"clean", flag(plan.clean_start)},
                 {"session-expiry", std::to_string(plan.session_expiry.count())},
                 {"workers", std::to_string(plan.workers)},
                 {"verify", flag(plan.verify)},
                 {"seed", std::to_string(plan.seed)}};
  if (plan.burst > 1) all.emplace_back("burst", std::to_string(plan.burst));
  if (plan.ramp_time.count() != 0)
    all.emplace_back("ramp",
                     text_of(plan.ramp_from) + ".." + text_of(plan.rate) + '/' + seconds(plan.ramp_time));
  if (plan.cool_down.count() != 0) all.emplace_back("cooldown", seconds(plan.cool_down));
  if (!plan.local_addresses.empty()) {
    std::string addresses;
    for (const std::string& each : plan.local_addresses) addresses += (addresses.empty() ? "" : ",") + each;
    all.emplace_back("ifaddr", addresses);
  }
  if (plan.reconnects) all.emplace_back("reconnect", "backoff");
  if (!plan.will_topic.empty()) all.emplace_back("will-topic", plan.will_topic);
  for (const auto& [key, value] : plan.user_properties) all.emplace_back("user-property", key + '=' + value);
  for (const auto& [key, value] : plan.labels) all.emplace_back("label." + key, value);
  if (plan.turn != load_turn::none) all.emplace_back("turn", name(plan.turn));
  if (plan.churn > 0) {
    all.emplace_back("churn", text_of(plan.churn));
    all.emplace_back("churners", std::to_string(plan.churners));
  }
  if (plan.slow != 0) {
    all.emplace_back("slow", std::to_string(plan.slow));
    all.emplace_back("slow-pause", seconds(plan.slow_pause));
  }
  return all;
}

std::string sentence(const load_plan& plan) {
  std::string text =
      std::string{name(plan.kind)} + "  " + plan.broker + "  MQTT " + std::string{name(plan.version)};
  if (plan.kind == load_kind::connect) return text + "  " + std::to_string(plan.publishers) + " clients";
  text += "  QoS " + std::to_string(static_cast<int>(plan.quality));
  if (plan.kind == load_kind::subscribe)
    return text + "  " + std::to_string(plan.subscribers) + " subscribers";
  text += "  " + std::to_string(plan.payload_size()) + " B  " + std::to_string(plan.publishers)
          + (plan.kind == load_kind::round_trip ? " requesters" : " publishers");
  if (plan.kind == load_kind::run) text += ", " + std::to_string(plan.subscribers) + " subscribers";
  if (plan.kind == load_kind::round_trip) text += ", " + std::to_string(plan.subscribers) + " responders";
  return text
         + (plan.is_open_loop() ? "  open loop, " + text_of(plan.rate) + "/s"
                                : "  closed loop, " + std::to_string(plan.window) + " in flight a publisher");
}

std::string embedded_endpoint(std::string_view broker) {
  if (broker == "embedded") return "loopback://load";
  if (broker == "embedded:tcp") return "mqtt://127.0.0.1:0";
  if (broker == "embedded:tls") return "mqtts://127.0.0.1:0";
  if (broker == "embedded:ws") return "ws://127.0.0.1:0";
  if (broker == "embedded:wss") return "wss://127.0.0.1:0";
  if (broker == "embedded:unix") return "unix://@troupe-load-" + std::to_string(::getpid());
  return {};
}

std::string misfit_of(const load_plan& plan) {
  if (plan.publishes() && plan.publishers == 0) return "there must be a publisher";
  if (plan.publishes() && !plan.is_open_loop() && plan.window == 0) return "--inflight must be above zero";
  if ((plan.kind == load_kind::subscribe || plan.kind == load_kind::round_trip) && plan.subscribers == 0)
    return "there must be a subscriber";
  if (plan.kind == load_kind::subscribe && plan.is_embedded())
    return "sub alone would hear nothing from a broker inside this process; use run, or a URL";
  if (plan.kind == load_kind::round_trip && plan.version != protocol::version::v5_0)
    return "rr wants MQTT 5.0: older versions have no response topic";
  if (plan.publishes() && plan.topic.find_first_of("+#") != std::string::npos)
    return "messages cannot be published to a topic with wildcards";
  if (!marks_are_levels(plan.topic, message_mark))
    return "a %s in the topic must be a level of its own, so that a wildcard can stand for it";
  if (const std::string wrong = pace_misfit(plan); !wrong.empty()) return wrong;
  if (!plan.user_properties.empty() && plan.version != protocol::version::v5_0)
    return "--user-property wants MQTT 5.0";
  if (const std::string wrong = upset_misfit(plan); !wrong.empty()) return wrong;
  if (plan.is_embedded() && embedded_endpoint(plan.broker).empty())
    return "--broker wants embedded, embedded:tcp, :tls, :ws, :wss, :unix, or a URL";
  if (!plan.local_addresses.empty() && !plan.is_dialled_by_tcp())
    return "--ifaddr wants a broker that is reached by TCP";
  return payload_misfit(plan);
}

} // namespace troupe::bench
