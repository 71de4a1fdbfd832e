// shard: who is let in, and what stays of a session.
#include "support/shard_rig.hpp"

#include <gtest/gtest.h>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using protocol::version;
using test::connect_options;
using test::rig_client;
using test::seen;
using test::shard_rig;

seen connack_of(rig_client& who) {
  const auto all = who.hear(packet_type::connack);
  return all.empty() ? seen{} : all.front();
}

TEST(shard, accepts_a_client_of_each_version) {
  shard_rig rig;
  for (const version each : {version::v3_1_1, version::v5_0}) {
    rig_client client{rig};
    client.connect({.version = each});
    const seen answer = connack_of(client);
    EXPECT_EQ(answer.type, packet_type::connack);
    EXPECT_EQ(answer.reason, reason_code::success);
    EXPECT_FALSE(answer.session_present);
    EXPECT_EQ(rig.counts().connections.value(), 1U);
  }
  EXPECT_EQ(rig.counts().connections.value(), 0U);
  EXPECT_EQ(rig.counts().sessions.value(), 0U);
}

TEST(shard, names_a_client_that_has_no_id) {
  shard_rig rig;
  rig_client one{rig};
  rig_client other{rig};
  one.connect({.id = ""});
  other.connect({.id = ""});
  const seen first = connack_of(one);
  EXPECT_FALSE(first.assigned_id.empty());
  EXPECT_NE(first.assigned_id, connack_of(other).assigned_id);
}

TEST(shard, refuses_a_nameless_session_of_3_1_1_that_shall_stay) { // [MQTT-3.1.3-8]
  shard_rig rig;
  rig_client client{rig};
  client.speak(version::v3_1_1);
  client.send({0x10, 0x0C, 0x00, 0x04, 'M', 'Q', 'T', 'T', 0x04, 0x00, 0x00, 0x00, 0x00, 0x00});
  EXPECT_TRUE(client.is_closed());
  const auto answer = client.hear();
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0].type, packet_type::connack);
  EXPECT_TRUE(protocol::is_failure(answer[0].reason));
}

TEST(shard, tells_the_earlier_connection_that_it_was_taken_over) { // [MQTT-3.1.4-3]
  shard_rig rig;
  rig_client earlier{rig};
  earlier.connect({.expiry = 60});
  earlier.subscribe("t");
  earlier.hear();
  rig_client later{rig};
  later.connect({.clean = false, .expiry = 60});
  earlier.reap();
  const auto last = earlier.hear(packet_type::disconnect);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].reason, reason_code::session_taken_over);
  EXPECT_TRUE(connack_of(later).session_present);
  EXPECT_EQ(rig.counts().takeovers.value(), 1U);
  EXPECT_EQ(rig.counts().connections.value(), 1U);
  later.publish("t", "mine");
  EXPECT_EQ(later.payloads(), std::vector<std::string>{"mine"});
}

TEST(shard, ends_the_session_when_a_clean_start_takes_over) {
  shard_rig rig;
  rig_client earlier{rig};
  earlier.connect({.expiry = 60});
  earlier.subscribe("t");
  rig_client later{rig};
  later.connect({.clean = true});
  EXPECT_FALSE(connack_of(later).session_present);
  later.publish("t", "x");
  EXPECT_TRUE(later.payloads().empty());
  EXPECT_EQ(rig.counts().subscriptions.value(), 0U);
}

TEST(shard, takes_over_again_and_again_without_leaving_anything) {
  shard_rig rig;
  for (int round = 0; round < 100; ++round) {
    rig_client client{rig};
    rig_client rival{rig};
    client.connect({.expiry = 5});
    rival.connect({.clean = round % 2 == 0, .expiry = 5});
    client.reap();
  }
  rig.advance(6s);
  EXPECT_EQ(rig.counts().sessions.value(), 0U);
  EXPECT_EQ(rig[0].names().size(), 0U);
  EXPECT_TRUE(rig[0].is_empty());
}

