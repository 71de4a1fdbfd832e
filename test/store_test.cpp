// What a broker with a store still knows after the end of its process.
#include "support/store_test.hpp"

#include <troupe/broker/access_rules.hpp>

#include <gtest/gtest.h>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using test::rig_client;
using test::store_test;
using texts = std::vector<std::string>;

TEST_F(store_test, keeps_sessions_with_their_subscriptions) {
  start();
  durable("reader").subscribe("a/+", qos::at_least_once, 7);
  client().connect({.id = "passing"});
  restart();
  EXPECT_EQ(rig->counts().sessions.value(), 1U);
  EXPECT_EQ(rig->counts().subscriptions.value(), 1U);
  rig_client& writer = client();
  writer.connect({.id = "writer"});
  writer.publish("a/b", "while away", {.quality = qos::at_least_once});
  rig_client& reader = durable("reader");
  const auto all = reader.hear();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].session_present);
  EXPECT_EQ(all[1].payload, "while away");
  EXPECT_EQ(all[1].identifiers, std::vector<std::uint32_t>{7});
  reader.unsubscribe("a/+");
  restart();
  EXPECT_EQ(rig->counts().subscriptions.value(), 0U);
}

TEST_F(store_test, keeps_what_waits_in_its_order) {
  start();
  durable("reader").subscribe("t");
  clients.clear();
  rig_client& writer = client();
  writer.connect({.id = "writer"});
  for (int each = 0; each < 50; ++each)
    writer.publish("t", std::to_string(each),
                   {.quality = each % 2 == 0 ? qos::at_least_once : qos::exactly_once,
                    .id = static_cast<protocol::packet_id>(each + 1)});
  EXPECT_EQ(writer.hear(packet_type::puback).size(), 25U);
  restart();
  EXPECT_EQ(rig->counts().messages_queued.value(), 50U);
  const texts all = durable("reader").payloads();
  ASSERT_EQ(all.size(), 50U);
  for (int each = 0; each < 50; ++each) EXPECT_EQ(all[static_cast<std::size_t>(each)], std::to_string(each));
}

TEST_F(store_test, resends_with_the_same_id_and_dup) {
  start();
  rig_client& reader = durable("reader");
  reader.subscribe("t");
  (void)reader.hear();
  rig_client& writer = client();
  writer.connect({.id = "writer"});
  for (const char* payload : {"a", "b", "c"}) writer.publish("t", payload, {.quality = qos::exactly_once});
  EXPECT_EQ(reader.payloads(), texts{"a"}); // the others are repeats of packet id 1
  writer.acknowledge(packet_type::pubrel, 1);
  writer.publish("t", "b", {.quality = qos::exactly_once, .id = 2});
  writer.publish("t", "c", {.quality = qos::at_least_once, .id = 3});
  const auto sent = reader.hear(packet_type::publish);
  ASSERT_EQ(sent.size(), 2U);
  restart();
  const auto again = durable("reader").hear(packet_type::publish);
  ASSERT_EQ(again.size(), 3U);
  EXPECT_EQ(again[1].id, sent[0].id);
  EXPECT_EQ(again[1].payload, "b");
  EXPECT_EQ(again[2].id, sent[1].id);
  for (const auto& one : again) EXPECT_TRUE(one.dup);
}

TEST_F(store_test, resumes_with_pubrel_alone_what_was_taken) { // H04
  start();
  rig_client& reader = durable("reader");
  reader.subscribe("t");
  rig_client& writer = client();
  writer.connect({.id = "writer"});
  writer.publish("t", "a", {.quality = qos::exactly_once, .id = 1});
  writer.publish("t", "b", {.quality = qos::exactly_once, .id = 2});
  (void)reader.hear();
  reader.acknowledge(packet_type::pubrec, 2); // in another order than they were sent
  reader.acknowledge(packet_type::pubrec, 1);
  restart();
  const auto all = durable("reader").hear();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].type, packet_type::pubrel);
  EXPECT_EQ(all[1].id, 2); // [MQTT-4.6.0-4]
  EXPECT_EQ(all[2].type, packet_type::pubrel);
  EXPECT_EQ(all[2].id, 1);
  clients.back()->acknowledge(packet_type::pubcomp, 1);
  clients.back()->acknowledge(packet_type::pubcomp, 2);
  restart();
  EXPECT_EQ(durable("reader").hear().size(), 1U);
}

