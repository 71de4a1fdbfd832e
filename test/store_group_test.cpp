// What members of a group inherit from one whose session ended around a restart.
#include "support/store_test.hpp"

#include <gtest/gtest.h>

namespace troupe {
namespace {

using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using test::rig_client;
using test::store_test;
using texts = std::vector<std::string>;

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

} // namespace
} // namespace troupe
