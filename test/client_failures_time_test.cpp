// What users of other clients ran into, replayed by the clock: silence, waits, slow handlers, memory.
#include <troupe/actors/client.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/timed_clients.hpp"
#include "support/seeded.hpp"

#include <malloc.h>

#include <atomic>
#include <latch>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

namespace troupe {
namespace {

using protocol::errc;
using support::dump;
using namespace std::chrono_literals;

class failures_in_time : public support::timed_clients {
protected:
  client_options pinging() const {
    auto result = options();
    result.keep_alive = 1s;
    result.ping_timeout = 500ms;
    result.reconnect = false;
    return result;
  }
};

// -- silence ---------------------------------------------------------------------------------------------

TEST_P(failures_in_time, a_dead_link_is_seen_although_something_is_published_all_the_time) {
  client c{stage, pinging()};
  auto link = welcome();
  link.stop_reading(false);
  for (int tenth = 1; tenth != 10; ++tenth) {
    time.advance(100ms);
    EXPECT_TRUE(c.publish("t", "x").get().ok());
    EXPECT_EQ(heard(link), dump("30 05 00 01 't' 00 'x'")) << tenth;
  }
  time.advance(100ms);
  EXPECT_EQ(heard(link), dump("C0 00")) << "nothing has come for a second";
  for (int tenth = 0; tenth != 4; ++tenth) {
    time.advance(100ms);
    EXPECT_TRUE(c.publish("t", "x").get().ok());
  }
  EXPECT_EQ(c.state(), client_state::connected);
  time.advance(100ms);
  EXPECT_EQ(c.state(), client_state::faulted) << "at one and a half times the keep-alive";
  EXPECT_EQ(c.last_error(), errc::ping_timeout);
}

TEST_P(failures_in_time, nothing_is_said_before_connect_however_long_dialling_takes) {
  auto slow = pinging();
  slow.connack_timeout = 10s;
  client c{stage, slow};
  time.settle();
  time.advance(9s);
  auto link = accept();
  EXPECT_EQ(heard(link), dump("10 0E 00 04 'MQTT' 05 02 00 01 00 00 01 'c'"));
  time.advance(9s);
  EXPECT_EQ(heard(link), "") << "and no PINGREQ before CONNACK";
  say(link, "20 03 00 00 00");
  time.advance(999ms);
  EXPECT_EQ(heard(link), "");
  time.advance(1ms);
  EXPECT_EQ(heard(link), dump("C0 00"));
}

TEST_P(failures_in_time, a_handler_that_sleeps_for_twenty_seconds_stops_no_acknowledgement_and_no_ping) {
  client c{stage, pinging()};
  auto link = welcome();
  std::latch asleep{1};
  std::latch may_wake{1};
  auto slow = c.subscribe("slow", qos::at_least_once,
                          [&](const message&) {
                            asleep.count_down();
                            may_wake.wait();
                          },
                          {.run_on = run_on::own_thread});
  heard(link);
  say(link, "90 04 00 01 00 01 | 32 0A 00 04 'slow' 00 01 00 'x'");
  EXPECT_EQ(heard(link), dump("40 02 00 01"));
  asleep.wait();
  for (int second = 0; second != 20; ++second) {
    time.advance(1s);
    EXPECT_EQ(heard(link), dump("C0 00")) << second;
    say(link, "D0 00");
    auto sent = c.publish("t", "x", qos::at_least_once);
    const std::string packet = heard(link);
    say(link, "40 02 " + packet.substr(15, 5));
    EXPECT_TRUE(sent.get().ok());
  }
  may_wake.count_down();
}

// -- coming back ------------------------------------------------------------------------------------------

TEST_P(failures_in_time, refusals_are_met_with_longer_waits_one_dial_at_a_time_and_no_end) {
  auto patient = options();
  patient.backoff_first = 100ms;
  patient.backoff_limit = 3'200ms;
  client c{stage, patient};
  time.settle();
  const std::size_t actors = stage.actors_alive();
  std::chrono::milliseconds most = 100ms;
  for (int failure = 1; failure != 200; ++failure) {
    ASSERT_EQ(network->dials(), static_cast<std::size_t>(failure));
    network->refuse(std::make_error_code(std::errc::connection_refused));
    time.settle();
    ASSERT_EQ(c.state(), client_state::waiting);
    auto waited = 0ms;
    while (network->dials() == static_cast<std::size_t>(failure) && waited <= most) {
      time.advance(1ms);
      waited += 1ms;
    }
    ASSERT_LE(waited, most + 1ms) << failure;
    most = std::min<std::chrono::milliseconds>(most * 2, 3'200ms);
    ASSERT_EQ(stage.actors_alive(), actors);
  }
  auto link = welcome();
  EXPECT_EQ(c.state(), client_state::connected);
}

TEST_P(failures_in_time, whoever_reconnects_from_the_end_of_a_connection_comes_back_every_time) {
  auto once = pinging();
  client c{stage, once};
  support::chance chance{6};
  for (int round = 0; round != 1'000; ++round) {
    auto link = accept();
    link.next();
    say(link, "20 03 00 00 00");
    ASSERT_EQ(c.state(), client_state::connected) << round;
    std::atomic<bool> is_told{false};
    c.ended([&](const outcome&) {
      is_told = true;
      c.connect([](const outcome&) {});
    });
    time.settle();
    time.advance(1s); // a ping is out
    // Its answer fails to come at the very moment when the socket fails as well.
    if (chance.one_in(2)) {
      test::at(network->home(),
               [&] { support::cut_here(link.state(), std::make_error_code(std::errc::connection_reset)); });
      time.advance(500ms);
    } else {
      time.advance(500ms);
      link.cut();
    }
    time.settle();
    ASSERT_TRUE(is_told) << round;
  }
  EXPECT_EQ(network->dials(), 1'001U);
}

// -- order and slow consumers -----------------------------------------------------------------------------

TEST_P(failures_in_time, a_hundred_thousand_messages_are_handled_and_acknowledged_in_order) {
  client c{stage, options()};
  constexpr unsigned portions = 100;
  constexpr unsigned portion = 1'000;
  unsigned handled = 0;
  unsigned out_of_order = 0;
  support::chance chance{8};
  auto mine = c.subscribe("a", qos::exactly_once,
                          [&](const message& m) {
                            if (std::stoul(std::string{m.text()}) != handled) ++out_of_order;
                            ++handled;
                            for (auto n = chance.below(20); n != 0; --n) std::this_thread::yield();
                          },
                          {.acknowledge = ack_policy::handled});
  auto link = welcome();
  heard(link);
  say(link, "90 04 00 01 00 02");
  unsigned number = 0;
  for (unsigned n = 0; n != portions; ++n) {
    std::string arrivals;
    std::string wanted;
    for (unsigned k = 0; k != portion; ++k, ++number) {
      const unsigned id = k + 1;
      const std::string text = std::to_string(number);
      const bool is_exact = k % 2 == 1;
      arrivals += is_exact ? '\x34' : '\x32';
      arrivals += static_cast<char>(6 + text.size());
      arrivals += std::string{"\0\1a", 3};
      arrivals += static_cast<char>(id >> 8U);
      arrivals += static_cast<char>(id & 0xFFU);
      arrivals += '\0';
      arrivals += text;
      char answer[16];
      std::snprintf(answer, sizeof answer, "%s 02 %02X %02X", is_exact ? "50" : "40", id >> 8U, id & 0xFFU);
      if (!wanted.empty()) wanted += " | ";
      wanted += answer;
    }
    link.say_raw(arrivals);
    ASSERT_EQ(heard(link), wanted) << n;
    std::string releases;
    for (unsigned id = 2; id <= portion; id += 2)
      releases += {'\x62', '\x02', static_cast<char>(id >> 8U), static_cast<char>(id & 0xFFU)};
    link.say_raw(releases);
    heard(link);
  }
  EXPECT_EQ(handled, portions * portion);
  EXPECT_EQ(out_of_order, 0U);
}

std::size_t octets_in_use() { return mallinfo2().uordblks; }

TEST_P(failures_in_time, a_slow_consumer_is_felt_by_the_peer_and_costs_the_same_memory_all_the_time) {
  client c{stage, options()};
  std::counting_semaphore<> may_handle{0};
  std::atomic<int> handled{0};
  auto slow = c.subscribe("a", qos::at_most_once,
                          [&](const message&) {
                            may_handle.acquire();
                            ++handled;
                          },
                          {.run_on = run_on::own_thread});
  auto link = welcome();
  heard(link);
  say(link, "90 04 00 01 00 00");
  const std::string large = std::string{"\x30\x84\x80\x01\x00\x01\x61\x00", 8} + std::string(16'384, 'x');
  std::size_t early = 0;
  std::size_t late = 0;
  for (int second = 0; second != 60; ++second) {
    // The broker says as much as the client takes.
    for (int n = 0; n != 2'000 && !link.is_paused(); ++n) {
      link.say_raw(large);
      time.settle();
    }
    ASSERT_TRUE(link.is_paused()) << "nobody holds the broker back, second " << second;
    ASSERT_LE(link.unread(), large.size());
    may_handle.release(); // one message a second
    while (handled != second + 1) std::this_thread::yield();
    time.advance(1s);
    if (second == 9) early = octets_in_use();
    if (second == 59) late = octets_in_use();
  }
  EXPECT_LT(late, early + 256 * 1024);
  EXPECT_EQ(c.statistics().dropped, 0U);
  may_handle.release(100'000);
}

TEST_P(failures_in_time, a_slow_consumer_that_may_lose_messages_has_each_of_them_counted) {
  client c{stage, options()};
  std::counting_semaphore<> may_handle{0};
  std::atomic<int> handled{0};
  auto slow =
      c.subscribe("a", qos::at_most_once,
                  [&](const message&) {
                    may_handle.acquire();
                    ++handled;
                  },
                  {.run_on = run_on::own_thread, .when_full = overflow::drop_newest, .queue_items = 10});
  auto link = welcome();
  heard(link);
  say(link, "90 04 00 01 00 00");
  constexpr int count = 1'000;
  for (int n = 0; n != count; ++n) say(link, "30 05 00 01 'a' 00 'x'");
  EXPECT_FALSE(link.is_paused());
  const auto dropped = slow.statistics().dropped;
  EXPECT_EQ(dropped, c.statistics().dropped);
  EXPECT_EQ(dropped, std::uint64_t{count - 10});
  may_handle.release(count);
  while (handled != 10) std::this_thread::yield();
}

INSTANTIATE_TEST_SUITE_P(on, failures_in_time, support::both_schedulers(), support::scheduler_name);

} // namespace
} // namespace troupe
