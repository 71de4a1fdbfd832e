#include "support/raw_client.hpp"

#include <troupe/broker/broker.hpp>
#include <troupe/runtime/clock.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using protocol::version;
using test::raw_client;
using test::seen;
using texts = std::vector<std::string>;

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator{"/proc/self/fd"}) ++count;
  return count;
}

std::size_t threads() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator{"/proc/self/task"}) ++count;
  return count;
}

/// Every scheduler, and one or two workers.
struct layout {
  scheduler_kind scheduler;
  std::size_t workers;

  std::string name() const {
    constexpr const char* schedulers[] = {"own", "sharing", "stealing"};
    return schedulers[static_cast<int>(scheduler)] + std::to_string(workers);
  }
  /// What ctest calls it; otherwise that would be its octets, with whatever lies between its members.
  friend std::ostream& operator<<(std::ostream& to, const layout& which) { return to << which.name(); }
};

struct broker_test : testing::TestWithParam<layout> {
  stage where{{.workers = GetParam().workers, .scheduler = GetParam().scheduler}};
  std::optional<broker> our{};
  std::string endpoint{};

  void start(broker_options options = {}) {
    our.emplace(where, std::move(options));
    const auto bound = our->listen("mqtt://127.0.0.1:0");
    ASSERT_TRUE(bound) << bound.error().message();
    endpoint = *bound;
  }
};

INSTANTIATE_TEST_SUITE_P(everywhere, broker_test,
                         testing::Values(layout{scheduler_kind::own, 1}, layout{scheduler_kind::own, 2},
                                         layout{scheduler_kind::sharing, 2},
                                         layout{scheduler_kind::stealing, 1}),
                         [](const auto& which) { return which.param.name(); });

TEST_P(broker_test, carries_messages_of_all_qualities_between_the_versions) {
  start();
  for (const version from : {version::v3_1_1, version::v5_0}) {
    for (const version to : {version::v3_1_1, version::v5_0}) {
      raw_client publisher{endpoint};
      raw_client subscriber{endpoint};
      publisher.say_hello({.version = from, .id = "publisher"});
      subscriber.say_hello({.version = to, .id = "subscriber"});
      subscriber.subscribe("a/+", qos::exactly_once);
      EXPECT_EQ(subscriber.next(packet_type::suback).codes, std::vector{reason_code::granted_qos_2});
      for (const qos quality : {qos::at_most_once, qos::at_least_once, qos::exactly_once}) {
        publisher.publish("a/b", "x", {.quality = quality});
        const seen got = subscriber.next(packet_type::publish);
        EXPECT_EQ(got.topic, "a/b");
        EXPECT_EQ(got.payload, "x");
        EXPECT_EQ(got.quality, quality);
        if (quality == qos::at_least_once) {
          EXPECT_EQ(publisher.next().type, packet_type::puback);
          subscriber.acknowledge(packet_type::puback, got.id);
        }
        if (quality == qos::exactly_once) {
          EXPECT_EQ(publisher.next().type, packet_type::pubrec);
          publisher.acknowledge(packet_type::pubrel, 1);
          EXPECT_EQ(publisher.next().type, packet_type::pubcomp);
          subscriber.acknowledge(packet_type::pubrec, got.id);
          EXPECT_EQ(subscriber.next().type, packet_type::pubrel);
          subscriber.acknowledge(packet_type::pubcomp, got.id);
        }
      }
    }
  }
}

