// What a broker with a store says only when the store has it, and what it says at once.
#include "support/store_test.hpp"

#include <troupe/broker/store.hpp>

#include <gtest/gtest.h>

namespace troupe {
namespace {

using protocol::packet_type;
using protocol::qos;
using test::rig_client;
using test::store_test;
using texts = std::vector<std::string>;

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
