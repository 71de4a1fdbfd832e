#include "support/shard_rig.hpp"

#include <gtest/gtest.h>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using test::rig_client;
using test::shard_rig;
using texts = std::vector<std::string>;

/// Two subscribers of one topic, one of whom never reads.
struct slow_reader_test : testing::Test {
  void meet(broker_options options = {}) {
    rig.emplace(std::move(options));
    slow.emplace(*rig);
    fast.emplace(*rig);
    publisher.emplace(*rig);
    slow->pipe().high_mark = 4'096;
    slow->connect({.id = "slow", .clean = false, .expiry = 60});
    fast->connect({.id = "fast"});
    publisher->connect({.id = "publisher"});
    slow->subscribe("t");
    fast->subscribe("t");
    slow->pipe().take();
    fast->hear();
  }
  void publish(int from, int to, qos quality = qos::at_most_once, std::size_t size = 0) {
    for (int each = from; each < to; ++each) {
      std::string payload = std::to_string(each);
      if (payload.size() < size) payload.resize(size, '.');
      publisher->publish("t", payload,
                         {.quality = quality, .id = static_cast<protocol::packet_id>(each % 60'000 + 1)});
    }
  }

  std::optional<shard_rig> rig;
  std::optional<rig_client> slow;
  std::optional<rig_client> fast;
  std::optional<rig_client> publisher;
};

TEST_F(slow_reader_test, delays_nobody_and_loses_nothing_within_its_bound) { // H21
  meet();
  publish(0, 1000, qos::at_most_once, 100);
  EXPECT_EQ(fast->payloads().size(), 1000U);
  EXPECT_LE(slow->pipe().backlog(), 8'192U);
  EXPECT_GT(rig->counts().messages_queued.value(), 900U);
  const texts all = slow->payloads();
  ASSERT_EQ(all.size(), 1000U);
  for (std::size_t each = 0; each < all.size(); ++each)
    EXPECT_TRUE(all[each].starts_with(std::to_string(each)));
  EXPECT_EQ(rig->counts().messages_dropped.value(), 0U);
  EXPECT_EQ(rig->counts().messages_queued.value(), 0U);
}

TEST_F(slow_reader_test, drops_the_newest_beyond_its_bound) {
  meet({.max_queued_messages = 10});
  publish(0, 200, qos::at_most_once, 100);
  EXPECT_EQ(fast->payloads().size(), 200U);
  const texts all = slow->payloads();
  EXPECT_LT(all.size(), 70U);
  EXPECT_TRUE(all.front().starts_with("0."));
  EXPECT_EQ(rig->counts().messages_dropped.value(), 200U - all.size());
}

TEST_F(slow_reader_test, drops_the_oldest_when_told_so) {
  meet({.max_queued_messages = 10, .when_full = brokerage::overflow::drop_oldest});
  publish(0, 200, qos::at_most_once, 100);
  const texts all = slow->payloads();
  EXPECT_LT(all.size(), 70U);
  EXPECT_TRUE(all.back().starts_with("199"));
  EXPECT_EQ(rig->counts().messages_dropped.value(), 200U - all.size());
}

TEST_F(slow_reader_test, gives_up_nothing_for_what_would_never_fit) {
  meet({.max_queued_bytes = 100'000, .when_full = brokerage::overflow::drop_oldest});
  publish(0, 20, qos::at_most_once, 1'000);
  EXPECT_EQ(fast->payloads().size(), 20U);
  publish(20, 21, qos::at_most_once, 200'000);
  EXPECT_EQ(slow->payloads().size(), 20U);
  EXPECT_EQ(rig->counts().messages_dropped.value(), 1U);
}

TEST_F(slow_reader_test, bounds_its_queue_in_octets) {
  meet({.max_queued_bytes = 100'000});
  std::size_t got = 0;
  for (int each = 0; each < 100; ++each) {
    publish(each, each + 1, qos::at_most_once, 10'000);
    got += fast->payloads().size();
  }
  EXPECT_EQ(got, 100U);
  EXPECT_LT(slow->payloads().size(), 15U);
}

TEST_F(slow_reader_test, is_disconnected_when_told_so) {
  meet({.max_queued_messages = 10, .when_full = brokerage::overflow::disconnect});
  publish(0, 200, qos::at_most_once, 100);
  EXPECT_EQ(fast->payloads().size(), 200U);
  EXPECT_TRUE(slow->is_closed());
  slow->reap();
  const auto last = slow->hear(packet_type::disconnect);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].reason, reason_code::quota_exceeded);
  EXPECT_EQ(rig->counts().sessions.value(), 3U); // its session stays
}

TEST_F(slow_reader_test, gets_qos_1_in_order_behind_its_window) {
  meet({.max_inflight = 7});
  publish(0, 500, qos::at_least_once);
  EXPECT_EQ(rig->counts().messages_queued.value(), 2 * 493U); // nobody has acknowledged anything yet
  texts all;
  for (int round = 0; round < 500 && all.size() < 500; ++round) {
    for (const auto& one : slow->hear(packet_type::publish)) {
      all.push_back(one.payload);
      slow->acknowledge(packet_type::puback, one.id);
    }
  }
  ASSERT_EQ(all.size(), 500U);
  for (std::size_t each = 0; each < all.size(); ++each) EXPECT_EQ(all[each], std::to_string(each));
}

TEST_F(slow_reader_test, is_not_read_from_while_it_does_not_read_answers) {
  meet();
  const std::vector<protocol::octet> pings = [] {
    std::vector<protocol::octet> bytes;
    for (int each = 0; each < 2'000; ++each) bytes.insert(bytes.end(), {0xC0, 0x00});
    return bytes;
  }();
  for (int round = 0; round < 3'000 && !slow->pipe().is_paused; ++round) slow->send(pings);
  EXPECT_TRUE(slow->pipe().is_paused);
  EXPECT_LT(slow->pipe().backlog(), std::size_t{5} << 20U);
  slow->hear();
  EXPECT_FALSE(slow->pipe().is_paused);
}

TEST_F(slow_reader_test, keeps_what_waits_when_it_reconnects) {
  meet({.max_inflight = 3});
  publish(0, 50, qos::at_least_once);
  slow.reset();
  publish(50, 60, qos::at_least_once);
  slow.emplace(*rig);
  slow->connect({.id = "slow", .clean = false, .expiry = 60});
  texts all;
  for (int round = 0; round < 60 && all.size() < 60; ++round) {
    for (const auto& one : slow->hear(packet_type::publish)) {
      EXPECT_EQ(one.dup, all.size() < 3);
      all.push_back(one.payload);
      slow->acknowledge(packet_type::puback, one.id);
    }
  }
  ASSERT_EQ(all.size(), 60U);
  for (std::size_t each = 0; each < all.size(); ++each) EXPECT_EQ(all[each], std::to_string(each));
}

TEST_F(slow_reader_test, forgets_qos_0_while_it_is_away_unless_told_to_keep_it) {
  for (const bool keeps : {false, true}) {
    slow.reset();
    fast.reset();
    publisher.reset();
    meet({.queue_qos0_offline = keeps});
    slow.reset();
    publish(0, 5);
    slow.emplace(*rig);
    slow->connect({.id = "slow", .clean = false, .expiry = 60});
    EXPECT_EQ(slow->payloads().size(), keeps ? 5U : 0U);
  }
}

TEST_F(slow_reader_test, gets_nothing_larger_than_it_takes) { // [MQTT-3.1.2-24]
  meet();
  rig_client small{*rig};
  small.connect({.id = "small", .maximum_packet_size = 64});
  small.subscribe("t");
  small.hear();
  publish(0, 1, qos::at_most_once, 100);
  publish(1, 2, qos::at_least_once, 100);
  publish(2, 3, qos::at_least_once);
  EXPECT_EQ(small.payloads(), texts{"2"});
  EXPECT_EQ(fast->hear(packet_type::publish).size(), 3U);
}

TEST_F(slow_reader_test, shares_large_payloads_by_reference) {
  meet();
  const std::string large(1U << 20U, 'x');
  publisher->publish("t", large, {.quality = qos::at_least_once});
  const auto all = fast->hear(packet_type::publish);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].payload, large);
  EXPECT_EQ(slow->hear(packet_type::publish).size(), 1U);
}

} // namespace
} // namespace troupe
