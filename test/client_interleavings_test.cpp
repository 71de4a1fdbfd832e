// Disconnect of the user, end of the stream, DISCONNECT of the broker: in every order, ten thousand times.
// Nothing hangs, nothing dials again, every operation ends once.
#include <troupe/actors/client.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/timed_clients.hpp"
#include "support/seeded.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace {

using support::line_state;
using support::octets;
using troupe::client;
using troupe::client_state;
using troupe::message;
using troupe::outcome;
using troupe::qos;
using namespace std::chrono_literals;

/// Accepts CONNECT and SUBSCRIBE, acknowledges nothing else, and remembers its last connection.
class curt_broker final : public support::player {
public:
  void on_packet(const std::shared_ptr<line_state>& link, octets packet) override {
    latest = link;
    if (packet[0] == 0x10) support::say_here(*link, std::string_view{"\x20\x03\x00\x00\x00", 5});
  }
  std::shared_ptr<line_state> latest;
};

/// Steps on the home's thread, each behind some turns of everybody else.
struct script : std::enable_shared_from_this<script> {
  struct step {
    std::uint32_t turns;
    std::function<void()> what;
  };
  troupe::runtime::home& where;
  std::vector<step> steps;
  std::size_t at = 0;

  explicit script(troupe::runtime::home& home) : where{home} {}
  void go_on() {
    where.post([self = shared_from_this()] {
      if (self->at == self->steps.size()) return;
      step& now = self->steps[self->at];
      if (now.turns != 0) {
        --now.turns;
      } else {
        now.what();
        ++self->at;
      }
      self->go_on();
    });
  }
};

class interleavings : public support::timed_clients {
protected:
  static constexpr int rounds = 10'000;
  static constexpr int rounds_of_a_client = 100;

  void begin() {
    auto all = options();
    all.hooks = std::make_shared<support::eager_hooks>();
    c.emplace(stage, all);
  }
  void ask_for_something() {
    const auto count = [this](const outcome&) { ++ended; };
    asked += 4;
    c->publish("t", "x", qos::at_least_once, count);
    c->publish("t", "x", qos::exactly_once, count);
    c->publish("t", "x", qos::at_most_once, count);
    c->ended(count);
  }
  std::function<void()> disconnect() {
    return [this] {
      dials = network->dials();
      ++asked;
      c->disconnect([this](const outcome& how) {
        ++ended;
        if (!how.ok()) ++refused;
      });
    };
  }
  std::function<void()> end_of_stream(support::chance& chance) {
    const bool is_orderly = chance.one_in(2);
    return [this, is_orderly] {
      if (broker.latest)
        support::cut_here(*broker.latest,
                          is_orderly ? std::error_code{} : std::make_error_code(std::errc::connection_reset));
    };
  }
  std::function<void()> farewell(support::chance& chance) {
    // Shutting down, busy, and no reason at all: none of them is final by itself.
    const char reason = "\x8B\x89\x00"[chance.below(3)];
    return [this, reason] {
      const char packet[]{'\xE0', 1, reason};
      if (broker.latest) support::say_here(*broker.latest, std::string_view{packet, sizeof packet});
    };
  }
  void play_one(std::uint64_t seed) {
    support::chance chance{seed};
    auto played = std::make_shared<script>(network->home());
    std::vector<std::function<void()>> steps{disconnect(), end_of_stream(chance), farewell(chance),
                                             [this] { ask_for_something(); }};
    if (chance.one_in(2)) steps.push_back(end_of_stream(chance));
    for (std::size_t n = steps.size(); n > 1; --n)
      std::swap(steps[n - 1], steps[chance.below(static_cast<std::uint32_t>(n))]);
    for (auto& each : steps) played->steps.push_back({chance.below(5), std::move(each)});
    played->go_on();
    time.settle();
    // An orderly end waits for acknowledgements, which this broker does not give, half of its time.
    if (ended != asked) time.advance(2s);
  }

  curt_broker broker;
  std::optional<client> c;
  // Written on the home's thread and on the session's while a script plays.
  std::atomic<int> asked{0};
  std::atomic<int> ended{0};
  std::atomic<int> refused{0};
  std::atomic<std::size_t> dials{0};
};

TEST_P(interleavings, of_the_ways_to_end_leave_a_client_disconnected_and_every_operation_ended_once) {
  network->play(broker);
  for (int round = 0; round != rounds; ++round) {
    const bool is_fresh = round % rounds_of_a_client == 0;
    if (is_fresh) begin();
    auto up = is_fresh ? c->connected() : c->connect();
    time.settle();
    ASSERT_TRUE(up.done()) << "round " << round;
    ASSERT_TRUE(up.get().ok()) << "round " << round;
    play_one(static_cast<std::uint64_t>(round));
    ASSERT_EQ(ended.load(), asked.load()) << "round " << round;
    ASSERT_EQ(refused.load(), 0) << "round " << round;
    ASSERT_EQ(c->state(), client_state::disconnected) << "round " << round;
    ASSERT_EQ(network->dials(), dials.load()) << "dialled after the user's end, round " << round;
    if ((round + 1) % rounds_of_a_client != 0) continue;
    time.advance(1h);
    ASSERT_EQ(network->dials(), dials.load()) << "round " << round;
    c.reset();
  }
}

INSTANTIATE_TEST_SUITE_P(on, interleavings, support::both_schedulers(), support::scheduler_name);

} // namespace
