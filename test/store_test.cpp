// What a broker with a store still knows after the end of its process, and what it says before.
#include "support/shard_rig.hpp"

#include <troupe/broker/access_rules.hpp>
#include <troupe/runtime/record_store.hpp>

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

/// A broker whose process ends now and then.
struct store_test : testing::Test {
  void start(brokerage::shard_number shards = 1, broker_options options = {}) {
    options.store = records;
    rig.emplace(std::move(options), shards);
  }
  /// Without another word; what was not kept is lost.
  void crash() {
    records->hold();
    clients.clear();
    rig.reset();
    records->lose();
    records->hold(false);
  }
  void restart(brokerage::shard_number shards = 1, broker_options options = {}) {
    crash();
    start(shards, std::move(options));
  }
  rig_client& client(std::size_t shard = 0) {
    return *clients.emplace_back(std::make_unique<rig_client>(*rig, shard));
  }
  rig_client& durable(const std::string& id, std::size_t shard = 0, bool clean = false) {
    rig_client& made = client(shard);
    made.connect({.id = id, .clean = clean, .expiry = 1'000});
    return made;
  }
  static bool is_present(rig_client& who) {
    const auto said = who.hear(packet_type::connack);
    return said.size() == 1 && said[0].session_present;
  }

  std::shared_ptr<runtime::memory_records> records = std::make_shared<runtime::memory_records>();
  std::optional<shard_rig> rig;
  std::vector<std::unique_ptr<rig_client>> clients;
};

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

TEST_F(store_test, acknowledges_nothing_before_it_is_kept) {
  start();
  durable("reader").subscribe("t");
  clients.clear();
  rig_client& writer = durable("writer");
  (void)writer.hear();
  records->hold();
  writer.publish("t", "one", {.quality = qos::at_least_once, .id = 1});
  writer.publish("t", "two", {.quality = qos::exactly_once, .id = 2});
  writer.subscribe("elsewhere");
  EXPECT_TRUE(writer.hear().empty());
  records->commit(1);
  rig->settle();
  EXPECT_EQ(writer.hear(packet_type::puback).size(), 1U);
  records->commit();
  rig->settle();
  records->commit();
  rig->settle();
  const auto rest = writer.hear();
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].type, packet_type::pubrec);
  EXPECT_EQ(rest[1].type, packet_type::suback);
}

TEST_F(store_test, lets_nobody_wait_who_does_not_need_the_disk) {
  start();
  rig_client& reader = client();
  reader.connect({.id = "reader"});
  reader.subscribe("t");
  rig_client& writer = client();
  writer.connect({.id = "writer"});
  (void)writer.hear();
  (void)reader.hear();
  records->hold();
  writer.publish("t", "bare");
  writer.publish("t", "counted", {.quality = qos::at_least_once});
  EXPECT_EQ(reader.payloads(), (texts{"bare", "counted"}));
  EXPECT_EQ(writer.hear(packet_type::puback).size(), 1U);
  EXPECT_EQ(records->waiting(), 0U);
}

