#include "our_side.hpp"

#include "arrival.hpp"
#include "bench_certificate.hpp"

#include "../../actors/client.hpp"
#include "../../broker/broker.hpp"
#include "../../runtime/stage.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>

#include <cstdio>
#include <optional>
#include <random>
#include <vector>

namespace troupe::bench {
namespace {

using clock = std::chrono::steady_clock;
constexpr std::chrono::seconds deadline{30};

/// A stage on a scheduler of ours, or on a borrowed system with one of CAF's.
class place {
public:
  place(scheduler_kind scheduler, std::size_t workers, const char* name) {
    stage_options options;
    options.workers = workers;
    options.name = name;
    if (scheduler == scheduler_kind::own) {
      stage_.emplace(options);
      return;
    }
    config_.emplace();
    config_->set("scheduler.policy",
                 scheduler == scheduler_kind::sharing ? caf::atom("sharing") : caf::atom("stealing"));
    system_.emplace(*config_);
    stage_.emplace(*system_, options);
  }
  stage& operator*() noexcept { return *stage_; }

private:
  std::optional<caf::actor_system_config> config_;
  std::optional<caf::actor_system> system_;
  std::optional<stage> stage_;
};

/// "test" and the text of a random UUID: 40 octets, as in the published workload.
std::string random_topic(std::mt19937_64& chance) {
  const std::uint64_t a = chance();
  const std::uint64_t b = chance();
  char text[41];
  std::snprintf(text, sizeof text, "test%08x-%04x-4%03x-%04x-%012llx", static_cast<unsigned>(a >> 32U),
                static_cast<unsigned>(a >> 16U & 0xFFFFU), static_cast<unsigned>(a & 0xFFFU),
                static_cast<unsigned>(0x8000U | (b >> 48U & 0x3FFFU)),
                static_cast<unsigned long long>(b & 0xFFFF'FFFF'FFFFU));
  return text;
}

std::string listen_endpoint(medium transport) {
  switch (transport) {
  case medium::tcp: return "mqtt://127.0.0.1:0";
  case medium::tls: return "mqtts://127.0.0.1:0";
  case medium::unix_socket:
    return "unix://@troupe-bench-" + std::to_string(clock::now().time_since_epoch().count());
  case medium::loopback: return "loopback://bench";
  }
  return {};
}

void require(const outcome& end, const char* what) {
  if (!end.ok()) throw row_failure{std::string{what} + ": " + end.text()};
}

} // namespace

struct our_side::parts {
  explicit parts(const our_plan& from)
      : plan{from},
        client_place{from.row.scheduler, from.workers, "bench"},
        check{from.row.payload},
        payload(from.row.payload) {
    fill_payload(payload);
    if (!plan.broker.empty()) {
      endpoint = plan.broker;
      return;
    }
    if (plan.row.systems == 2) broker_place.emplace(plan.row.scheduler, plan.workers, "broker");
    server.emplace(broker_place ? **broker_place : *client_place);
    listen_options how;
    if (plan.row.transport == medium::tls) {
      card = bench_certificate::make();
      how.tls = {.cert_file = card.certificate, .key_file = card.key};
    }
    const auto bound = server->listen(listen_endpoint(plan.row.transport), how);
    if (!bound) throw row_failure{"listen: " + bound.error().message()};
    endpoint = *bound;
  }

  void receive(const message& m) noexcept { receipt.at(check.take(m.payload())); }

