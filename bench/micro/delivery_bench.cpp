// delivery_bench: W34: one message for each of 50 to 500 subscribed topics, held by ten subscribers.
//
// `one_publisher` awaits each publish before the next, on its home worker; in `each_publishes` every
// publisher is a client of its own, connected, and those whose topics somebody subscribes to publish one
// after another without waiting. The clock runs from the first publish until the last delivery was counted.
#include "client_case.hpp"
#include "site_topics.hpp"

#include <sys/resource.h>

#include <array>
#include <atomic>
#include <vector>

namespace troupe::bench {
namespace {

constexpr std::size_t subscribers = 10;
constexpr std::array<protocol::octet, 4> four{1, 2, 3, 4};

struct delivery_plan {
  way which;
  std::size_t workers;
  std::size_t publishers;           // each with its topics
  std::size_t topics_per_publisher; // of the space
  std::size_t topics_per_subscriber;
  bool each_publishes; // by its own client
};

/// Two descriptors a client over TCP, and some for everything else.
void allow_descriptors(std::size_t clients) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const std::size_t needed = 2 * clients + 200;
  if (limit.rlim_cur < needed)
    throw std::runtime_error{"needs " + std::to_string(needed) + " descriptors, may have "
                             + std::to_string(limit.rlim_cur) + ": raise the hard limit (ulimit -Hn)"};
}

class delivery {
public:
  explicit delivery(const delivery_plan& plan) : plan_{plan}, meeting_{plan.which, plan.workers} {
    if (plan.which != way::loopback)
      allow_descriptors(subscribers + (plan.each_publishes ? plan.publishers : 1));
    choose_topics();
    subscribe();
    connect_publishers();
  }

  void deliver_all() {
    left_.store(chosen_.size(), std::memory_order_relaxed);
    if (plan_.each_publishes)
      publish_by_each();
    else
      home_->post([this] { publish_by_one(); });
    line_.wait();
  }
  void check() {
    const auto told = delivered_.load(std::memory_order_relaxed);
    expected_ += chosen_.size();
    if (told != expected_) line_.fail("delivered another number of messages than were published");
  }
  const finish_line& line() const noexcept { return line_; }
  std::size_t messages() const noexcept { return chosen_.size(); }

private:
  struct chosen_topic {
    std::string name;
    std::size_t publisher;
  };

  void choose_topics() {
    std::vector<std::string> all;
    for (std::size_t p = 0; p != plan_.publishers; ++p)
      append_site_topics(all, p, plan_.topics_per_publisher);
    const std::size_t count = subscribers * plan_.topics_per_subscriber;
    const std::size_t step = all.size() / count;
    for (std::size_t n = 0; n != count; ++n)
      chosen_.push_back({all[n * step], n * step / plan_.topics_per_publisher});
  }

  void subscribe() {
    for (std::size_t s = 0; s != subscribers; ++s) {
      listeners_.push_back(connect_to(meeting_, "subscriber" + std::to_string(s)));
      for (std::size_t t = 0; t != plan_.topics_per_subscriber; ++t) {
        const std::string& topic = chosen_[s * plan_.topics_per_subscriber + t].name;
        interests_.push_back(
            listeners_.back().subscribe(topic, qos::at_most_once, [this](const message& m) { count(m); }));
        require(interests_.back().granted().get(), "subscribe");
      }
    }
  }

  void connect_publishers() {
    const std::size_t count = plan_.each_publishes ? plan_.publishers : 1;
    publishers_.reserve(count);
    for (std::size_t p = 0; p != count; ++p)
      publishers_.emplace_back(meeting_.place, meeting_.options("publisher" + std::to_string(p)));
    for (client& each : publishers_) await_connection(each);
    home_ = &home_of(publishers_.front());
  }

  void count(const message& m) noexcept {
    if (m.payload().size() == four.size()) delivered_.fetch_add(1, std::memory_order_relaxed);
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) line_.reach();
  }

  void publish_by_each() {
    for (const chosen_topic& each : chosen_) publishers_[each.publisher].publish(each.name, four);
  }

  journey publish_by_one() {
    client& user = publishers_.front();
    for (const chosen_topic& each : chosen_) {
      const outcome how = co_await ended{
          [&](auto handler) { user.publish(each.name, four, qos::at_most_once, std::move(handler)); }};
      if (!how.ok()) {
        line_.fail("publish: " + how.text());
        co_return;
      }
    }
  }

  const delivery_plan plan_;
  meeting meeting_;
  finish_line line_;
  std::vector<chosen_topic> chosen_;
  std::atomic<std::size_t> left_{0};      // of this round; the last handler reaches the line
  std::atomic<std::size_t> delivered_{0}; // with the right payload, ever; written by handlers
  std::size_t expected_ = 0;
  std::vector<client> listeners_;
  std::vector<subscription> interests_;
  std::vector<client> publishers_;
  runtime::home* home_ = nullptr;
};

void deliver(benchmark::State& state, const delivery_plan& plan) {
  delivery work{plan};
  measure_elsewhere(
      state, static_cast<double>(work.messages()), work.line(), [&] { work.deliver_all(); },
      [&] { work.check(); });
}

void register_grid(way which, std::size_t workers, std::size_t publishers, bool each_publishes) {
  for (const std::size_t topics : {1U, 5U})
    for (const std::size_t subscribed : {5U, 10U, 20U, 50U}) {
      const std::string name = std::string{"W34/"} + (each_publishes ? "each_publishes/" : "one_publisher/")
                               + word(which) + '/' + workers_word(workers) + '/' + std::to_string(publishers)
                               + 'x' + std::to_string(topics) + "/10x" + std::to_string(subscribed);
      const delivery_plan plan{which, workers, publishers, topics, subscribed, each_publishes};
      register_case(name, [plan](benchmark::State& s) { deliver(s, plan); });
    }
}

const bool registered = [] {
  for (const way which : {way::loopback, way::tcp})
    for (const std::size_t workers : {1U, 2U}) {
      register_grid(which, workers, 1'000, false);
      register_grid(which, workers, 1'000, true);
    }
  register_grid(way::loopback, 1, 10'000, true);
  register_grid(way::tcp, 1, 10'000, true);
  return true;
}();

} // namespace
} // namespace troupe::bench
