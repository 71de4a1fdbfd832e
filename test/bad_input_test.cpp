// What comes from a bad world: each time a typed error within the time that was given, nothing left over,
// nobody else disturbed. A broker of ours and a client of it, the witness, live on the same stage.
#include "support/actors/scripted_broker.hpp"
#include "support/inbox.hpp"
#include "support/port_holder.hpp"
#include "support/raw_client.hpp"

#include <troupe/actors/client.hpp>
#include <troupe/broker/broker.hpp>
#include <troupe/runtime/clock.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <iterator>
#include <latch>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace troupe {
namespace {

using protocol::errc;
using protocol::octet;
using protocol::packet_type;
using support::scripted_broker;
using support::scripted_link;
using test::port_holder;
using test::raw_client;
using namespace std::chrono_literals;

std::ptrdiff_t entries_of(const char* folder) {
  return std::distance(std::filesystem::directory_iterator{folder}, {});
}

/// Whether it comes true; a minute is met by what is broken only.
template <class Condition>
bool comes_true(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

std::vector<std::vector<octet>> nonsense() {
  std::vector<std::vector<octet>> all;
  for (const std::string_view text : {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n"})
    all.emplace_back(text.begin(), text.end());
  for (const octet each : {octet{0x00}, octet{0x0F}, octet{0xFF}}) all.emplace_back(64, each);
  all.push_back({0x10, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}); // a length of five octets
  std::minstd_rand chance{1};
  for (int count = 0; count != 5; ++count) {
    all.emplace_back(200);
    for (octet& each : all.back()) each = static_cast<octet>(chance() >> 8U);
  }
  return all;
}

class bad_input : public testing::TestWithParam<scheduler_kind> {
protected:
  void SetUp() override {
    ASSERT_TRUE(interest_.granted().get().ok());
    actors_ = where.actors_alive();
    descriptors_ = entries_of("/proc/self/fd");
    threads_ = entries_of("/proc/self/task");
  }
  void TearDown() override {
    nobody_is_disturbed();
    EXPECT_TRUE(comes_true([&] { return where.actors_alive() <= actors_; })) << where.actors_alive();
    EXPECT_TRUE(comes_true([&] { return entries_of("/proc/self/fd") <= descriptors_; }));
    EXPECT_TRUE(comes_true([&] { return entries_of("/proc/self/task") <= threads_; }));
    EXPECT_TRUE(comes_true([&] { return our.statistics().connections == 1; }));
  }

  /// Patient where nothing else is said, and never trying twice.
  static client_options to(std::string url) {
    client_options result;
    result.broker = std::move(url);
    result.client_id = "c";
    result.reconnect = false;
    result.keep_alive = 0s;
    return result;
  }
  void nobody_is_disturbed() {
    const std::string text = std::to_string(++said_);
    EXPECT_TRUE(witness.publish("witness", text, qos::exactly_once).get().ok());
    EXPECT_EQ(heard_.next().text, text);
    EXPECT_EQ(witness.statistics().connections, 1U);
  }
  /// Its end, when no time is to pass before.
  static std::error_code end_of(const client& c) {
    EXPECT_TRUE(comes_true([&] { return c.state() == client_state::faulted; }));
    return c.last_error();
  }

  runtime::manual_clock time;
  stage where{{.scheduler = GetParam(), .time = &time}};
  broker our{where, {.connect_timeout = 5s, .max_queued_messages = 100}};
  std::string endpoint = *our.listen("mqtt://127.0.0.1:0");
  client witness{where, to(endpoint)};

private:
  test::inbox heard_;
  int said_ = 0;
  subscription interest_ = witness.subscribe("witness", qos::exactly_once, heard_.handler());
  std::size_t actors_ = 0;
  std::ptrdiff_t descriptors_ = 0;
  std::ptrdiff_t threads_ = 0;
};

TEST_P(bad_input, octets_that_are_no_mqtt_at_the_broker) {
  for (const auto& octets : nonsense()) {
    raw_client stranger{endpoint};
    stranger.send(octets);
    time.settle();
    time.advance(5s); // for what looks like the beginning of something
    EXPECT_TRUE(stranger.sees_end());
  }
  for (const auto& octets : nonsense()) {
    raw_client known{endpoint};
    known.say_hello({.id = "known", .keep_alive = 10});
    known.send(octets);
    time.settle();
    time.advance(16s);
    EXPECT_GE(known.next(packet_type::disconnect).reason, reason_code::unspecified_error);
    EXPECT_TRUE(known.sees_end());
  }
}

TEST_P(bad_input, octets_that_are_no_mqtt_at_the_client) {
  scripted_broker bad;
  for (const bool is_welcomed : {false, true}) {
    for (const auto& octets : nonsense()) {
      auto patient = to(bad.url());
      patient.connack_timeout = 5s;
      patient.keep_alive = 10s;
      patient.ping_timeout = 5s;
      client c{where, patient};
      auto queued = c.publish("t", "x", qos::at_least_once);
      auto link = bad.accept();
      if (is_welcomed)
        link.welcome();
      else
        link.read();
      link.write_raw(protocol::as_text(octets));
      time.settle();
      time.advance(16s);
      const std::error_code why = end_of(c);
      EXPECT_EQ(why.category(), protocol::errc_category()) << why.message();
      EXPECT_EQ(queued.get().error(), why);
    }
  }
}

TEST_P(bad_input, half_a_packet_and_then_silence_at_the_broker) {
  raw_client stranger{endpoint};
  stranger.send({0x10, 0x30, 0x00});
  raw_client known{endpoint};
  known.say_hello({.id = "known", .keep_alive = 10});
  known.send({0x30, 0x30, 0x00, 0x01, 't'});
  time.settle();
  time.advance(4s);
  nobody_is_disturbed();
  time.advance(1s);
  EXPECT_TRUE(stranger.sees_end());
  time.advance(10s);
  EXPECT_EQ(known.next().reason, reason_code::keep_alive_timeout);
  EXPECT_TRUE(known.sees_end());
}

TEST_P(bad_input, half_a_packet_and_then_silence_at_the_client) {
  scripted_broker bad;
  auto patient = to(bad.url());
  patient.connack_timeout = 5s;
  patient.keep_alive = 10s;
  patient.ping_timeout = 5s;
  {
    client c{where, patient};
    auto link = bad.accept();
    link.read();
    link.write("20 03 00");
    time.settle();
    time.advance(5s);
    EXPECT_EQ(end_of(c), errc::connack_timeout);
  }
  client c{where, patient};
  auto link = bad.accept();
  link.welcome();
  ASSERT_TRUE(c.connected().get().ok());
  link.write("30 7F 00 01 't' 00 'the rest never comes'");
  time.settle();
  time.advance(10s);
  EXPECT_EQ(link.read(), support::dump("C0 00"));
  time.advance(5s);
  EXPECT_EQ(end_of(c), errc::ping_timeout);
}

TEST_P(bad_input, a_client_that_never_reads) {
  raw_client deaf{endpoint, 4096};
  deaf.say_hello({.id = "deaf", .keep_alive = 10});
  deaf.listen_to("flood", qos::at_least_once);
  test::inbox box;
  auto fast = witness.subscribe("flood", qos::at_least_once, box.handler());
  ASSERT_TRUE(fast.granted().get().ok());
  const std::string payload(10'240, 'x');
  for (std::size_t count = 1; count <= 2000; ++count) {
    ASSERT_TRUE(witness.publish("flood", payload, qos::at_least_once).get().ok());
    box.await(count); // whatever the other does
  }
  EXPECT_GT(our.statistics().messages_dropped, 0U);
  EXPECT_LE(our.statistics().messages_queued, 100U);
  EXPECT_EQ(our.statistics().connections, 2U);
  time.advance(16s); // it says nothing either
  EXPECT_TRUE(comes_true([&] { return our.statistics().connections == 1; }));
  EXPECT_TRUE(fast.unsubscribe().get().ok());
}

TEST_P(bad_input, a_broker_that_never_reads) {
  scripted_broker bad;
  auto narrow = to(bad.url());
  narrow.keep_alive = 10s;
  narrow.ping_timeout = 5s;
  narrow.pending_octets = std::size_t{1} << 20U;
  narrow.publish_wait = 0ms;
  client c{where, narrow};
  auto link = bad.accept();
  link.welcome();
  ASSERT_TRUE(c.connected().get().ok());
  const std::string payload(65'536, 'x');
  std::vector<pending<outcome>> all;
  std::error_code refusal;
  while (!refusal && all.size() < 10'000) {
    all.push_back(c.publish("t", payload, qos::at_least_once));
    if (all.back().done()) refusal = all.back().get().error();
    if (refusal) all.pop_back();
  }
  EXPECT_EQ(refusal, errc::backpressure);
  time.settle();
  time.advance(10s);
  time.advance(5s);
  EXPECT_EQ(end_of(c), errc::ping_timeout);
  for (auto& each : all) EXPECT_EQ(each.get().error(), errc::ping_timeout);
}

TEST_P(bad_input, a_broker_that_accepts_and_says_nothing) {
  scripted_broker bad;
  auto patient = to(bad.url());
  patient.connack_timeout = 5s;
  client c{where, patient};
  auto queued = c.publish("t", "x", qos::at_least_once);
  auto link = bad.accept();
  EXPECT_EQ(link.read().substr(0, 2), "10");
  time.settle();
  time.advance(4999ms);
  EXPECT_EQ(c.state(), client_state::handshaking);
  nobody_is_disturbed();
  time.advance(1ms);
  EXPECT_EQ(end_of(c), errc::connack_timeout);
  EXPECT_EQ(queued.get().error(), errc::connack_timeout);
  EXPECT_EQ(link.read(), "closed");
}

TEST_P(bad_input, a_closed_port) {
  const port_holder closed{-1};
  client c{where, to(closed.url())};
  auto queued = c.publish("t", "x", qos::at_least_once);
  EXPECT_EQ(c.connected().get().error(), std::errc::connection_refused);
  EXPECT_EQ(c.state(), client_state::faulted);
  EXPECT_EQ(queued.get().error(), std::errc::connection_refused);
}

TEST_P(bad_input, a_black_hole) {
  port_holder hole{0};
  hole.fill();
  auto patient = to(hole.url());
  patient.connect_timeout = 3s;
  client c{where, patient};
  auto queued = c.publish("t", "x", qos::at_least_once);
  time.settle();
  time.advance(2999ms);
  EXPECT_EQ(c.state(), client_state::connecting);
  nobody_is_disturbed();
  time.advance(1ms);
  EXPECT_EQ(end_of(c), errc::connect_timeout);
  EXPECT_EQ(queued.get().error(), errc::connect_timeout);
}

TEST_P(bad_input, a_handler_that_sleeps_on_its_own_thread) {
  auto lively = to(endpoint);
  lively.client_id = "sleeper";
  lively.keep_alive = 10s;
  client c{where, lively};
  std::latch may_wake{1};
  std::latch sleeps{1};
  int handled = 0; // the handler's thread, then this one
  std::promise<void> all;
  auto slow = c.subscribe("slow", qos::exactly_once,
                          [&](const message&) {
                            if (handled == 0) sleeps.count_down();
                            may_wake.wait();
                            if (++handled == 20) all.set_value();
                          },
                          {.run_on = run_on::own_thread});
  test::inbox box;
  auto quick = c.subscribe("quick", qos::exactly_once, box.handler());
  ASSERT_TRUE(slow.granted().get().ok());
  ASSERT_TRUE(quick.granted().get().ok());
  for (int count = 0; count != 20; ++count)
    ASSERT_TRUE(witness.publish("slow", "x", qos::exactly_once).get().ok());
  sleeps.wait();
  for (int count = 0; count != 4; ++count) {
    time.advance(5s); // twenty seconds in all: the broker would have cut off who sends no pings
    EXPECT_TRUE(c.publish("quick", "x", qos::exactly_once).get().ok());
    EXPECT_EQ(box.next().topic, "quick");
    nobody_is_disturbed();
  }
  EXPECT_EQ(c.state(), client_state::connected);
  EXPECT_EQ(c.statistics().connections, 1U);
  may_wake.count_down();
  all.get_future().get();
}

INSTANTIATE_TEST_SUITE_P(on, bad_input, testing::Values(scheduler_kind::own, scheduler_kind::sharing),
                         [](const auto& each) {
                           return each.param == scheduler_kind::own ? "own" : "sharing";
                         });

} // namespace
} // namespace troupe
