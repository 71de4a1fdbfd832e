// What users may say in what a client does by itself: will and credentials of each attempt, the birth
// message, authentication, waits, octets; what waits for a connection; states; the end without a word.
#include <troupe/actors/client.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/clients.hpp"

#include <gtest/gtest.h>

#include <mutex>

namespace {

using support::clients;
using support::dump;
using troupe::auth_step;
using troupe::client;
using troupe::client_state;
using troupe::outcome;
using troupe::qos;
using troupe::protocol::errc;
using troupe::protocol::property;
using troupe::protocol::reason_code;
using namespace std::chrono_literals;

class recording_hooks : public troupe::client_hooks {
public:
  void on_connect(troupe::connect_details& what) override {
    ++attempts;
    what.user_name = "u" + std::to_string(attempts);
    if (has_will) what.will = troupe::will{.topic = "w", .payload = std::to_string(attempts)};
    if (!method.empty()) {
      EXPECT_TRUE(what.properties.set(property::authentication_method, std::string_view{method}));
      what.user_name.reset();
    }
  }
  std::optional<troupe::birth_message> on_birth() override { return birth; }
  void on_up(const troupe::broker_capabilities&, bool) override { ++ups; }
  void on_down(std::error_code) override { ++downs; }
  troupe::retry_answer on_retry(const troupe::retry_question& question) override {
    return {question.failures == gives_up_after, 0ms};
  }
  std::optional<auth_step> on_auth(const auth_step& said) override {
    if (said.reason == reason_code::reauthenticate) return auth_step{said.reason, "", "again"};
    return auth_step{reason_code::continue_authentication, "", "answer to " + said.data};
  }
  bool sees_octets() const override { return true; }
  void on_octets(troupe::direction which, troupe::protocol::octets what) override {
    (which == troupe::direction::sent ? sent : received) += what.size();
  }