TEST_F(store_test, knows_a_repeated_qos_2_publish_in_its_next_life) { // H05
  start();
  durable("reader").subscribe("t");
  rig_client* writer = &durable("writer");
  writer->publish("t", "once", {.quality = qos::exactly_once, .id = 5});
  EXPECT_EQ(writer->hear(packet_type::pubrec).size(), 1U);
  restart();
  writer = &durable("writer");
  writer->publish("t", "once", {.quality = qos::exactly_once, .dup = true, .id = 5});
  EXPECT_EQ(writer->hear(packet_type::pubrec).size(), 1U);
  writer->acknowledge(packet_type::pubrel, 5);
  EXPECT_EQ(writer->hear(packet_type::pubcomp).size(), 1U);
  restart();
  writer = &durable("writer"); // the id stands for another message now
  writer->publish("t", "twice", {.quality = qos::exactly_once, .id = 5});
  EXPECT_EQ(durable("reader").payloads(), (texts{"once", "twice"}));
}

TEST_F(store_test, keeps_retained_messages) {
  for (const brokerage::shard_number shards : {1U, 3U}) {
    start(shards);
    rig_client& writer = client();
    writer.connect({.id = "writer"});
    for (int each = 0; each < 20; ++each)
      writer.publish("r/" + std::to_string(each), "first", {.retain = true});
    for (int each = 0; each < 20; each += 2)
      writer.publish("r/" + std::to_string(each), each % 4 == 0 ? "" : "last",
                     {.quality = qos::at_least_once, .retain = true});
    restart(shards);
    for (brokerage::shard_number each = 0; each < shards; ++each)
      EXPECT_EQ(rig->counts(each).retained_messages.value(), 15U);
    rig_client& reader = client(shards - 1);
    reader.connect({.id = "reader"});
    reader.subscribe("r/#");
    EXPECT_EQ(reader.payloads().size(), 15U);
    rig_client& again = client();
    again.connect({.id = "again"});
    again.publish("r/1", "new", {.retain = true}); // later than what was kept
    reader.subscribe("r/1");
    const texts now = reader.payloads();
    EXPECT_EQ(now.back(), "new");
    clients.clear();
    rig.reset();
    records = std::make_shared<runtime::memory_records>();
  }
}

