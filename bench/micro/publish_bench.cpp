// publish_bench: W30, W32: publishes that nobody subscribes to, one after another, each awaited.
//
// At QoS 0 a publish has ended when the session has taken it over, long before the broker has it. The clock
// runs on until the broker has seen every message, so that nothing is left out; `behind` counts those it had
// not seen when the last publish ended, where the published workload stops its clock.
#include "client_case.hpp"
#include "codec_case.hpp"

#include "../../runtime/pause.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <memory>

namespace troupe::bench {
namespace {

struct publish_plan {
  std::string topic;
  std::string payload;
  std::uint32_t messages;
};

/// Who waits for each publish, and where.
enum class asker : std::uint8_t {
  coroutine, // on the home worker, resumed by the completion handler itself
  awaitable, // on the home worker, a coroutine of Asio's on its io_context
  blocking,  // a thread outside
};

class publisher {
public:
  publisher(way which, std::size_t workers, version v, publish_plan plan)
      : plan_{std::move(plan)},
        meeting_{which, workers},
        user_{connect_to(meeting_, "publisher", v)},
        home_{home_of(user_)} {}

  void publish_all(asker who) {
    switch (who) {
    case asker::coroutine: home_.post([this] { by_coroutine(); }); break;
    case asker::awaitable:
      home_.post([this] { boost::asio::co_spawn(home_.io(), by_awaitable(), boost::asio::detached); });
      break;
    case asker::blocking: block(); break;
    }
    line_.wait();
    behind_ = expected_ + plan_.messages - seen();
  }
  /// Waits until the broker has seen everything.
  void catch_up() {
    expected_ += plan_.messages;
    most_behind_ = std::max(most_behind_, behind_);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (seen() < expected_ && line_.failure().empty()) {
      runtime::yield_thread();
      if (std::chrono::steady_clock::now() > until) return line_.fail("the broker has not got everything");
    }
  }
  const finish_line& line() const noexcept { return line_; }
  double messages() const noexcept { return plan_.messages; }
  double most_behind() const noexcept { return static_cast<double>(most_behind_); }

private:
  std::uint64_t seen() const { return meeting_.server.statistics().messages_received; }

  journey by_coroutine() {
    for (std::uint32_t n = 0; n != plan_.messages; ++n) {
      const outcome how = co_await ended{[this](auto handler) {
        user_.publish(plan_.topic, plan_.payload, qos::at_most_once, std::move(handler));
      }};
      if (!how.ok()) {
        line_.fail("publish: " + how.text());
        co_return;
      }
    }
    line_.reach();
  }

  boost::asio::awaitable<void> by_awaitable() {
    for (std::uint32_t n = 0; n != plan_.messages; ++n) {
      const outcome how =
          co_await user_.publish(plan_.topic, plan_.payload, qos::at_most_once, boost::asio::use_awaitable);
      if (!how.ok()) {
        line_.fail("publish: " + how.text());
        co_return;
      }
    }
    line_.reach();
  }

  void block() {
    for (std::uint32_t n = 0; n != plan_.messages; ++n) {
      const outcome how = user_.publish(plan_.topic, plan_.payload, qos::at_most_once).get();
      if (!how.ok()) return line_.fail("publish: " + how.text());
    }
    line_.reach();
  }

  publish_plan plan_;
  meeting meeting_;
  client user_;
  runtime::home& home_;
  finish_line line_;
  std::uint64_t expected_ = 0;
  std::uint64_t behind_ = 0;
  std::uint64_t most_behind_ = 0;
};

void run(benchmark::State& state, way which, std::size_t workers, version v, asker who,
         const publish_plan& plan) {
  publisher work{which, workers, v, plan};
  measure_elsewhere(
      state, work.messages(), work.line(),
      [&] {
        work.publish_all(who);
        work.catch_up();
      },
      [] {});
  state.counters["behind"] = work.most_behind();
}

void register_w30() {
  const publish_plan plan{"A", "", 10'000};
  const std::pair<const char*, asker> askers[] = {
      {"", asker::coroutine}, {"/awaitable", asker::awaitable}, {"/blocking", asker::blocking}};
  for (const way which : {way::loopback, way::tcp})
    for (const std::size_t workers : {1U, 2U})
      for (const auto& [ending, who] : askers)
        for (const version v : {version::v5_0, version::v3_1_1}) {
          if (who != asker::coroutine && v != version::v5_0) continue;
          const std::string name =
              std::string{"W30/publish/"} + word(which) + '/' + workers_word(workers) + '/' + tag(v) + ending;
          register_case(name, [=, who = who](benchmark::State& s) { run(s, which, workers, v, who, plan); });
        }
}

void register_w32() {
  for (const way which : every_way)
    for (const std::size_t size : {1'024U, 4'096U, 8'192U, 65'536U})
      for (const version v : {version::v5_0, version::v3_1_1}) {
        const std::string name =
            std::string{"W32/publish/"} + word(which) + '/' + std::to_string(size) + '/' + tag(v);
        const publish_plan plan{"A", std::string(size, '\0'), 1'000};
        register_case(name, [=](benchmark::State& s) { run(s, which, 1, v, asker::coroutine, plan); });
      }
}

const bool registered = [] {
  register_w30();
  register_w32();
  return true;
}();

} // namespace
} // namespace troupe::bench
