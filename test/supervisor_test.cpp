// What the client does as time passes, on a clock that the test moves.
#include <troupe/actors/client.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/runtime/clock.hpp>

#include "support/actors/scripted_broker.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace {

using support::dump;
using support::scripted_broker;
using support::scripted_link;
using troupe::client;
using troupe::client_options;
using troupe::client_state;
using troupe::outcome;
using troupe::qos;
using troupe::protocol::errc;
using namespace std::chrono_literals;

class supervisors : public testing::TestWithParam<troupe::scheduler_kind> {
protected:
  client_options options() const {
    client_options result;
    result.broker = broker.url();
    result.client_id = "c";
    result.keep_alive = 10s;
    result.reconnect = false;
    return result;
  }
  scripted_link welcome(client& c) {
    auto link = broker.accept();
    link.welcome();
    EXPECT_TRUE(c.connected().get().ok());
    return link;
  }
  /// Time passes until the state is reached; nothing else is going on.
  void pass_until(const client& c, client_state wanted, std::chrono::milliseconds step) {
    for (int turn = 0; turn != 100'000 && c.state() != wanted; ++turn) time.advance(step);
    ASSERT_EQ(c.state(), wanted) << name(c.state());
  }

  troupe::runtime::manual_clock time;
  scripted_broker broker;
  troupe::stage stage{{.scheduler = GetParam(), .time = &time}};
};

TEST_P(supervisors, give_up_on_a_broker_that_accepts_and_says_nothing) {
  auto mine = options();
  mine.connack_timeout = 5s;
  client c{stage, mine};
  auto link = broker.accept();
  EXPECT_EQ(link.read().substr(0, 2), "10");
  EXPECT_EQ(c.state(), client_state::handshaking);
  time.settle();
  time.advance(4s);
  EXPECT_EQ(c.state(), client_state::handshaking);
  time.advance(2s);
  EXPECT_EQ(c.connected().get().error(), errc::connack_timeout);
  EXPECT_EQ(link.read(), "closed");
}

TEST_P(supervisors, ping_when_nothing_came_although_something_is_sent) {
  client c{stage, options()};
  auto link = welcome(c);
  for (int second = 0; second != 9; ++second) {
    time.advance(1s);
    EXPECT_TRUE(c.publish("t", "x").get().ok());
    EXPECT_EQ(link.read().substr(0, 2), "30");
  }
  time.advance(1s);
  EXPECT_EQ(link.read(), dump("C0 00"));
}

TEST_P(supervisors, notice_a_peer_that_fell_silent) {
  client c{stage, options()};
  auto link = welcome(c);
  time.advance(10s);
  EXPECT_EQ(link.read(), dump("C0 00"));
  link.write("D0 00 | 30 05 00 01 't' 00 'x'"); // alive once more
  while (c.statistics().received != 1) std::this_thread::yield();
  time.advance(10s);
  EXPECT_EQ(link.read(), dump("C0 00"));
  time.advance(6s);
  EXPECT_EQ(c.state(), client_state::faulted);
  EXPECT_EQ(c.last_error(), errc::ping_timeout);
  EXPECT_EQ(link.read(), "closed");
}

TEST_P(supervisors, notice_silence_in_the_middle_of_a_packet) {
  client c{stage, options()};
  auto link = welcome(c);
  link.write("30 7F 00 01 't' 00 'the rest never comes'");
  time.settle();
  pass_until(c, client_state::faulted, 1s);
  EXPECT_EQ(c.last_error(), errc::ping_timeout);
}

TEST_P(supervisors, take_the_keep_alive_that_the_broker_wants) {
  client c{stage, options()};
  auto link = broker.accept();
  link.read();
  link.write("20 06 00 00 03 13 00 02");
  ASSERT_TRUE(c.connected().get().ok());
  time.advance(2s);
  EXPECT_EQ(link.read(), dump("C0 00"));
}

TEST_P(supervisors, wait_longer_after_each_failure_and_not_after_a_good_connection) {
  auto mine = options();
  mine.reconnect = true;
  mine.backoff_first = 1s;
  mine.backoff_limit = 8s;
  mine.stable_after = 60s;
  mine.keep_alive = 0s;
  client c{stage, mine};
  for (int failure = 0; failure != 6; ++failure) {
    auto link = broker.accept();
    link.read();
    link.write("20 03 00 88 00");
    link.close();
    while (c.state() != client_state::waiting) std::this_thread::yield();
    EXPECT_FALSE(broker.has_caller()) << "no time has passed";
    EXPECT_EQ(c.last_error(), errc::refused_by_server);
    time.advance(8s); // the longest wait there is
  }
  auto link = welcome(c);
  EXPECT_EQ(c.statistics().failed_attempts, 6U);
  time.advance(61s);
  link.close();
  while (c.state() != client_state::waiting) std::this_thread::yield();
  time.advance(1s); // the first wait again
  auto again = welcome(c);
}

TEST_P(supervisors, end_within_their_time_when_acknowledgements_do_not_come) {
  auto mine = options();
  mine.disconnect_timeout = 2s;
  client c{stage, mine};
  auto link = welcome(c);
  auto lost = c.publish("t", "x", qos::at_least_once);
  EXPECT_EQ(link.read().substr(0, 2), "32");
  auto done = c.disconnect();
  while (c.state() != client_state::disconnecting) std::this_thread::yield();
  time.settle();
  EXPECT_FALSE(done.done());
  pass_until(c, client_state::disconnected, 100ms);
  EXPECT_EQ(link.read(), dump("E0 00")) << "after half of the time";
  EXPECT_TRUE(done.get().ok());
  EXPECT_EQ(lost.get().error(), errc::closed);
}

TEST_P(supervisors, try_their_brokers_in_turn) {
  scripted_broker closed;
  auto mine = options();
  mine.broker = closed.url();
  mine.more_brokers = {broker.url()};
  mine.reconnect = true;
  closed.close();
  client c{stage, mine};
  while (c.state() != client_state::waiting) std::this_thread::yield();
  time.advance(1s);
  auto link = welcome(c);
  EXPECT_EQ(c.statistics().failed_attempts, 1U);
}

TEST_P(supervisors, stop_waiting_when_the_user_ends) {
  auto mine = options();
  mine.reconnect = true;
  broker.close();
  client c{stage, mine};
  while (c.state() != client_state::waiting) std::this_thread::yield();
  EXPECT_TRUE(c.disconnect().get().ok());
  time.advance(1h);
  EXPECT_EQ(c.state(), client_state::disconnected);
  EXPECT_EQ(c.statistics().failed_attempts, 1U);
}

INSTANTIATE_TEST_SUITE_P(on, supervisors,
                         testing::Values(troupe::scheduler_kind::own, troupe::scheduler_kind::sharing),
                         [](const auto& each) {
                           return each.param == troupe::scheduler_kind::own ? "own" : "sharing";
                         });

} // namespace
