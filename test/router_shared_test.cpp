// router: whose turn it is in a shared group.
#include "support/router_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace troupe {
namespace {

using protocol::packet_type;
using protocol::qos;
using test::rig_client;
using test::router_test;
using test::texts;

TEST_F(router_test, shares_messages_in_turn) {
  rig_client a{rig};
  rig_client b{rig};
  a.connect({.id = "a"});
  b.connect({.id = "b"});
  a.subscribe("$share/g/t");
  b.subscribe("$share/g/t");
  b.subscribe("t");
  a.hear();
  b.hear();
  for (int each = 0; each < 10; ++each) publisher.publish("t", std::to_string(each));
  EXPECT_EQ(a.payloads().size(), 5U);
  EXPECT_EQ(b.payloads().size(), 15U);
}

TEST_F(router_test, gives_what_a_lost_member_had_to_another) { // H20
  rig_client b{rig};
  b.connect({.id = "b"});
  b.subscribe("$share/g/t", qos::at_least_once);
  b.hear();
  texts all;
  {
    rig_client a{rig};
    a.connect({.id = "a", .receive_maximum = 2});
    a.subscribe("$share/g/t", qos::at_least_once);
    for (int each = 0; each < 10; ++each)
      publisher.publish("t", std::to_string(each),
                        {.quality = qos::at_least_once, .id = static_cast<protocol::packet_id>(each + 1)});
    for (const std::string& one : b.payloads()) all.push_back(one);
    EXPECT_EQ(all.size(), 5U);
  }
  for (const std::string& one : b.payloads()) all.push_back(one);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (texts{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
}

TEST_F(router_test, gives_nothing_away_that_a_lost_member_was_taking_at_qos_2) { // MQTT-4.8.2-5
  {
    rig_client a{rig};
    a.connect({.id = "a", .receive_maximum = 2});
    a.subscribe("$share/g/t", qos::exactly_once);
    for (int each = 1; each <= 3; ++each)
      publisher.publish("t", std::to_string(each),
                        {.quality = qos::exactly_once, .id = static_cast<protocol::packet_id>(each)});
    EXPECT_EQ(a.payloads().size(), 2U);
    a.acknowledge(packet_type::pubrec, 1);
    rig_client b{rig};
    b.connect({.id = "b"});
    b.subscribe("$share/g/t", qos::exactly_once);
    b.hear();
    a.hang_up();
    EXPECT_EQ(b.payloads(), texts{"3"}); // what had not set out to anybody
  }
}

TEST_F(router_test, gives_nothing_away_that_a_member_refused) { // MQTT-4.8.2-6
  rig_client a{rig};
  a.connect({.id = "a"});
  a.subscribe("$share/g/t", qos::at_least_once);
  publisher.publish("t", "x", {.quality = qos::at_least_once});
  const auto heard = a.hear(packet_type::publish);
  ASSERT_EQ(heard.size(), 1U);
  rig_client b{rig};
  b.connect({.id = "b"});
  b.subscribe("$share/g/t", qos::at_least_once);
  b.hear();
  a.send({0x40, 0x03, 0x00, static_cast<protocol::octet>(heard[0].id), 0x87}); // PUBACK: not authorized
  a.hang_up();
  EXPECT_TRUE(b.payloads().empty());
}

TEST_F(router_test, respects_what_each_member_was_granted) { // MQTT-4.8.2-3
  rig_client a{rig};
  rig_client b{rig};
  a.connect({.id = "a"});
  b.connect({.id = "b"});
  a.subscribe("$share/g/t", qos::at_most_once);
  b.subscribe("$share/g/t", qos::exactly_once);
  a.hear();
  b.hear();
  for (int each = 1; each <= 2; ++each)
    publisher.publish("t", "x",
                      {.quality = qos::at_least_once, .id = static_cast<protocol::packet_id>(each)});
  const auto to_a = a.hear(packet_type::publish);
  const auto to_b = b.hear(packet_type::publish);
  ASSERT_EQ(to_a.size(), 1U);
  ASSERT_EQ(to_b.size(), 1U);
  EXPECT_EQ(to_a[0].quality, qos::at_most_once);
  EXPECT_EQ(to_b[0].quality, qos::at_least_once);
}

TEST_F(router_test, prefers_connected_members) {
  {
    rig_client away{rig};
    away.connect({.id = "away", .clean = false, .expiry = 60});
    away.subscribe("$share/g/t", qos::at_least_once);
  }
  rig_client here{rig};
  here.connect({.id = "here"});
  here.subscribe("$share/g/t");
  here.hear();
  for (int each = 0; each < 6; ++each) publisher.publish("t", "x");
  EXPECT_EQ(here.payloads().size(), 6U);
}

} // namespace
} // namespace troupe
