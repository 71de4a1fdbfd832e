// Octets on their way in: however they are cut, and however slowly they are taken.
#include <troupe/actors/client.hpp>
#include <troupe/runtime/clock.hpp>

#include "support/actors/scripted_broker.hpp"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using support::scripted_broker;
using support::scripted_link;
using troupe::client;
using troupe::client_options;
using troupe::message;
using troupe::qos;
using namespace std::chrono_literals;

class connections : public testing::TestWithParam<troupe::scheduler_kind> {
protected:
  client_options options() const {
    client_options result;
    result.broker = broker.url();
    result.client_id = "c";
    result.keep_alive = 0s;
    return result;
  }
  scripted_link welcome(client& c) {
    auto link = broker.accept();
    link.welcome();
    EXPECT_TRUE(c.connected().get().ok());
    return link;
  }
  static std::string hex_of(const std::string& octets) {
    return support::dump(troupe::protocol::as_octets(octets));
  }

  scripted_broker broker;
  troupe::stage stage{{.scheduler = GetParam()}};
};

TEST_P(connections, understand_packets_however_they_are_cut) {
  client c{stage, options()};
  auto link = welcome(c);
  std::mutex mutex;
  std::vector<std::string> seen;
  auto mine = c.subscribe("a/b", qos::at_most_once, [&](const message& m) {
    const std::scoped_lock lock{mutex};
    seen.emplace_back(m.text());
  });
  link.grant(0);
  const auto packets = support::parse_hex("30 09 00 03 'a/b' 00 'one' | 32 0B 00 03 'a/b' 00 01 00 'two'");
  const std::string whole{reinterpret_cast<const char*>(packets.data()), packets.size()};
  for (std::size_t cut = 1; cut != whole.size(); ++cut) {
    link.write(hex_of(whole.substr(0, cut)));
    link.write(hex_of(whole.substr(cut)));
    EXPECT_EQ(link.read(), support::dump("40 02 00 01"));
  }
  while (c.statistics().received != 2 * (whole.size() - 1)) std::this_thread::yield();
  while (mine.statistics().delivered != 2 * (whole.size() - 1)) std::this_thread::yield();
  const std::scoped_lock lock{mutex};
  for (std::size_t index = 0; index != seen.size(); ++index)
    EXPECT_EQ(seen[index], index % 2 == 0 ? "one" : "two");
}

TEST_P(connections, take_a_large_message_in_many_reads) {
  client c{stage, options()};
  auto link = welcome(c);
  std::promise<std::string> told;
  auto mine =
      c.subscribe("a", qos::at_most_once, [&](const message& m) { told.set_value(std::string{m.text()}); });
  link.grant(0);
  std::string payload(1'000'000, ' ');
  for (std::size_t index = 0; index != payload.size(); ++index)
    payload[index] = static_cast<char>('a' + index % 26);
  // 30, remaining length 1,000,004 in three octets, topic, no properties.
  std::string packet{"\x30\xC4\x84\x3D\x00\x01"
                     "a\x00",
                     8};
  packet += payload;
  std::thread writer{[&] { link.write_raw(packet); }};
  EXPECT_EQ(told.get_future().get(), payload);
  writer.join();
}

TEST_P(connections, carry_large_messages_out) {
  client c{stage, options()};
  auto link = welcome(c);
  const std::string payload(300'000, 'p');
  auto done = c.publish("t", payload, qos::at_least_once);
  const std::string packet = link.read();
  EXPECT_EQ(packet.size(), 3 * (1 + 3 + 2 + 1 + 2 + 1 + payload.size()) - 1);
  link.write("40 02 00 01");
  EXPECT_TRUE(done.get().ok());
}

TEST_P(connections, stop_reading_while_handlers_lag_behind_and_lose_nothing) {
  troupe::runtime::manual_clock time;
  troupe::stage watched{{.scheduler = GetParam(), .time = &time}};
  client c{watched, options()};
  auto link = welcome(c);
  constexpr std::size_t count = 3000;
  constexpr std::size_t size = 8000; // 24 MB: far more than may be in flight
  std::latch may_begin{1};
  std::size_t seen = 0;
  bool in_order = true;
  std::promise<void> all;
  auto mine = c.subscribe("a", qos::at_most_once,
                          [&](const message& m) {
                            may_begin.wait();
                            in_order = in_order && std::stoul(std::string{m.text().substr(0, 8)}) == seen;
                            if (++seen == count) all.set_value();
                          },
                          {.run_on = troupe::run_on::own_thread});
  link.grant(0);
  std::string packets;
  for (std::size_t index = 0; index != count; ++index) {
    std::string number = std::to_string(index);
    number.insert(0, 8 - number.size(), '0');
    packets += std::string{"\x30\xC4\x3E\x00\x01"
                           "a\x00",
                           7};
    packets += number + std::string(size - 8, 'x');
  }
  // Written until the client, with nothing left to do, takes no more: it reads no longer.
  std::size_t written = 0;
  for (std::size_t taken = 1; taken != 0; written += taken) {
    time.settle();
    taken = link.offer_raw(std::string_view{packets}.substr(written));
  }
  EXPECT_LT(written, packets.size());
  EXPECT_GT(c.statistics().received, 0U);
  EXPECT_LT(c.statistics().received, count);
  EXPECT_TRUE(c.publish("t", "x").get().ok()) << "what goes out does not wait";
  may_begin.count_down();
  link.write_raw(std::string_view{packets}.substr(written));
  all.get_future().get();
  EXPECT_TRUE(in_order);
}

INSTANTIATE_TEST_SUITE_P(on, connections,
                         testing::Values(troupe::scheduler_kind::own, troupe::scheduler_kind::sharing),
                         [](const auto& each) {
                           return each.param == troupe::scheduler_kind::own ? "own" : "sharing";
                         });

} // namespace
