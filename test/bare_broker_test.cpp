// The bare broker, by our client: what it forwards, and what it survives.
#include <troupe/actors/client.hpp>
#include <troupe/bench/load/bare_broker.hpp>
#include <troupe/bench/load/loopback_socket.hpp>

#include "support/ends.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using namespace troupe;
using namespace std::chrono_literals;
using bench::bare_broker;

class served {
public:
  bare_broker broker{0};
  ~served() {
    broker.stop();
    worker_.join();
  }

private:
  std::thread worker_{[this] { broker.run(); }};
};

client_options options_for(const bare_broker& broker, std::string id, version spoken) {
  client_options options;
  options.broker = broker.url();
  options.client_id = std::move(id);
  options.version = spoken;
  return options;
}

class bare_broker_speaks : public testing::TestWithParam<std::tuple<version, version, qos, qos>> {};

TEST_P(bare_broker_speaks, every_message_once_at_the_lower_quality) {
  const auto [ours, theirs, sent, granted] = GetParam();
  served at;
  stage where;
  client publisher{where, options_for(at.broker, "p", ours)};
  client subscriber{where, options_for(at.broker, "s", theirs)};
  std::promise<void> all;
  std::vector<std::string> got;
  std::set<qos> seen;
  const auto interest = subscriber.subscribe("a/+", granted, [&](const message& m) {
    got.emplace_back(std::string{m.topic()} + '=' + std::string{m.text()});
    seen.insert(m.quality());
    if (got.size() == 3) all.set_value();
  });
  ASSERT_TRUE(interest.granted().get().ok());
  for (const char* text : {"1", "", "3"}) ASSERT_TRUE(publisher.publish("a/b", text, sent).get().ok());
  ASSERT_EQ(all.get_future().wait_for(10s), std::future_status::ready);
  EXPECT_EQ(got, (std::vector<std::string>{"a/b=1", "a/b=", "a/b=3"}));
  EXPECT_EQ(seen, std::set<qos>{std::min(sent, granted)});
}

INSTANTIATE_TEST_SUITE_P(
    bare_broker, bare_broker_speaks,
    testing::Combine(testing::Values(version::v3_1_1, version::v5_0),
                     testing::Values(version::v3_1_1, version::v5_0),
                     testing::Values(qos::at_most_once, qos::at_least_once, qos::exactly_once),
                     testing::Values(qos::at_most_once, qos::at_least_once, qos::exactly_once)));

TEST(bare_broker, forgets_a_subscription_and_refuses_a_shared_one) {
  served at;
  stage where;
  client user{where, options_for(at.broker, "u", version::v5_0)};
  const auto shared = user.subscribe("$share/g/a", qos::at_most_once, [](const message&) {});
  EXPECT_EQ(shared.granted().get().reason(), protocol::reason_code::shared_subscriptions_not_supported);
  std::promise<void> all;
  std::vector<std::string> got;
  const auto note = [&](const message& m) {
    got.emplace_back(std::string{m.topic()} + '=' + std::string{m.text()});
    if (m.topic() == "b") all.set_value();
  };
  const auto plain = user.subscribe("a", qos::at_most_once, note);
  const auto other = user.subscribe("b", qos::at_most_once, note);
  EXPECT_TRUE(plain.granted().get().ok());
  EXPECT_TRUE(other.granted().get().ok());
  ASSERT_TRUE(user.publish("a", "before", qos::at_least_once).get().ok());
  EXPECT_TRUE(user.unsubscribe("a").get().ok());
  ASSERT_TRUE(user.publish("a", "to nobody", qos::at_least_once).get().ok());
  ASSERT_TRUE(user.publish("b", "last", qos::at_least_once).get().ok());
  ASSERT_EQ(all.get_future().wait_for(test::patience), std::future_status::ready);
  EXPECT_EQ(got, (std::vector<std::string>{"a=before", "b=last"}));
  EXPECT_EQ(user.statistics().received, 2U) << "nor has it come as far as the client";
}

/// Reads to the end, which is the broker's doing: this side stays open.
bool sees_end(int socket) {
  char buffer[64];
  ssize_t count = 1;
  while (count > 0) {
    pollfd wait{socket, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(std::chrono::milliseconds{test::patience}.count())) <= 0)
      return false;
    count = ::recv(socket, buffer, sizeof buffer, 0);
  }
  return true;
}

TEST(bare_broker, closes_what_is_no_mqtt) {
  served at;
  const std::vector<std::string> nonsense{
      std::string("\x30\x02\x00\x01", 4),                        // a PUBLISH before CONNECT
      std::string("\x10\x05\x00\x04MQT", 7),                     // a CONNECT that is too short
      std::string("\x10\x06\x00\x04MQTT", 8),                    // and one without a version
      std::string("\x10\xFF\xFF\xFF\xFF\x01\x00", 7),            // a length that is none
      std::string("\x10\x0C\x00\x04MQTT\x04\x02\x00\x00\x00\x00" // well, ...
                  "\x30\x03\x00\x09"
                  "a",
                  19), // ... then a topic beyond the frame
      std::string("\x10\x0C\x00\x04MQTT\x04\x02\x00\x00\x00\x00\x82\x02\x00\x01",
                  18), // a SUBSCRIBE to nothing
  };
  for (const std::string& each : nonsense) {
    const int socket = bench::connect_loopback(at.broker.port());
    ASSERT_GE(socket, 0);
    ASSERT_EQ(::send(socket, each.data(), each.size(), MSG_NOSIGNAL), static_cast<ssize_t>(each.size()));
    EXPECT_TRUE(sees_end(socket)) << &each - nonsense.data();
    ::close(socket);
  }
}

} // namespace
