#include "peer_run.hpp"

#include "cost_counters.hpp"
#include "load_sampler.hpp"
#include "message_stamp.hpp"
#include "statistics.hpp"

#include <nlohmann/json.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace troupe::bench {
namespace {

constexpr std::array<peer_case, 11> cases{{
    {"W70/sustained/uncapped", "QoS 1, batches of 200 all awaited; as many in flight as the broker takes",
     peer_work::batches, 1, 20'000, 200, true},
    {"W70/sustained/out_of_the_box", "the same with what each library does by itself", peer_work::batches, 1,
     20'000, 200, false},
    {"W71/qos0_round_trip", "a publish until it is back at our own subscription", peer_work::round_trip, 0,
     2'000, 1, false},
    {"W72/qos1_to_puback", "a publish until its PUBACK", peer_work::one_by_one, 1, 2'000, 1, false},
    {"W73/qos2_to_pubcomp", "a publish until its PUBCOMP", peer_work::one_by_one, 2, 2'000, 1, false},
    {"W74/connect", "a new client until it is connected, median", peer_work::connecting, 0, 30, 1, false},
    {"V01/publish_only/qos0", "64 octets, batches of 1,000 all awaited", peer_work::batches, 0, 100'000,
     1'000, true},
    {"V01/publish_only/qos1", "64 octets, batches of 1,000 all awaited", peer_work::batches, 1, 50'000, 1'000,
     true},
    {"V02/passage/qos0/200", "to our own subscription, batches of 200 all received", peer_work::passage, 0,
     40'000, 200, true},
    {"V02/passage/qos0/1000", "to our own subscription, batches of 1,000 all received", peer_work::passage, 0,
     200'000, 1'000, true},
    {"V02/passage/qos1/200", "to our own subscription, batches of 200 all received", peer_work::passage, 1,
     20'000, 200, true},
}};

struct glance {
  std::int64_t time = 0;
  costs spent{};
  own_usage used{};
  double faults = 0;
  double switches = 0;
};

void look_around(glance& now) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  now.faults = static_cast<double>(used.ru_minflt + used.ru_majflt);
  now.switches = static_cast<double>(used.ru_nvcsw + used.ru_nivcsw);
  now.used = look_at_own_usage();
}

/// Looking around allocates, which is nobody's cost: time and costs are taken last before, and first after.
glance look_before() {
  glance now;
  look_around(now);
  now.spent = count_costs();
  now.time = now_ns();
  return now;
}

glance look_after() {
  glance now;
  now.time = now_ns();
  now.spent = count_costs();
  look_around(now);
  return now;
}

peer_address address_of(const peer_case& what, std::uint16_t port, std::uint32_t number) {
  return {.port = port,
          .client_id = "peer" + std::to_string(::getpid()) + '-' + std::to_string(number),
          .is_uncapped = what.is_uncapped};
}

class worker {
public:
  worker(const peer_case& what, std::unique_ptr<peer_client> by)
      : what_{what},
        by_{std::move(by)},
        topic_{"bench/peer/" + std::to_string(::getpid())},
        payload_(64, 'x') {}

  std::string prepare(std::uint16_t port) {
    if (!by_->connect(address_of(what_, port, 0))) return "could not connect";
    const bool receives = what_.work == peer_work::round_trip || what_.work == peer_work::passage;
    if (receives && !by_->subscribe(topic_, what_.quality)) return "could not subscribe";
    return {};
  }

  std::string do_some(std::uint64_t count) {
    while (count != 0) {
      const auto now = std::min<std::uint64_t>(what_.batch, count);
      for (std::uint64_t i = 0; i < now; ++i)
        if (!by_->publish(topic_, payload_, what_.quality)) return "a publish was refused";
      begun_ += now;
      if (what_.work == peer_work::round_trip || what_.work == peer_work::passage)
        by_->wait_for_receipts(begun_);
      by_->wait_for_ends(begun_);
      count -= now;
    }
    return by_->failed() == 0 ? "" : "a publish failed";
  }

private:
  const peer_case& what_;
  std::unique_ptr<peer_client> by_;
  std::string topic_;
  std::string payload_;
  std::uint64_t begun_ = 0;
};

void fill(peer_figures& to, const glance& before, const glance& after, double count) {
  to.time = static_cast<double>(after.time - before.time) / count;
  to.processor = (after.used.processor_seconds - before.used.processor_seconds) * 1e9 / count;
  const costs spent = after.spent - before.spent;
  to.allocations = static_cast<double>(spent.allocations) / count;
  to.allocated = static_cast<double>(spent.allocated_bytes) / count;
  to.faults = after.faults - before.faults;
  to.switches = after.switches - before.switches;
  to.growth = static_cast<double>(after.used.resident) - static_cast<double>(before.used.resident);
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  to.peak = static_cast<double>(used.ru_maxrss) * 1'024;
}

peer_figures run_connecting(const peer_case& what, const std::string& peer, std::uint16_t port,
                            std::uint32_t count) {
  peer_figures result;
  std::vector<double> times;
  const glance before = look_before();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::int64_t start = now_ns();
    const auto by = make_peer(peer);
    if (!by->connect(address_of(what, port, i))) {
      result.failure = "could not connect";
      return result;
    }
    times.push_back(static_cast<double>(now_ns() - start));
  }
  fill(result, before, look_after(), count);
  result.time = median_of(times);
  return result;
}

template <class Visit>
void each_figure(Visit visit) {
  visit("time_ns", &peer_figures::time);
  visit("processor_ns", &peer_figures::processor);
  visit("allocations", &peer_figures::allocations);
  visit("allocated_octets", &peer_figures::allocated);
  visit("page_faults", &peer_figures::faults);
  visit("context_switches", &peer_figures::switches);
  visit("peak_rss_octets", &peer_figures::peak);
  visit("rss_growth_octets", &peer_figures::growth);
}

} // namespace

std::span<const peer_case> all_peer_cases() noexcept { return cases; }

const peer_case* peer_case_named(std::string_view id) noexcept {
  const auto place =
      std::find_if(cases.begin(), cases.end(), [id](const auto& each) { return each.id == id; });
  return place == cases.end() ? nullptr : &*place;
}

peer_figures run_peer_case(const peer_case& what, const std::string& peer, std::uint16_t port, double scale) {
  peer_figures result;
  auto by = make_peer(peer);
  if (!by) {
    result.failure = peer + " was not built in";
    return result;
  }
  const auto count = std::max<std::uint32_t>(static_cast<std::uint32_t>(what.count * scale), what.batch);
  if (what.work == peer_work::connecting) return run_connecting(what, peer, port, count);
  worker doing{what, std::move(by)};
  result.failure = doing.prepare(port);
  if (result.failure.empty()) result.failure = doing.do_some(std::max(count / 10, 1U));
  if (!result.failure.empty()) return result;
  const glance before = look_before();
  result.failure = doing.do_some(count);
  fill(result, before, look_after(), count);
  return result;
}

std::string figures_json(const peer_figures& figures) {
  nlohmann::ordered_json to;
  to["failure"] = figures.failure;
  each_figure([&](const char* key, double peer_figures::*member) { to[key] = figures.*member; });
  return to.dump();
}

std::optional<peer_figures> read_figures(const std::string& text) {
  const auto from = nlohmann::json::parse(text, nullptr, false);
  if (!from.is_object() || !from.contains("failure")) return std::nullopt;
  peer_figures result;
  result.failure = from.at("failure").get<std::string>();
  each_figure([&](const char* key, double peer_figures::*member) { result.*member = from.value(key, 0.0); });
  return result;
}

} // namespace troupe::bench