TEST_F(store_test, waits_for_the_shard_that_keeps_the_message) {
  start(3);
  durable("reader", 2).subscribe("t");
  clients.clear();
  rig->settle();
  rig_client& writer = client(0);
  writer.connect({.id = "writer"});
  (void)writer.hear();
  records->hold();
  writer.publish("t", "far away", {.quality = qos::at_least_once});
  EXPECT_TRUE(writer.hear().empty());
  records->commit();
  rig->settle();
  EXPECT_EQ(writer.hear(packet_type::puback).size(), 1U);
  restart(2); // another number of shards as well
  EXPECT_EQ(durable("reader", 1).payloads(), texts{"far away"});
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

TEST_F(store_test, says_pubrel_only_when_it_is_kept) {
  start();
  rig_client& reader = durable("reader");
  reader.subscribe("t");
  rig_client& writer = client();
  writer.connect({.id = "writer"});
  writer.publish("t", "a", {.quality = qos::exactly_once, .id = 1});
  (void)reader.hear();
  records->hold();
  reader.acknowledge(packet_type::pubrec, 1);
  EXPECT_TRUE(reader.hear().empty());
  records->commit();
  rig->settle();
  EXPECT_EQ(reader.hear(packet_type::pubrel).size(), 1U);
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

TEST_F(store_test, gives_a_group_member_s_messages_to_another_across_the_restart) { // H20
  start(2);
  durable("first", 0).subscribe("$share/g/t");
  durable("second", 1).subscribe("$share/g/t");
  clients.clear();
  rig->settle();
  rig_client& writer = client();
  writer.connect({.id = "writer"});
  for (int each = 1; each <= 6; ++each)
    writer.publish("t", std::to_string(each),
                   {.quality = qos::at_least_once, .id = static_cast<protocol::packet_id>(each)});
  EXPECT_EQ(writer.hear(packet_type::puback).size(), 6U);
  restart(2);
  std::string chosen = "first";
  std::string other = "second";
  if (durable("first", 1).payloads().empty()) std::swap(chosen, other);
  rig_client& goes = durable(chosen, 1);
  EXPECT_FALSE(goes.payloads().empty());
  goes.disconnect(reason_code::success, 0); // it has acknowledged none
  rig->settle();
  restart(3);
  EXPECT_EQ(durable(other).payloads().size(), 6U);
}

TEST_F(store_test, gives_what_a_group_had_to_members_of_that_group_alone) {
  start();
  rig_client& goes = durable("goes");
  goes.subscribe("$share/g/t");
  goes.subscribe("$share/h/u");
  rig_client& writer = client();
  writer.connect({.id = "writer"});
  writer.publish("t", "x", {.quality = qos::at_least_once});
  durable("elsewhere").subscribe("$share/h/u");
  durable("passing").subscribe("$share/g/t", qos::at_most_once);
  durable("heir").subscribe("$share/g/t", qos::at_least_once);
  records->hold();
  goes.disconnect(reason_code::success, 0);
  EXPECT_EQ(records->commit(1), 1U); // that it has ended, and nothing of who is to have what it had
  restart();
  EXPECT_EQ(rig->counts().sessions.value(), 3U);
  EXPECT_EQ(durable("elsewhere").payloads(), texts{});
  EXPECT_EQ(durable("passing").payloads(), texts{});
  const auto heard = durable("heir").hear(packet_type::publish);
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].quality, qos::at_least_once);
}

TEST_F(store_test, gives_nothing_away_that_a_lost_group_member_was_taking_at_qos_2) { // MQTT-4.8.2-5
  start();
  rig_client& goes = durable("goes");
  goes.subscribe("$share/g/t", qos::exactly_once);
  rig_client& writer = client();
  writer.connect({.id = "writer"});
  writer.publish("t", "taking", {.quality = qos::exactly_once, .id = 1});
  writer.publish("t", "repeatable", {.quality = qos::at_least_once, .id = 2});
  durable("heir").subscribe("$share/g/t", qos::exactly_once);
  records->hold();
  goes.disconnect(reason_code::success, 0);
  records->commit(1);
  restart();
  EXPECT_EQ(durable("heir").payloads(), texts{"repeatable"});
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

TEST_F(store_test, pauses_sources_for_all_that_is_not_kept_yet) {
  records->hold();
  brokerage::store our{records, 0, nullptr, {}, 0};
  const std::string filter(60'000, 'f');
  for (std::uint64_t each = 1; each <= 600 && !our.is_crowded(); ++each) {
    our.keep_filter(each, filter, {});
    our.hand_over(); // as for each client that comes
  }
  EXPECT_TRUE(our.is_crowded());
  records->commit();
  EXPECT_TRUE(our.poll());
  EXPECT_FALSE(our.is_crowded());
}

} // namespace
} // namespace troupe
