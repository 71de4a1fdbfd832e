// subscribe_bench: W35, W36: 10,000 requests of one filter, one after another, each answer awaited.
//
// Client and broker stay the same through a case, so later rounds of W35 subscribe again to what is there.
// W36 has both readings of its workload: `missing`, where nothing was ever subscribed, and `removing`,
// where everything is subscribed again while the clock stands. Whether every request really reached the
// broker is told by the octets that it has received.
#include "client_case.hpp"
#include "site_topics.hpp"

#include <memory>

namespace troupe::bench {
namespace {

constexpr std::size_t requests = 10'000;

enum class asker : std::uint8_t { coroutine, blocking };

class requester {
public:
  requester(way which, std::size_t workers)
      : meeting_{which, workers}, user_{connect_to(meeting_, "requester")}, home_{home_of(user_)} {
    append_site_topics(filters_, 0, requests);
    for (const std::string& each : filters_) filter_octets_ += each.size();
    fresh_.resize(requests);
  }

  void subscribe_all(asker who) {
    go(who, [this](std::size_t n, auto handler) {
      fresh_[n] = user_.subscribe(filters_[n], qos::at_most_once, [](const message&) {});
      fresh_[n].granted(std::move(handler));
    });
  }
  void unsubscribe_all(asker who) {
    go(who, [this](std::size_t n, auto handler) { user_.unsubscribe(filters_[n], std::move(handler)); });
  }

  /// What subscribe_all() made takes the place of what it had made before: the broker need not be told.
  void settle_in() {
    held_.swap(fresh_);
    fresh_.clear();
    fresh_.resize(requests);
    require(user_.connected().get(), "connected"); // behind the ends of all the old ones
  }
  /// What was subscribed has been ended by its filter.
  void forget() {
    held_.clear();
    fresh_.clear();
    fresh_.resize(requests);
    require(user_.connected().get(), "connected");
  }

  /// Since the last time, the broker has received `rounds` times all filters, each in a packet of its own.
  void check(std::size_t rounds, std::size_t octets_around) {
    const std::uint64_t now = meeting_.server.statistics().octets_received;
    if (now - received_ != rounds * (filter_octets_ + requests * octets_around))
      line_.fail("the broker has not received what was asked for");
    received_ = now;
  }
  void check_subscriptions(std::size_t expected) {
    if (meeting_.server.statistics().subscriptions != expected)
      line_.fail("the broker has another number of subscriptions");
  }
  void skip_octets() { received_ = meeting_.server.statistics().octets_received; }
  const finish_line& line() const noexcept { return line_; }

private:
  template <class Ask>
  void go(asker who, Ask ask) {
    if (who == asker::coroutine)
      home_.post([this, ask] { one_by_one(ask); });
    else
      block(ask);
    line_.wait();
  }

  template <class Ask>
  journey one_by_one(Ask ask) {
    for (std::size_t n = 0; n != requests; ++n) {
      const outcome how = co_await ended{[&ask, n](auto handler) { ask(n, std::move(handler)); }};
      if (!how.ok()) {
        line_.fail("request: " + how.text());
        co_return;
      }
    }
    line_.reach();
  }

  template <class Ask>
  void block(Ask ask) {
    for (std::size_t n = 0; n != requests; ++n) {
      finish_line answered;
      ask(n, [&answered](const outcome& how) {
        if (how.ok())
          answered.reach();
        else
          answered.fail("request: " + how.text());
      });
      answered.wait();
      if (!answered.failure().empty()) return line_.fail(answered.failure());
    }
    line_.reach();
  }

  meeting meeting_;
  client user_;
  runtime::home& home_;
  finish_line line_;
  std::vector<std::string> filters_;
  std::vector<subscription> fresh_;
  std::vector<subscription> held_;
  std::size_t filter_octets_ = 0;
  std::uint64_t received_ = 0;
};

// Around a filter in a packet of 5.0: two octets of header, packet id, no properties, length of the filter,
// and in a SUBSCRIBE its options.
constexpr std::size_t around_subscribe = 2 + 2 + 1 + 2 + 1;
constexpr std::size_t around_unsubscribe = 2 + 2 + 1 + 2;

void subscribe(benchmark::State& state, way which, std::size_t workers, asker who) {
  requester work{which, workers};
  work.skip_octets();
  measure_elsewhere(
      state, requests, work.line(), [&] { work.subscribe_all(who); },
      [&] {
        work.check(1, around_subscribe);
        work.check_subscriptions(requests);
        work.settle_in();
      });
}

void unsubscribe_missing(benchmark::State& state, way which, std::size_t workers, asker who) {
  requester work{which, workers};
  work.skip_octets();
  measure_elsewhere(
      state, requests, work.line(), [&] { work.unsubscribe_all(who); },
      [&] { work.check(1, around_unsubscribe); });
}

void unsubscribe_removing(benchmark::State& state, way which, std::size_t workers, asker who) {
  requester work{which, workers};
  const auto subscribe_again = [&] {
    work.subscribe_all(asker::coroutine);
    work.check_subscriptions(requests);
    work.skip_octets();
  };
  subscribe_again();
  measure_elsewhere(
      state, requests, work.line(), [&] { work.unsubscribe_all(who); },
      [&] {
        work.check(1, around_unsubscribe);
        work.check_subscriptions(0);
        work.forget();
        subscribe_again();
      });
}

const bool registered = [] {
  using body = void (*)(benchmark::State&, way, std::size_t, asker);
  const std::pair<const char*, body> cases[] = {{"W35/subscribe/", subscribe},
                                                {"W36/unsubscribe_missing/", unsubscribe_missing},
                                                {"W36/unsubscribe_removing/", unsubscribe_removing}};
  for (const auto& [begin, run] : cases)
    for (const way which : {way::loopback, way::tcp})
      for (const std::size_t workers : {1U, 2U})
        for (const asker who : {asker::coroutine, asker::blocking}) {
          const std::string name = std::string{begin} + word(which) + '/' + workers_word(workers)
                                   + (who == asker::blocking ? "/blocking" : "");
          register_case(name, [=, run = run](benchmark::State& s) { run(s, which, workers, who); });
        }
  return true;
}();

} // namespace
} // namespace troupe::bench
