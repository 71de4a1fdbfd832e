// What the program around a broker sees and does: sessions, injected messages, clients sent away.
#include "support/raw_client.hpp"

#include <troupe/broker/broker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace troupe {
namespace {

using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using protocol::version;
using test::raw_client;
using test::seen;

struct broker_sessions : testing::TestWithParam<scheduler_kind> {
  stage where{{.workers = 2, .scheduler = GetParam()}};
  broker our{where};
  std::string endpoint = *our.listen("mqtt://127.0.0.1:0");
};

INSTANTIATE_TEST_SUITE_P(own_and_stock, broker_sessions,
                         testing::Values(scheduler_kind::own, scheduler_kind::sharing),
                         [](const auto& which) {
                           return which.param == scheduler_kind::own ? "own" : "sharing";
                         });

TEST_P(broker_sessions, are_listed_connected_or_not) {
  raw_client here{endpoint};
  here.say_hello({.id = "here"});
  here.listen_to("a");
  {
    raw_client away{endpoint};
    away.say_hello({.id = "away", .clean = false, .expiry = 60});
    away.subscribe({{.filter = "a", .quality = qos::at_least_once}, {.filter = "b"}});
    away.next(packet_type::suback);
    away.disconnect();
    EXPECT_TRUE(away.sees_end());
  }
  here.publish("a", "x", {.quality = qos::at_least_once});
  EXPECT_EQ(here.next(packet_type::puback).type, packet_type::puback);
  // the message for a session of another shard arrives in its own time
  std::vector<session_info> all = our.sessions();
  const auto queued = [&] {
    std::size_t sum = 0;
    for (const session_info& one : all) sum += one.queued;
    return sum;
  };
  while (queued() == 0) all = our.sessions();
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.client_id < b.client_id; });
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].client_id, "away");
  EXPECT_FALSE(all[0].is_connected);
  EXPECT_EQ(all[0].subscriptions, 2U);
  EXPECT_EQ(all[0].queued, 1U);
  EXPECT_EQ(all[1].client_id, "here");
  EXPECT_TRUE(all[1].is_connected);
  EXPECT_EQ(all[1].subscriptions, 1U);
  our.stop();
  EXPECT_TRUE(our.sessions().empty());
}

TEST_P(broker_sessions, lose_their_connection_and_nothing_else_when_kicked) {
  for (const version each : {version::v5_0, version::v3_1_1}) {
    raw_client one{endpoint};
    one.say_hello({.version = each, .id = "one", .clean = false, .expiry = 60});
    EXPECT_FALSE(our.kick("two"));
    EXPECT_TRUE(our.kick("one"));
    if (each == version::v5_0) {
      EXPECT_EQ(one.next(packet_type::disconnect).reason, reason_code::administrative_action);
    }
    EXPECT_TRUE(one.sees_end());
    EXPECT_FALSE(our.kick("one")); // not there any more
    raw_client again{endpoint};
    EXPECT_TRUE(
        again.say_hello({.version = each, .id = "one", .clean = false, .expiry = 60}).session_present);
    EXPECT_TRUE(our.kick("one", reason_code::use_another_server));
    EXPECT_TRUE(again.sees_end());
  }
  our.stop();
  EXPECT_FALSE(our.kick("one"));
}

TEST_P(broker_sessions, may_be_asked_for_while_the_broker_stops) {
  broker slow{where, {.stop_timeout = std::chrono::hours{1}}};
  raw_client last{*slow.listen("mqtt://127.0.0.1:0")};
  last.say_hello({.id = "last"});
  std::thread stopping{[&] { slow.stop(); }};
  EXPECT_EQ(last.next(packet_type::disconnect).reason, reason_code::server_shutting_down);
  // `last` does not close its side: stop() waits, and nobody else does
  EXPECT_FALSE(slow.kick("last"));
  EXPECT_TRUE(slow.sessions().empty());
  EXPECT_TRUE(slow.endpoints().empty());
  last.hang_up();
  stopping.join();
}

TEST_P(broker_sessions, get_injected_messages_with_their_properties) {
  raw_client one{endpoint};
  one.say_hello();
  one.listen_to("t");
  protocol::property_block block;
  ASSERT_TRUE(block.set(protocol::property::message_expiry_interval, 30U));
  const protocol::publish message{.topic = "t",
                                  .payload = protocol::as_octets(std::string_view{"x"}),
                                  .properties = block.view(),
                                  .quality = qos::at_least_once};
  EXPECT_TRUE(our.inject(message));
  const seen got = one.next(packet_type::publish);
  EXPECT_EQ(got.payload, "x");
  EXPECT_EQ(got.expiry, 30U);
  EXPECT_EQ(got.quality, qos::at_least_once);
  protocol::publish wrong = message;
  wrong.topic = "a/+";
  EXPECT_FALSE(our.inject(wrong));
  wrong = message;
  wrong.topic_alias = 1;
  EXPECT_FALSE(our.inject(wrong));
  our.stop();
  EXPECT_FALSE(our.inject(message));
}

} // namespace
} // namespace troupe