TEST_P(broker_test, keeps_order_under_a_burst) {
  start();
  raw_client publisher{endpoint};
  raw_client subscriber{endpoint};
  publisher.say_hello({.id = "publisher"});
  subscriber.say_hello({.id = "subscriber"});
  subscriber.listen_to("t");
  texts sent;
  std::vector<protocol::octet> bytes;
  for (int each = 0; each < 5'000; ++each) {
    sent.push_back(std::to_string(each));
    const auto quality = each % 10 == 0 ? qos::at_least_once : qos::at_most_once;
    const auto one = publisher.publish_bytes(
        "t", sent.back(), {.quality = quality, .id = static_cast<protocol::packet_id>(each / 10 + 1)});
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  publisher.send(bytes);
  EXPECT_EQ(subscriber.payloads(sent.size()), sent);
}

TEST_P(broker_test, carries_large_messages) {
  start();
  raw_client client{endpoint};
  client.say_hello();
  client.subscribe("t");
  std::string large(3'000'000, 'x');
  for (std::size_t at = 0; at < large.size(); at += 1'000)
    large[at] = static_cast<char>('a' + at / 1'000 % 26);
  for (const qos quality : {qos::at_most_once, qos::at_least_once}) {
    std::thread writer{[&] { client.publish("t", large, {.quality = quality}); }};
    EXPECT_EQ(client.payloads(1), texts{large});
    writer.join();
  }
}

TEST_P(broker_test, takes_over_and_resumes_on_any_shard) {
  start();
  raw_client publisher{endpoint};
  publisher.say_hello({.id = "publisher"});
  std::optional<raw_client> earlier;
  for (int round = 0; round < 20; ++round) {
    raw_client later{endpoint};
    const seen answer = later.say_hello({.clean = false, .expiry = 60});
    EXPECT_EQ(answer.session_present, round != 0);
    if (earlier) {
      EXPECT_EQ(earlier->next(packet_type::disconnect).reason, reason_code::session_taken_over);
    }
    if (round == 0) {
      later.listen_to("t", qos::at_least_once);
    }
    publisher.publish("t", std::to_string(round), {.quality = qos::at_least_once});
    const seen got = later.next(packet_type::publish);
    EXPECT_EQ(got.payload, std::to_string(round));
    later.acknowledge(packet_type::puback, got.id);
    later.sync();
    earlier.reset();
    if (round % 2 == 0) continue; // hangs up: the next one resumes
    raw_client rival{endpoint};
    EXPECT_TRUE(rival.say_hello({.clean = false, .expiry = 60}).session_present);
    EXPECT_TRUE(later.sees_end());
  }
}

TEST_P(broker_test, speaks_over_loopback_names_as_well) {
  start();
  const auto bound = our->listen("loopback://broker-test");
  ASSERT_TRUE(bound);
  EXPECT_EQ(*bound, "loopback://broker-test");
  EXPECT_EQ(our->endpoints().size(), 2U);
  EXPECT_FALSE(our->listen("loopback://broker-test"));
  EXPECT_FALSE(our->listen(endpoint));
  EXPECT_FALSE(our->listen("nonsense://x"));
}

TEST_P(broker_test, stops_and_starts_on_the_same_port_again_and_again) { // H24
  const broker_options impatient{.stop_timeout = 200ms};
  start(impatient);
  const protocol::will_view will{.topic = "will", .payload = protocol::as_octets("x")};
  std::size_t descriptors = 0;
  std::size_t running = 0;
  for (int round = 0; round < 20; ++round) {
    raw_client one{endpoint};
    raw_client two{endpoint};
    raw_client three{endpoint};
    raw_client half{endpoint};
    one.say_hello({.id = "one", .will = will});
    two.say_hello({.id = "two", .will = will});
    three.say_hello({.version = version::v3_1_1, .id = "three"});
    half.send({0x10, 0x20});
    our->stop();
    EXPECT_EQ(one.next().reason, reason_code::server_shutting_down);
    for (raw_client* each : {&one, &two, &three, &half}) EXPECT_TRUE(each->sees_end());
    EXPECT_EQ(our->statistics().connections, 0U);
    our.emplace(where, impatient);
    const auto again = our->listen(endpoint);
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(*again, endpoint);
    if (round == 5) {
      descriptors = open_descriptors();
      running = threads();
    }
  }
  EXPECT_LE(open_descriptors(), descriptors + 8);
  EXPECT_EQ(threads(), running);
  our->stop();
  our->stop();
  EXPECT_FALSE(our->listen(endpoint));
  our.reset();
  while (where.actors_alive() != 0) std::this_thread::yield(); // or the test's time is over
}

TEST_P(broker_test, ends_with_its_stage_although_nobody_stopped_it) {
  start();
  raw_client client{endpoint};
  client.say_hello();
  our.reset();
  EXPECT_TRUE(client.sees_end());
}

TEST_P(broker_test, lets_no_slow_reader_delay_another) { // H21
  start({.max_queued_messages = 100});
  raw_client slow{endpoint, 4'096};
  raw_client fast{endpoint};
  raw_client publisher{endpoint};
  slow.say_hello({.id = "slow"});
  fast.say_hello({.id = "fast"});
  publisher.say_hello({.id = "publisher"});
  slow.listen_to("t");
  fast.listen_to("t");
  for (int round = 0; round < 300; ++round) {
    for (int each = 0; each < 10; ++each) publisher.publish("t", std::string(10'240, 'x'));
    ASSERT_EQ(fast.payloads(10).size(), 10U); // comes at once, whatever the slow one does
  }
  publisher.sync();
  EXPECT_GT(our->statistics().messages_dropped, 1'000U);
  EXPECT_LE(our->statistics().messages_queued, 100U);
}

TEST_P(broker_test, publishes_for_the_application_as_a_client_would) { // H18
  start();
  ASSERT_TRUE(our->publish("r", "1", qos::at_most_once, true));
  raw_client client{endpoint};
  client.say_hello();
  const auto kept = [&] {
    client.listen_to("r");
    client.sync();
  };
  while (our->statistics().retained_messages != 1) std::this_thread::yield();
  client.subscribe("r");
  const seen first = client.next(packet_type::publish);
  EXPECT_EQ(first.payload, "1");
  EXPECT_TRUE(first.retain);
  ASSERT_TRUE(our->publish("r", "2", qos::at_least_once));
  const seen live = client.next(packet_type::publish);
  EXPECT_EQ(live.payload, "2");
  EXPECT_EQ(live.quality, qos::at_least_once);
  EXPECT_FALSE(live.retain);
  ASSERT_TRUE(our->publish("r", "", qos::at_most_once, true));
  EXPECT_EQ(client.next(packet_type::publish).payload, "");
  EXPECT_EQ(our->statistics().retained_messages, 0U);
  kept();
  EXPECT_FALSE(our->publish("a/+", "x"));
  our->stop();
  EXPECT_EQ(our->publish("a", "x").error(), make_error_code(protocol::errc::closed));
}

TEST_P(broker_test, never_makes_the_application_wait_for_a_client) { // H21
  start({.max_queued_messages = 100});
  raw_client slow{endpoint, 4'096};
  raw_client fast{endpoint};
  slow.say_hello({.id = "slow"});
  fast.say_hello({.id = "fast"});
  for (raw_client* each : {&slow, &fast}) each->listen_to("t");
  const std::string payload(10'240, 'x');
  for (int round = 0; round < 300; ++round) {
    for (int each = 0; each < 10; ++each)
      while (!our->publish("t", payload)) std::this_thread::yield();
    ASSERT_EQ(fast.payloads(10).size(), 10U);
  }
  EXPECT_GT(our->statistics().messages_dropped, 1'000U);
}

TEST_P(broker_test, survives_bad_octets_and_resets) {
  start();
  raw_client witness{endpoint};
  witness.say_hello({.id = "witness"});
  for (int first = 0; first < 256; first += 5) {
    raw_client vandal{endpoint};
    vandal.send(std::vector<protocol::octet>(100, static_cast<protocol::octet>(first)));
    raw_client known{endpoint};
    known.say_hello({.id = "known" + std::to_string(first)});
    known.send(std::vector<protocol::octet>(100, static_cast<protocol::octet>(first)));
    known.reset();
    vandal.reset();
  }
  while (our->statistics().sessions != 1) std::this_thread::yield(); // the witness alone is left
  witness.sync();
}

} // namespace
} // namespace troupe