TEST(shard, resumes_a_session_with_what_came_meanwhile) {
  for (const version each : {version::v3_1_1, version::v5_0}) {
    shard_rig rig;
    connect_options how{.version = each, .clean = false, .expiry = each == version::v5_0 ? 60U : 0U};
    rig_client publisher{rig};
    publisher.connect({.version = each, .id = "publisher"});
    {
      rig_client away{rig};
      away.connect(how);
      away.subscribe("t", qos::at_least_once);
    }
    publisher.publish("t", "one", {.quality = qos::at_least_once, .id = 1});
    publisher.publish("t", "lost", {});
    publisher.publish("t", "two", {.quality = qos::exactly_once, .id = 2});
    rig_client back{rig};
    back.connect(how);
    const auto all = back.hear();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_TRUE(all[0].session_present);
    EXPECT_EQ(all[1].payload, "one");
    EXPECT_EQ(all[1].quality, qos::at_least_once);
    EXPECT_FALSE(all[1].dup);
    EXPECT_EQ(all[2].payload, "two");
    EXPECT_EQ(all[2].quality, qos::at_least_once);
  }
}

TEST(shard, sends_again_with_the_same_id_what_was_not_acknowledged) { // [MQTT-4.4.0-1]
  shard_rig rig;
  rig_client publisher{rig};
  publisher.connect({.id = "publisher"});
  protocol::packet_id id = 0;
  {
    rig_client away{rig};
    away.connect({.clean = false, .expiry = 60});
    away.subscribe("t", qos::at_least_once);
    away.hear();
    publisher.publish("t", "one", {.quality = qos::at_least_once});
    const auto first = away.hear(packet_type::publish);
    ASSERT_EQ(first.size(), 1U);
    id = first[0].id;
  }
  publisher.publish("t", "two", {.quality = qos::at_least_once, .id = 2});
  rig_client back{rig};
  back.connect({.clean = false, .expiry = 60});
  const auto again = back.hear(packet_type::publish);
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].id, id);
  EXPECT_TRUE(again[0].dup);
  EXPECT_EQ(again[0].payload, "one");
  EXPECT_FALSE(again[1].dup);
  EXPECT_EQ(again[1].payload, "two");
}

TEST(shard, forgets_a_session_when_its_time_is_over) {
  shard_rig rig;
  {
    rig_client away{rig};
    away.connect({.clean = false, .expiry = 10});
    away.subscribe("t");
  }
  rig.advance(9s);
  EXPECT_EQ(rig.counts().sessions.value(), 1U);
  rig.advance(2s);
  EXPECT_EQ(rig.counts().sessions.value(), 0U);
  EXPECT_EQ(rig.counts().subscriptions.value(), 0U);
  rig_client back{rig};
  back.connect({.clean = false, .expiry = 10});
  EXPECT_FALSE(connack_of(back).session_present);
}

TEST(shard, lets_disconnect_change_the_expiry) {
  shard_rig rig;
  rig_client client{rig};
  client.connect({.clean = false, .expiry = 1000});
  client.disconnect(reason_code::success, 0);
  EXPECT_EQ(rig.counts().sessions.value(), 0U);
}

// -- access -------------------------------------------------------------------

struct guard final : access {
  reason_code may_connect(const identity& who, std::optional<protocol::octets>) const override {
    return who.client_id == "bad" ? reason_code::not_authorized : reason_code::success;
  }
  reason_code may_publish(const identity&, std::string_view topic) const override {
    return topic == "secret" ? reason_code::not_authorized : reason_code::success;
  }
  reason_code may_subscribe(const identity&, std::string_view filter) const override {
    return filter == "secret" ? reason_code::not_authorized : reason_code::success;
  }
};

TEST(shard, asks_who_may_do_what) {
  shard_rig rig{{.may = std::make_shared<guard>()}};
  rig_client bad{rig};
  bad.connect({.id = "bad"});
  bad.reap();
  EXPECT_EQ(connack_of(bad).reason, reason_code::not_authorized);
  rig_client good{rig};
  good.connect({.id = "good"});
  good.hear();
  good.subscribe({{.filter = "secret"}, {.filter = "open"}});
  EXPECT_EQ(good.hear()[0].codes, (std::vector{reason_code::not_authorized, reason_code::success}));
  good.publish("secret", "x", {.quality = qos::at_least_once});
  EXPECT_EQ(good.hear()[0].reason, reason_code::not_authorized);
  good.publish("open", "x");
  EXPECT_EQ(good.payloads().size(), 1U);
}

} // namespace
} // namespace troupe