  std::string method;
  bool has_will = false;
  std::optional<troupe::birth_message> birth;
  std::uint32_t gives_up_after = 0;
  std::atomic<int> attempts{0};
  std::atomic<int> ups{0};
  std::atomic<int> downs{0};
  std::atomic<std::size_t> sent{0};
  std::atomic<std::size_t> received{0};
};

class client_hooks : public clients {
protected:
  troupe::client_options hooked() {
    auto result = options();
    result.hooks = hooks;
    return result;
  }
  std::shared_ptr<recording_hooks> hooks = std::make_shared<recording_hooks>();
};

TEST_P(client_hooks, give_each_attempt_its_will_and_its_credentials) {
  hooks->has_will = true;
  client c{stage, hooked()};
  for (const char* turn : {"1", "2", "3"}) {
    auto link = broker.accept();
    const std::string n{turn};
    EXPECT_EQ(link.read(), dump("10 19 00 04 'MQTT' 05 86 00 00 00 00 01 'c' 00 00 01 'w' 00 01 '" + n
                                + "' 00 02 'u" + n + "'"));
  }
}

TEST_P(client_hooks, say_the_birth_behind_subscriptions_and_before_what_waited) {
  hooks->birth = troupe::birth_message{.topic = "b", .payload = "up"};
  client c{stage, hooked()};
  auto early = c.publish("q", "x", qos::at_least_once);
  auto interest = c.subscribe("s", qos::at_most_once, [](const troupe::message&) {});
  EXPECT_TRUE(c.unsubscribe("none").get().ok()); // the session has taken all three
  auto link = broker.accept();
  link.read();
  link.write("20 03 00 00 00");
  EXPECT_EQ(link.read().substr(0, 2), "82");
  EXPECT_EQ(link.read(), dump("30 06 00 01 'b' 00 'up'"));
  EXPECT_EQ(link.read().substr(0, 2), "32");
  EXPECT_EQ(hooks->ups, 1);
}

TEST_P(client_hooks, give_a_connection_up_on_which_the_birth_cannot_be_said) {
  hooks->birth = troupe::birth_message{.topic = "b", .retain = true, .is_needed = true};
  hooks->gives_up_after = 1;
  client c{stage, hooked()};
  auto link = broker.accept();
  link.read();
  link.write("20 05 00 00 02 25 00"); // no retained messages here
  EXPECT_EQ(link.read(), dump("E0 01 80"));
  link.close();
  EXPECT_EQ(c.connected().get().error(), errc::retain_not_supported);
}

TEST_P(client_hooks, answer_the_steps_of_an_authentication) {
  hooks->method = "M";
  client c{stage, hooked()};
  auto link = broker.accept();
  EXPECT_EQ(link.read(), dump("10 12 00 04 'MQTT' 05 02 00 00 04 15 00 01 'M' 00 01 'c'"));
  link.write("F0 0A 18 08 15 00 01 'M' 16 00 01 'q'");
  EXPECT_EQ(link.read(), dump("F0 14 18 12 15 00 01 'M' 16 00 0B 'answer to q'"));
  link.write("20 07 00 00 04 15 00 01 'M'");
  EXPECT_TRUE(c.connected().get().ok());
  auto again = c.reauthenticate();
  EXPECT_EQ(link.read(), dump("F0 0E 19 0C 15 00 01 'M' 16 00 05 'again'"));
  link.write("F0 06 00 04 15 00 01 'M'");
  EXPECT_TRUE(again.get().ok());
  auto lost = c.reauthenticate();
  link.read();
  link.close();
  EXPECT_EQ(lost.get().error(), errc::connection_lost);
}

TEST_P(client_hooks, refuse_to_authenticate_again_without_a_method) {
  client c{stage, hooked()};
  auto link = welcome(c);
  EXPECT_EQ(c.reauthenticate().get().error(), errc::invalid_argument);
}

TEST_P(client_hooks, decide_how_often_it_is_tried) {
  broker.close();
  hooks->gives_up_after = 3;
  client c{stage, hooked()};
  EXPECT_EQ(c.connected().get().error(), std::errc::connection_refused);
  EXPECT_EQ(c.state(), client_state::faulted);
  EXPECT_EQ(c.statistics().failed_attempts, 3U);
}

TEST_P(client_hooks, see_the_octets_that_pass) {
  client c{stage, hooked()};
  auto link = welcome(c);
  EXPECT_TRUE(c.publish("t", "x").get().ok());
  EXPECT_EQ(link.read(), dump("30 05 00 01 't' 00 'x'"));
  EXPECT_EQ(hooks->received, 5U);
  auto end = c.disconnect();
  link.read();
  link.close();
  EXPECT_TRUE(end.get().ok());
  EXPECT_GE(hooks->sent, 7U + 2U);
  EXPECT_EQ(hooks->downs, 1);
}

TEST_P(client_hooks, that_throw_are_counted_and_change_nothing) {
  class bad final : public troupe::client_hooks {
    void on_connect(troupe::connect_details&) override { throw 1; }
  };
  auto all = options();
  all.hooks = std::make_shared<bad>();
  client c{stage, all};
  auto link = welcome(c);
  EXPECT_EQ(c.statistics().handler_failures, 1U);
}

// -- the broker's capabilities, states, the end without a word --------------------------------------

TEST_P(client_hooks, stand_beside_what_the_broker_can_do) {
  client c{stage, options()};
  auto link = broker.accept();
  link.read();
  link.write("20 0B 00 00 08 21 00 0A 24 01 22 00 05");
  ASSERT_TRUE(c.connected().get().ok());
  const auto can = c.capabilities();
  EXPECT_EQ(can.receive_maximum, 10);
  EXPECT_EQ(can.maximum_qos, qos::at_least_once);
  EXPECT_EQ(can.topic_alias_maximum, 5);
}

TEST_P(client_hooks, stand_beside_a_stream_of_states) {
  troupe::state_stream states;
  client c{stage, options()};
  const auto watching = c.watch(states.handler());
  auto link = welcome(c);
  EXPECT_TRUE(states.wait_until(client_state::connected, 60s));
  link.close();
  EXPECT_TRUE(states.wait_until(client_state::waiting, 60s));
  auto second = welcome(c);
  EXPECT_TRUE(states.wait_until(client_state::connected, 60s));
  auto end = c.disconnect();
  second.read();
  second.close();
  EXPECT_TRUE(end.get().ok());
  EXPECT_TRUE(states.wait_until(client_state::disconnected, 60s));
}

TEST(state_streams, drop_the_oldest_when_nobody_reads) {
  troupe::state_stream states{2};
  const auto tell = states.handler();
  tell({client_state::connecting, {}});
  tell({client_state::handshaking, {}});
  tell({client_state::connected, {}});
  EXPECT_EQ(states.dropped(), 1U);
  EXPECT_EQ(states.try_next()->state, client_state::handshaking);
  EXPECT_EQ(states.try_next()->state, client_state::connected);
  EXPECT_FALSE(states.try_next());
}

TEST_P(client_hooks, stand_beside_an_end_that_can_be_awaited) {
  client c{stage, options()};
  auto end = c.ended();
  auto link = welcome(c);
  EXPECT_FALSE(end.done());
  auto done = c.disconnect();
  link.read();
  link.close();
  EXPECT_TRUE(end.get().ok());
  EXPECT_TRUE(done.get().ok());
  EXPECT_TRUE(c.ended().get().ok());
}

TEST_P(client_hooks, stand_beside_an_abort_that_says_nothing) {
  client c{stage, options()};
  auto link = welcome(c);
  auto open = c.publish("t", "x", qos::at_least_once);
  link.read();
  auto end = c.abort();
  EXPECT_EQ(link.read(), "closed");
  EXPECT_TRUE(end.get().ok());
  EXPECT_EQ(open.get().error(), errc::closed);
  EXPECT_EQ(c.state(), client_state::disconnected);
  auto again = c.connect();
  auto second = broker.accept();
  second.welcome();
  EXPECT_TRUE(again.get().ok());
}

// -- what waits for a connection ---------------------------------------------------------------------

TEST_P(client_hooks, stand_beside_a_queue_whose_oldest_make_room) {
  auto small = options();
  small.dial_at_once = false;
  small.pending_items = 3;
  small.when_offline_full = troupe::offline_overflow::drop_oldest;
  client c{stage, small};
  auto first = c.publish("1", "x", qos::at_least_once);
  auto second = c.publish("2", "x", qos::at_least_once);
  auto third = c.publish("3", "x", qos::at_least_once);
  auto fourth = c.publish("4", "x", qos::at_least_once);
  EXPECT_EQ(first.get().error(), errc::backpressure);
  EXPECT_GE(c.statistics().dropped, 1U);
  auto up = c.connect();
  auto link = broker.accept();
  link.welcome();
  EXPECT_TRUE(up.get().ok());
  EXPECT_EQ(link.read().substr(0, 2), "32");
}

TEST_P(client_hooks, stand_beside_a_queue_that_takes_no_qos_0) {
  auto some = options();
  some.dial_at_once = false;
  some.drop_offline_qos_0 = true;
  client c{stage, some};
  auto kept = c.publish("t", "x", qos::at_least_once);
  EXPECT_EQ(c.publish("t", "x").get().error(), errc::not_connected);
  EXPECT_EQ(c.statistics().dropped, 1U);
  EXPECT_FALSE(kept.done());
}

INSTANTIATE_TEST_SUITE_P(on, client_hooks,
                         testing::Values(troupe::scheduler_kind::own, troupe::scheduler_kind::sharing),
                         [](const auto& which) {
                           return which.param == troupe::scheduler_kind::own ? "our_scheduler" : "sharing";
                         });

} // namespace