TEST_F(store_test, ends_sessions_in_time_across_the_restart) {
  const auto noon = std::chrono::system_clock::time_point{std::chrono::hours{400'000}};
  records->set_wall(noon);
  start();
  client().connect({.id = "short", .expiry = 60});
  client().connect({.id = "long", .expiry = 0xFFFF'FFFF});
  client().connect({.id = "connected", .expiry = 30});
  clients[0]->disconnect();
  clients[1]->disconnect();
  crash();
  records->set_wall(noon + 50s);
  start();
  EXPECT_EQ(rig->counts().sessions.value(), 3U);
  rig->advance(11s);
  EXPECT_EQ(rig->counts().sessions.value(), 2U);
  rig->advance(20s);
  EXPECT_EQ(rig->counts().sessions.value(), 1U);
  restart();
  EXPECT_EQ(rig->counts().sessions.value(), 1U);
  EXPECT_TRUE(is_present(durable("long")));
}

TEST_F(store_test, lets_messages_expire_across_the_restart) {
  const auto noon = std::chrono::system_clock::time_point{std::chrono::hours{400'000}};
  records->set_wall(noon);
  start();
  durable("reader").subscribe("t");
  clients.clear();
  rig_client& writer = client();
  writer.connect({.id = "writer"});
  writer.publish("t", "gone", {.quality = qos::at_least_once, .id = 1, .expiry = 30});
  writer.publish("t", "here", {.quality = qos::at_least_once, .id = 2, .expiry = 100});
  crash();
  records->set_wall(noon + 40s);
  start();
  const auto all = durable("reader").hear(packet_type::publish);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].payload, "here");
  EXPECT_EQ(all[0].expiry, 60U);
}

TEST_F(store_test, forgets_a_session_for_a_clean_start) {
  start(2);
  durable("reader", 0).subscribe("t");
  rig_client& again = durable("reader", 1, true);
  EXPECT_FALSE(is_present(again));
  restart(2);
  EXPECT_EQ(rig->counts(0).sessions.value() + rig->counts(1).sessions.value(), 1U);
  rig_client& writer = client();
  writer.connect({.id = "writer"});
  writer.publish("t", "nobody", {.quality = qos::at_least_once});
  EXPECT_EQ(durable("reader").payloads(), texts{});
}

TEST_F(store_test, leaves_no_record_behind_of_what_has_ended) {
  start(2);
  {
    rig_client& reader = durable("reader", 0);
    reader.subscribe("t");
    rig_client& writer = client(1);
    writer.connect({.id = "writer"});
    for (int each = 1; each <= 10; ++each)
      writer.publish("t", "x", {.quality = qos::at_least_once, .id = static_cast<protocol::packet_id>(each)});
    for (const auto& one : reader.hear(packet_type::publish)) reader.acknowledge(packet_type::puback, one.id);
    writer.publish("t", "kept", {.quality = qos::exactly_once, .retain = true});
    EXPECT_GT(records->size(), 4U);
    writer.publish("t", "", {.retain = true});
    reader.disconnect(reason_code::success, 0);
  }
  clients.clear();
  rig->settle();
  EXPECT_EQ(records->size(), 0U);
}

TEST_F(store_test, takes_a_moving_session_along) {
  start(3);
  durable("one", 0).subscribe("t");
  durable("two", 0).subscribe("t");
  clients.clear();
  rig_client& writer = client(1);
  writer.connect({.id = "writer"});
  writer.publish("t", "a", {.quality = qos::exactly_once, .id = 1});
  writer.publish("t", "b", {.quality = qos::at_least_once, .id = 2});
  rig_client& one = durable("one", 2); // the messages stay where "two" waits for them
  EXPECT_EQ(one.hear(packet_type::publish).size(), 2U);
  one.acknowledge(packet_type::pubrec, 1);
  restart(3);
  EXPECT_EQ(durable("two", 1).payloads(), (texts{"a", "b"}));
  const auto all = durable("one", 0).hear();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].type, packet_type::pubrel);
  EXPECT_EQ(all[2].payload, "b");
}

TEST_F(store_test, forgets_subscriptions_that_are_not_granted_any_more) {
  start();
  rig_client& reader = durable("reader");
  reader.subscribe("a");
  reader.subscribe("b");
  (*rig)[0].set_access(std::make_shared<brokerage::access_rules>(
      true, std::vector<brokerage::access_rule>{{.topic = "b", .may_subscribe = true}}));
  EXPECT_EQ(rig->counts().subscriptions.value(), 1U);
  restart();
  EXPECT_EQ(rig->counts().subscriptions.value(), 1U);
}

TEST_F(store_test, writes_nothing_down_of_what_the_broker_says_of_itself) {
  start();
  (*rig)[0].publish_figure("$SYS/broker/uptime", "1");
  EXPECT_EQ(records->size(), 0U);
  rig_client& one = client();
  one.connect();
  one.subscribe("$SYS/#");
  EXPECT_EQ(one.payloads(), texts{"1"});
}

} // namespace
} // namespace troupe
