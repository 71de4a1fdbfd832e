// blockage: publishers that a full queue stops, and who is never stopped.
#include "support/shard_rig.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using test::rig_client;
using test::shard_rig;

struct blockage_test : testing::Test {
  /// A reader that takes in 4 KB before it is congested, behind that a queue of ten messages.
  void meet(std::chrono::milliseconds timeout = 5s, brokerage::shard_number shards = 1) {
    rig.emplace(broker_options{.max_queued_messages = 10,
                               .when_full = brokerage::overflow::block,
                               .block_timeout = timeout},
                shards);
    slow.emplace(*rig);
    publisher.emplace(*rig, shards - 1);
    slow->pipe().high_mark = 4'096;
    slow->connect({.id = "slow", .clean = false, .expiry = 60});
    publisher->connect({.id = "publisher", .keep_alive = 1});
    slow->subscribe("t");
    slow->hear();
    publisher->hear();
  }
  std::vector<protocol::octet> packet(int number, qos quality = qos::at_least_once) {
    std::string payload = std::to_string(number);
    payload.resize(100, '.');
    return publisher->publish_bytes(
        "t", payload, {.quality = quality, .id = static_cast<protocol::packet_id>(number % 60'000 + 1)});
  }
  std::vector<protocol::octet> packets(int from, int to, qos quality = qos::at_least_once) {
    std::vector<protocol::octet> all;
    for (int each = from; each < to; ++each) {
      const auto one = packet(each, quality);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  bool is_stopped() { return publisher->pipe().is_paused; }
  /// Numbers from `from` on, until it is stopped; answers the first that was not sent.
  int publish_until_stopped(int from = 0) {
    int next = from;
    while (!is_stopped() && next < from + 1'000) publisher->send(packet(next++));
    return next;
  }
  /// What the reader hears and acknowledges.
  int read() {
    int count = 0;
    for (const auto& one : slow->hear(packet_type::publish)) {
      EXPECT_EQ(std::atoi(one.payload.c_str()), expected++);
      if (one.quality == qos::at_least_once) slow->acknowledge(packet_type::puback, one.id);
      ++count;
    }
    return count;
  }
  std::uint64_t dropped(std::size_t shard = 0) { return rig->counts(shard).messages_dropped.value(); }
  std::uint64_t queued() { return rig->counts().messages_queued.value(); }

  std::optional<shard_rig> rig;
  std::optional<rig_client> slow;
  std::optional<rig_client> publisher;
  int expected = 0;
};

TEST_F(blockage_test, stops_whoever_publishes_and_loses_nothing) {
  meet();
  int sent = 0;
  for (int round = 0; round < 10; ++round) {
    sent = publish_until_stopped(sent);
    ASSERT_TRUE(is_stopped());
    EXPECT_EQ(queued(), 11U); // the one that found no room stays as well
    while (read() != 0) {}
    EXPECT_FALSE(is_stopped());
  }
  EXPECT_EQ(expected, sent);
  EXPECT_EQ(dropped(), 0U);
  EXPECT_EQ(rig->counts().publishers_stopped.value(), 10U);
}

TEST_F(blockage_test, looks_at_no_further_packet_of_a_read) {
  meet();
  publisher->send(packets(0, 250));
  EXPECT_TRUE(is_stopped());
  EXPECT_EQ(queued(), 11U);
  EXPECT_LT(publisher->hear(packet_type::puback).size(), 100U);
  while (read() != 0) {}
  EXPECT_EQ(expected, 250);
  EXPECT_FALSE(is_stopped());
  publisher->send(packets(250, 500));
  EXPECT_TRUE(is_stopped());
  while (read() != 0) {}
  EXPECT_EQ(expected, 500);
  EXPECT_EQ(dropped(), 0U);
}

TEST_F(blockage_test, stops_behind_a_run_that_passes_through) {
  meet();
  publisher->send(packets(0, 250, qos::at_most_once)); // as one: there is room when it begins
  EXPECT_FALSE(is_stopped());
  publisher->send(packets(250, 500, qos::at_most_once));
  EXPECT_TRUE(is_stopped());
  while (read() != 0) {}
  EXPECT_EQ(expected, 500);
  EXPECT_FALSE(is_stopped());
  EXPECT_EQ(dropped(), 0U);
}

TEST_F(blockage_test, lets_publishers_go_on_in_time_and_drops_the_newest_then) {
  meet(2s);
  const int sent = publish_until_stopped();
  rig->advance(1900ms);
  EXPECT_TRUE(is_stopped());
  EXPECT_FALSE(publisher->is_closed()); // its silence of more than its keep-alive is ours
  rig->advance(200ms);
  EXPECT_FALSE(is_stopped());
  EXPECT_EQ(dropped(), 0U);
  publisher->send(packet(sent));
  EXPECT_FALSE(is_stopped());
  EXPECT_EQ(dropped(), 1U);
  while (read() != 0) {}
  EXPECT_EQ(expected, sent);
  expected = sent + 1; // there is room again, and it may be blocked for again
  EXPECT_EQ(publish_until_stopped(sent + 1) - expected, sent);
  EXPECT_EQ(rig->counts().publishers_stopped.value(), 2U);
}

TEST_F(blockage_test, lets_publishers_go_on_when_the_reader_is_lost) {
  meet();
  const int sent = publish_until_stopped();
  slow->hang_up();
  EXPECT_FALSE(is_stopped());
  publisher->send(packet(sent)); // nobody is waited for who is away
  EXPECT_FALSE(is_stopped());
  EXPECT_EQ(dropped(), 1U);
}

TEST_F(blockage_test, stops_publishers_on_other_shards) {
  meet(5s, 3);
  const int sent = publish_until_stopped();
  ASSERT_TRUE(is_stopped());
  EXPECT_EQ(rig->counts(2).publishers_stopped.value(), 1U);
  while (read() != 0) {}
  EXPECT_FALSE(is_stopped());
  EXPECT_EQ(expected, sent);
  EXPECT_EQ(dropped(), 0U);
}

TEST_F(blockage_test, stops_nobody_for_himself) {
  meet();
  rig_client own{*rig};
  own.connect({.id = "own", .receive_maximum = 1});
  own.subscribe("own", qos::at_least_once);
  own.hear();
  for (int each = 1; each <= 20; ++each)
    own.publish("own", "x", {.quality = qos::at_least_once, .id = static_cast<protocol::packet_id>(each)});
  EXPECT_FALSE(own.pipe().is_paused); // or its PUBACKs would never be read
  EXPECT_EQ(queued(), 10U);
  EXPECT_EQ(dropped(), 9U);
}

TEST_F(blockage_test, stops_nobody_for_whom_messages_wait) { // so no ring can lock
  meet();
  rig_client a{*rig};
  rig_client b{*rig};
  a.connect({.id = "a", .receive_maximum = 1});
  b.connect({.id = "b", .receive_maximum = 1});
  a.subscribe("a", qos::at_least_once);
  b.subscribe("b", qos::at_least_once);
  for (protocol::packet_id each = 1; each <= 20; ++each) {
    if (!a.pipe().is_paused) a.publish("b", "x", {.quality = qos::at_least_once, .id = each});
    if (!b.pipe().is_paused) b.publish("a", "x", {.quality = qos::at_least_once, .id = each});
  }
  EXPECT_FALSE(a.pipe().is_paused);
  EXPECT_FALSE(b.pipe().is_paused);
}

TEST_F(blockage_test, lets_one_go_on_for_whom_messages_begin_to_wait) {
  meet();
  publisher->pipe().high_mark = 2'000;
  publisher->subscribe("p", qos::at_most_once);
  publisher->hear();
  publish_until_stopped();
  ASSERT_TRUE(is_stopped());
  rig_client other{*rig};
  other.connect({.id = "other"});
  other.publish("p", std::string(3'000, 'x'));
  EXPECT_TRUE(is_stopped());
  other.publish("p", "waits");
  EXPECT_FALSE(is_stopped());
}

TEST_F(blockage_test, never_stops_the_application) {
  meet();
  const std::string payload(100, 'x');
  for (int each = 0; each < 100; ++each)
    (*rig)[0].publish((*rig)[0].routing().pack(
        {.topic = "t", .payload = protocol::as_octets(payload), .quality = qos::at_least_once}, 0,
        rig->now()));
  rig->settle();
  EXPECT_EQ(queued(), 10U);
  EXPECT_GT(dropped(), 0U);
  EXPECT_EQ(rig->counts().publishers_stopped.value(), 0U);
}

TEST_F(blockage_test, keeps_what_was_said_already_up_to_twice_the_octets) {
  rig.emplace(broker_options{.max_queued_bytes = 10'000, .when_full = brokerage::overflow::block});
  slow.emplace(*rig);
  slow->pipe().high_mark = 1;
  slow->connect({.id = "slow"});
  slow->subscribe("t");
  std::vector<std::unique_ptr<rig_client>> many; // each finds the queue full, and stops
  for (int each = 0; each < 50; ++each) {
    rig_client& one = *many.emplace_back(std::make_unique<rig_client>(*rig));
    one.connect({.id = "p" + std::to_string(each)});
    one.publish("t", std::string(1'000, 'x'));
  }
  EXPECT_GT(dropped(), 20U);
  EXPECT_LT(queued(), 20U);
  EXPECT_GT(queued(), 10U);
}

} // namespace
} // namespace troupe
