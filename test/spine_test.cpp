// The whole way: client, sockets or memory, broker, and back; every message once and in order.
#include <troupe/actors/client.hpp>
#include <troupe/broker/broker.hpp>

#include <gtest/gtest.h>

#include <future>
#include <ostream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using troupe::client;
using troupe::client_options;
using troupe::message;
using troupe::outcome;
using troupe::qos;
using troupe::scheduler_kind;
using troupe::version;

struct way {
  const char* name;
  const char* endpoint;
  version speaks;
  scheduler_kind scheduler;
  bool is_one_system;

  /// What ctest calls it; otherwise that would be addresses, which differ from run to run.
  friend std::ostream& operator<<(std::ostream& to, const way& which) { return to << which.name; }
};

class spines : public testing::TestWithParam<way> {
protected:
  spines() { url = broker.listen(GetParam().endpoint).value(); }
  client_options options(std::string id) const {
    client_options result;
    result.broker = url;
    result.client_id = std::move(id);
    result.version = GetParam().speaks;
    return result;
  }
  troupe::stage& clients() { return GetParam().is_one_system ? broker_stage : client_stage; }

  troupe::stage broker_stage{{.scheduler = GetParam().scheduler}};
  troupe::stage client_stage{{.scheduler = GetParam().scheduler}};
  troupe::broker broker{broker_stage};
  std::string url;
};

TEST_P(spines, carry_every_message_once_and_in_order) {
  constexpr std::size_t count = 5000;
  client c{clients(), options("c")};
  for (const qos quality : {qos::at_most_once, qos::at_least_once, qos::exactly_once}) {
    std::size_t next = 0;
    std::size_t wrong = 0;
    std::promise<void> all;
    auto mine = c.subscribe("numbers/#", quality, [&](const message& m) {
      wrong += m.text() == std::to_string(next) ? 0 : 1;
      if (++next == count) all.set_value();
    });
    ASSERT_TRUE(mine.granted().get().ok());
    std::vector<troupe::pending<outcome>> outcomes;
    for (std::size_t number = 0; number != count; ++number)
      outcomes.push_back(c.publish("numbers/n", std::to_string(number), quality));
    std::size_t failed = 0;
    for (auto& each : outcomes) failed += each.get().ok() ? 0 : 1;
    all.get_future().get();
    EXPECT_EQ(failed, 0U);
    EXPECT_EQ(wrong, 0U);
    EXPECT_TRUE(mine.unsubscribe().get().ok());
    EXPECT_EQ(next, count);
  }
  EXPECT_TRUE(c.disconnect().get().ok());
}

TEST_P(spines, carry_payloads_of_every_size) {
  client c{clients(), options("c")};
  std::promise<std::string> told;
  auto mine =
      c.subscribe("p", qos::at_least_once, [&](const message& m) { told.set_value(std::string{m.text()}); });
  ASSERT_TRUE(mine.granted().get().ok());
  for (const std::size_t size : {0U, 1U, 100U, 2'047U, 2'048U, 20'000U, 70'000U, 1'000'000U}) {
    std::string payload(size, ' ');
    for (std::size_t index = 0; index != size; ++index) payload[index] = static_cast<char>('a' + index % 23);
    told = {};
    EXPECT_TRUE(c.publish("p", payload, qos::at_least_once).get().ok());
    EXPECT_EQ(told.get_future().get(), payload);
  }
}

TEST_P(spines, keep_the_order_of_each_of_several_threads) {
  constexpr std::size_t threads = 4;
  constexpr std::size_t count = 1000;
  client c{clients(), options("c")};
  std::vector<std::size_t> next(threads);
  std::size_t seen = 0;
  std::size_t wrong = 0;
  std::promise<void> all;
  auto mine = c.subscribe("t/+", qos::at_most_once, [&](const message& m) {
    const auto who = static_cast<std::size_t>(m.topic().back() - '0');
    wrong += m.text() == std::to_string(next[who]++) ? 0 : 1;
    if (++seen == threads * count) all.set_value();
  });
  ASSERT_TRUE(mine.granted().get().ok());
  std::vector<std::thread> publishers;
  for (std::size_t who = 0; who != threads; ++who)
    publishers.emplace_back([&c, who] {
      const std::string topic = "t/" + std::to_string(who);
      for (std::size_t number = 0; number != count; ++number) c.publish(topic, std::to_string(number));
    });
  for (auto& each : publishers) each.join();
  all.get_future().get();
  EXPECT_EQ(wrong, 0U);
}

TEST_P(spines, hand_retained_messages_to_later_subscribers) {
  client first{clients(), options("first")};
  EXPECT_TRUE(first.publish("state/door", "open", qos::at_least_once, {.retain = true}).get().ok());
  client second{clients(), options("second")};
  std::promise<bool> told;
  auto mine = second.subscribe("state/+", qos::at_least_once,
                               [&](const message& m) { told.set_value(m.retained()); });
  EXPECT_TRUE(told.get_future().get());
}

TEST_P(spines, find_their_session_again) {
  auto kept = options("kept");
  kept.clean_start = false;
  kept.session_expiry = std::chrono::hours{1};
  client other{clients(), options("other")};
  {
    client c{clients(), kept};
    auto mine = c.subscribe("for/kept", qos::at_least_once, [](const message&) {});
    ASSERT_TRUE(mine.granted().get().ok());
    mine.detach();
  }
  ASSERT_TRUE(other.publish("for/kept", "while you were away", qos::at_least_once).get().ok());
  std::promise<std::string> told;
  kept.dial_at_once = false;
  client c{clients(), kept};
  auto mine = c.subscribe("for/kept", qos::at_least_once,
                          [&](const message& m) { told.set_value(std::string{m.text()}); });
  EXPECT_TRUE(c.connect().get().ok());
  EXPECT_EQ(told.get_future().get(), "while you were away");
}

TEST_P(spines, survive_a_broker_that_stops) {
  auto patient = options("c");
  patient.backoff_first = patient.backoff_limit = std::chrono::milliseconds{1};
  client c{clients(), patient};
  ASSERT_TRUE(c.connected().get().ok());
  broker.stop();
  while (c.state() == troupe::client_state::connected) std::this_thread::yield();
  EXPECT_TRUE(c.disconnect().get().ok());
}

const way ways[] = {
    {"tcp_v5", "mqtt://127.0.0.1:0", version::v5_0, scheduler_kind::own, true},
    {"tcp_v3", "mqtt://127.0.0.1:0", version::v3_1_1, scheduler_kind::own, true},
    {"tcp_v5_two_systems", "mqtt://127.0.0.1:0", version::v5_0, scheduler_kind::own, false},
    {"tcp_v5_sharing", "mqtt://127.0.0.1:0", version::v5_0, scheduler_kind::sharing, true},
    {"tcp_v3_stealing", "mqtt://127.0.0.1:0", version::v3_1_1, scheduler_kind::stealing, true},
    {"memory_v5", "loopback://spine", version::v5_0, scheduler_kind::own, true},
    {"memory_v3", "loopback://spine", version::v3_1_1, scheduler_kind::own, true},
    {"memory_v5_sharing", "loopback://spine", version::v5_0, scheduler_kind::sharing, true},
};

INSTANTIATE_TEST_SUITE_P(over, spines, testing::ValuesIn(ways),
                         [](const auto& each) { return std::string{each.param.name}; });

} // namespace
