// store_bench: what it costs that a broker and a client keep their promises beyond their process.
//
// W40/durable: 20,000 publishes at QoS 1 through a broker, all outcomes awaited, all received by a durable session:
// in memory, and with a store in a file. W35/stored: 10,000 SUBSCRIBE requests, each awaited, by a client with a
// session file; `late_to_early` is what the last 200 took against the first 200.
#include "../load/scratch_folder.hpp"
#include "client_case.hpp"
#include "site_topics.hpp"

#include "../../runtime/record_store.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

namespace troupe::bench {
namespace {

using std::chrono::steady_clock;

std::shared_ptr<runtime::record_store> store_in(const scratch_folder& where) {
  auto opened = open_store(where.file("broker.db"));
  if (!opened) throw std::runtime_error{"store: " + opened.error().message()};
  return std::move(*opened);
}

client_options durable(std::string endpoint, std::string client_id) {
  client_options result;
  result.broker = std::move(endpoint);
  result.client_id = std::move(client_id);
  result.clean_start = false;
  result.session_expiry = std::chrono::hours{1};
  result.keep_alive = std::chrono::seconds{0};
  result.reconnect = false;
  return result;
}

constexpr std::size_t messages = 20'000;

void publish_durably(benchmark::State& state, bool in_file) {
  const scratch_folder folder{"micro"};
  stage place{{.workers = 1, .name = "micro"}};
  broker server{place, {.shards = 1, .store = in_file ? store_in(folder) : nullptr}};
  const auto bound = server.listen("loopback://durable");
  if (!bound) throw std::runtime_error{"listen: " + bound.error().message()};
  client reader{place, durable(*bound, "reader")};
  client writer{place, durable(*bound, "writer")};
  await_connection(reader);
  await_connection(writer);

  finish_line line;
  std::atomic<int> open{0}; // the one who counts it down to zero has reached the line
  std::size_t received = 0; // the reader's home alone
  const auto one_done = [&] {
    if (open.fetch_sub(1, std::memory_order_acq_rel) == 1) line.reach();
  };
  const auto all = reader.subscribe("durable/t", qos::at_least_once, [&](const message&) {
    if (++received % messages == 0) one_done();
  });
  require(all.granted().get(), "subscribe");
  const publication each{"durable/t", "ten octets", qos::at_least_once};
  const std::vector<publication> run(messages, each);
  measure_elsewhere(
      state, messages, line,
      [&] {
        open.store(2, std::memory_order_relaxed);
        writer.publish_many(run, [&](const outcome& how) {
          if (how.ok())
            one_done();
          else
            line.fail("publish: " + how.text());
        });
        line.wait();
      },
      [] {});
}

constexpr std::size_t requests = 10'000;
constexpr std::size_t some = 200;

/// Subscribes to one filter after the other, on the client's home.
class stored_requester {
public:
  explicit stored_requester(client& user) : user_{user} {
    append_site_topics(filters_, 0, requests);
    held_.resize(requests);
  }
  void subscribe_all() {
    home_of(user_).post([this] { one_by_one(); });
    line.wait();
  }
  double late_to_early() const {
    const auto early = marks_[1] - marks_[0];
    const auto late = marks_[3] - marks_[2];
    return static_cast<double>(late.count()) / static_cast<double>(early.count());
  }

  finish_line line;

private:
  void mark(std::size_t n) {
    if (n == 0) marks_[0] = steady_clock::now();
    if (n == some) marks_[1] = steady_clock::now();
    if (n == requests - some) marks_[2] = steady_clock::now();
    if (n == requests) marks_[3] = steady_clock::now();
  }
  journey one_by_one() {
    for (std::size_t n = 0; n != requests; ++n) {
      mark(n);
      const outcome how = co_await ended{[this, n](auto handler) {
        held_[n] = user_.subscribe(filters_[n], qos::at_most_once, [](const message&) {});
        held_[n].granted(std::move(handler));
      }};
      if (!how.ok()) {
        line.fail("subscribe: " + how.text());
        co_return;
      }
    }
    mark(requests);
    line.reach();
  }

  client& user_;
  std::vector<std::string> filters_;
  std::vector<subscription> held_;
  std::array<steady_clock::time_point, 4> marks_{};
};

void subscribe_stored(benchmark::State& state, bool in_file) {
  meeting where{way::loopback, 1};
  double ratio = 0;
  std::size_t rounds = 0;
  for (auto _ : state) {
    state.PauseTiming();
    {
      const scratch_folder folder{"micro"}; // a file of its own for each round: it begins empty
      client_options options = durable(where.endpoint, "stored" + std::to_string(++rounds));
      if (in_file) options.session_file = folder.file("session.db");
      client user{where.place, options};
      await_connection(user);
      stored_requester work{user};
      state.ResumeTiming();
      work.subscribe_all();
      state.PauseTiming();
      if (!work.line.failure().empty()) return state.SkipWithError(work.line.failure().c_str());
      ratio += work.late_to_early();
    }
    state.ResumeTiming();
  }
  state.counters["late_to_early"] = ratio / static_cast<double>(rounds);
  report(state, requests);
}

const bool registered = [] {
  for (const bool in_file : {false, true}) {
    const std::string where = in_file ? "file" : "memory";
    register_case("W40/durable/loopback/" + where,
                  [in_file](benchmark::State& s) { publish_durably(s, in_file); });
    register_case("W35/stored/loopback/" + where,
                  [in_file](benchmark::State& s) { subscribe_stored(s, in_file); });
  }
  return true;
}();

} // namespace
} // namespace troupe::bench
