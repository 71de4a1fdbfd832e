#include "scenario.hpp"

#include <array>
#include <chrono>

namespace troupe::bench {
namespace {

void set_run(load_options& to, std::uint32_t publishers, std::uint32_t subscribers, double rate_each) {
  to.plan.kind = load_kind::run;
  to.plan.publishers = publishers;
  to.plan.subscribers = subscribers;
  to.plan.quality = protocol::qos::at_least_once;
  to.plan.payload = 64;
  to.usual_rate_per_client = rate_each;
}

void set_stored(load_options& to, load_turn turn) {
  set_run(to, 1, 10, 0);
  to.plan.turn = turn;
  to.plan.limit = 1'000;
}

void set_connect(load_options& to, std::uint32_t clients) {
  to.plan.kind = load_kind::connect;
  to.plan.publishers = clients;
}

constexpr std::array<scenario, 10> scenarios{{
    {"p2p", "as many subscribers as publishers, each with a topic of its own (open MQTT benchmark suite)",
     [](load_options& to) {
       set_run(to, 100, 0, 10);
       to.plan.pairs = true;
     }},
    {"fan-out", "few publishers, many subscribers that take everything (open MQTT benchmark suite)",
     [](load_options& to) { set_run(to, 5, 100, 50); }},
    {"fan-in", "many publishers, few subscribers that share one subscription (open MQTT benchmark suite)",
     [](load_options& to) {
       set_run(to, 100, 5, 50);
       to.plan.share = "fan-in";
     }},
    {"connection-storm", "many clients connect as fast as they can, or with -R (open MQTT benchmark suite)",
     [](load_options& to) { set_connect(to, 1'000); }},
    {"churn",
     "clients come and go while messages flow between others: 'reconnect' is from leaving to CONNACK",
     [](load_options& to) {
       set_run(to, 10, 10, 100);
       to.plan.pairs = true;
       to.plan.churn = 50;
       to.plan.churners = 50;
     }},
    {"reconnect-storm",
     "halfway all subscribers are cut off at once and come back to their sessions; at QoS 1 and 2 nothing "
     "may "
     "be lost",
     [](load_options& to) {
       set_run(to, 1, 100, 100);
       to.plan.turn = load_turn::storm;
       to.plan.session_expiry = std::chrono::seconds{300};
     }},
    {"takeover",
     "clients connect, then as many of the same names: 'takeover' is until the CONNACK of the second",
     [](load_options& to) {
       set_connect(to, 100);
       to.plan.turn = load_turn::takeover;
     }},
    {"slow-consumer", "one of ten subscribers takes 10 ms a message: what the others feel of it is 'e2e'",
     [](load_options& to) {
       set_run(to, 1, 10, 1'000);
       to.plan.quality = protocol::qos::at_most_once;
       to.plan.slow = 1;
     }},
    {"retained-burst",
     "-L messages are retained on topics of their own, then everybody subscribes to all: 'stored.all' is "
     "from "
     "SUBSCRIBE to the last; they are removed in the end",
     [](load_options& to) {
       set_stored(to, load_turn::retained);
       to.plan.retain = true;
     }},
    {"session-resume",
     "subscribers leave, -L messages are kept for them, they come back: 'stored.all' is from dialling to the "
     "last",
     [](load_options& to) {
       set_stored(to, load_turn::resume);
       to.plan.session_expiry = std::chrono::seconds{300};
     }},
}};

} // namespace

std::span<const scenario> all_scenarios() noexcept { return scenarios; }

} // namespace troupe::bench