  our_plan plan;
  place client_place;
  std::optional<place> broker_place; // with two systems
  std::optional<broker> server;
  std::string endpoint;
  bench_certificate card; // of rows over TLS
  std::mt19937_64 chance{20'26};
  std::string topic;
  // The book is written by the handler; read and armed here while nothing is on its way.
  sequence_check check;
  arrival receipt;
  std::optional<client> user;
  std::optional<subscription> interest;
  std::vector<protocol::octet> payload;
  std::vector<pending<outcome>> outcomes;
  std::vector<protocol::octet> payloads; // of a publish_many, one after another
  std::vector<publication> publications;
  std::uint64_t number = 0; // of the next message
  faults found;
  clock::time_point until{};
};

our_side::our_side(const our_plan& plan) : parts_{std::make_unique<parts>(plan)} {}
our_side::~our_side() = default;

std::uint32_t our_side::messages() const noexcept { return parts_->plan.row.messages; }
void our_side::thorough(bool whole) noexcept { parts_->check.thorough(whole); }
const faults& our_side::found() const noexcept { return parts_->found; }

void our_side::fresh_client() {
  parts& p = *parts_;
  p.interest.reset();
  p.user.reset();
  p.topic = random_topic(p.chance);
  client_options options;
  options.broker = p.endpoint;
  options.client_id = "bench" + std::to_string(p.chance() % 1'000'000'000);
  options.version = p.plan.row.version;
  options.keep_alive = std::chrono::seconds{5};
  options.reconnect = false;
  options.tls.ca_file = p.card.certificate;
  if (p.server) options.send_window = 65'535; // so much ours takes, though 3.1.1 has no word for it
  p.user.emplace(*p.client_place, options);
  auto connected = p.user->connected();
  if (!connected.wait_for(deadline)) throw row_failure{"no connection within 30 s"};
  require(connected.get(), "connect");
  p.interest.emplace(
      p.user->subscribe(p.topic, p.plan.row.quality, [&p](const message& m) { p.receive(m); }));
  auto granted = p.interest->granted();
  if (!granted.wait_for(deadline)) throw row_failure{"no answer to SUBSCRIBE within 30 s"};
  require(granted.get(), "subscribe");
}

std::chrono::nanoseconds our_side::burst(std::uint32_t messages) {
  parts& p = *parts_;
  p.check.arm(p.number, messages);
  p.receipt.arm(messages, p.plan.row.kind == workload_kind::sustained ? p.plan.row.window / 4 : 0);
  p.outcomes.clear();
  p.outcomes.reserve(messages);
  const auto begin = clock::now();
  p.until = begin + deadline;
  switch (p.plan.row.kind) {
  case workload_kind::many: publish_at_once(messages); break;
  case workload_kind::sustained: publish_with_window(messages); break;
  default: publish_each(messages);
  }
  await_receipt(messages);
  await_outcomes();
  const auto end = clock::now();
  p.number += messages;
  p.found.lost += p.check.lost();
  p.found.duplicated += p.check.duplicated();
  p.found.reordered += p.check.reordered();
  p.found.damaged += p.check.damaged();
  return end - begin;
}

void our_side::publish_each(std::uint32_t messages) {
  parts& p = *parts_;
  for (std::uint32_t i = 0; i < messages; ++i) {
    stamp(p.payload, p.number + i);
    p.outcomes.push_back(p.user->publish(p.topic, p.payload, p.plan.row.quality));
  }
}

void our_side::publish_at_once(std::uint32_t messages) {
  parts& p = *parts_;
  const std::size_t size = p.payload.size();
  if (p.publications.size() != messages) {
    p.payloads.resize(messages * size);
    p.publications.resize(messages);
    for (std::uint32_t i = 0; i < messages; ++i)
      std::copy_n(p.payload.data(), size, p.payloads.data() + i * size);
  }
  for (std::uint32_t i = 0; i < messages; ++i) {
    const std::span<protocol::octet> own{p.payloads.data() + i * size, size};
    stamp(own, p.number + i);
    p.publications[i] = {p.topic, own, p.plan.row.quality, {}};
  }
  p.outcomes.push_back(p.user->publish_many(p.publications));
}

// Outcomes at QoS 0 say only that a message was taken; the window is kept by receipts.
void our_side::publish_with_window(std::uint32_t messages) {
  parts& p = *parts_;
  const std::uint32_t window = p.plan.row.window;
  for (std::uint32_t i = 0; i < messages; ++i) {
    if (i >= window && p.receipt.told() + window <= i && !p.receipt.await(i - window + window / 4, p.until))
      return;
    stamp(p.payload, p.number + i);
    const bool is_last = i + 1 == messages;
    auto end = p.user->publish(p.topic, p.payload, p.plan.row.quality);
    if (is_last) p.outcomes.push_back(std::move(end));
  }
}

void our_side::await_receipt(std::uint32_t messages) {
  parts& p = *parts_;
  if (p.receipt.await(messages, p.until)) return;
  throw row_failure{"30 s passed; " + std::to_string(p.receipt.told()) + " or more of "
                    + std::to_string(messages) + " messages were received"};
}

void our_side::await_outcomes() {
  parts& p = *parts_;
  for (auto& each : p.outcomes) {
    if (!each.done() && !each.wait_for(p.until - clock::now()))
      throw row_failure{"30 s passed and not every publish has its outcome"};
    require(each.get(), "publish");
  }
}

} // namespace troupe::bench
