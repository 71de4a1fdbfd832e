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
using test::publish_options;
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

// -- wills --------------------------------------------------------------------

struct with_will {
  explicit with_will(std::uint32_t delay) {
    if (delay != 0) (void)block.set(protocol::property::will_delay_interval, delay);
    will = {.topic = "will", .payload = protocol::as_octets("gone"), .properties = block.view()};
  }
  protocol::property_block block{};
  protocol::will_view will{};
};

struct will_test : testing::Test {
  will_test() {
    watcher.connect({.id = "watcher"});
    watcher.subscribe("will");
    watcher.hear();
  }
  std::size_t heard() { return watcher.hear(packet_type::publish).size(); }

  shard_rig rig{};
  rig_client watcher{rig};
};

TEST_F(will_test, is_said_when_the_connection_is_lost) {
  with_will testament{0};
  rig_client client{rig};
  client.connect({.will = testament.will});
  client.hang_up();
  EXPECT_EQ(watcher.payloads(), std::vector<std::string>{"gone"});
}

TEST_F(will_test, is_not_said_after_goodbye) { // [MQTT-3.14.4-3]
  with_will testament{0};
  rig_client client{rig};
  client.connect({.will = testament.will});
  client.disconnect();
  client.hang_up();
  EXPECT_EQ(heard(), 0U);
}

TEST_F(will_test, is_said_after_goodbye_with_will) {
  with_will testament{0};
  rig_client client{rig};
  client.connect({.will = testament.will});
  client.disconnect(reason_code::disconnect_with_will);
  EXPECT_EQ(heard(), 1U);
}

TEST_F(will_test, is_said_when_the_client_breaks_the_protocol) {
  with_will testament{0};
  rig_client client{rig};
  client.connect({.will = testament.will});
  client.send({0xF0, 0x00, 0x00});
  EXPECT_EQ(heard(), 1U);
}

TEST_F(will_test, waits_for_its_delay) {
  with_will testament{2};
  rig_client client{rig};
  client.connect({.clean = false, .expiry = 60, .will = testament.will});
  client.hang_up();
  rig.advance(1900ms);
  EXPECT_EQ(heard(), 0U);
  rig.advance(200ms);
  EXPECT_EQ(heard(), 1U);
  rig.advance(60s);
  EXPECT_EQ(heard(), 0U);
}

TEST_F(will_test, is_cancelled_when_the_session_is_resumed) { // [MQTT-3.1.3-9]
  with_will testament{2};
  rig_client client{rig};
  client.connect({.clean = false, .expiry = 60, .will = testament.will});
  client.hang_up();
  rig.advance(1s);
  rig_client back{rig};
  back.connect({.clean = false, .expiry = 60});
  rig.advance(5s);
  EXPECT_EQ(heard(), 0U);
}

TEST_F(will_test, is_said_when_the_session_ends_before_the_delay) {
  with_will testament{30};
  rig_client client{rig};
  client.connect({.clean = false, .expiry = 1, .will = testament.will});
  client.hang_up();
  rig.advance(1200ms);
  EXPECT_EQ(heard(), 1U);
}

TEST_F(will_test, is_said_at_once_when_a_clean_start_ends_the_session) {
  with_will testament{30};
  rig_client client{rig};
  client.connect({.clean = false, .expiry = 60, .will = testament.will});
  client.hang_up();
  rig_client back{rig};
  back.connect({.clean = true});
  EXPECT_EQ(heard(), 1U);
  back.hang_up();
  rig.advance(60s);
  EXPECT_EQ(heard(), 0U);
}

// -- time ---------------------------------------------------------------------

TEST(shard, closes_a_connection_that_never_says_connect) {
  shard_rig rig{{.connect_timeout = 2s}};
  rig_client silent{rig};
  rig_client half{rig};
  half.send({0x10, 0x20, 0x00});
  rig.advance(1900ms);
  EXPECT_FALSE(silent.is_closed());
  rig.advance(200ms);
  EXPECT_TRUE(silent.is_closed());
  EXPECT_TRUE(half.is_closed());
}

TEST(shard, drops_a_silent_client_and_keeps_one_that_only_publishes) {
  shard_rig rig;
  rig_client busy{rig};
  rig_client silent{rig};
  busy.connect({.id = "busy", .keep_alive = 1});
  silent.connect({.id = "silent", .keep_alive = 1});
  for (int half = 0; half < 10; ++half) {
    rig.advance(500ms);
    busy.publish("t", "x");
    if (half == 1) {
      EXPECT_FALSE(silent.is_closed());
    }
  }
  EXPECT_FALSE(busy.is_closed());
  EXPECT_TRUE(silent.is_closed());
  silent.reap();
  const auto last = silent.hear(packet_type::disconnect);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].reason, reason_code::keep_alive_timeout);
  rig.advance(1400ms);
  EXPECT_FALSE(busy.is_closed());
  rig.advance(200ms);
  EXPECT_TRUE(busy.is_closed());
}

TEST(shard, drops_nobody_for_silence_whom_it_does_not_read_from) {
  shard_rig rig;
  rig_client client{rig};
  client.connect({.id = "c", .keep_alive = 1});
  rig.is_crowded = true;
  rig.advance(10s);
  EXPECT_TRUE(client.pipe().is_paused);
  EXPECT_FALSE(client.is_closed());
  rig.is_crowded = false;
  rig.advance(100ms);
  EXPECT_FALSE(client.pipe().is_paused);
  rig.advance(2s);
  EXPECT_TRUE(client.is_closed());
}

// -- bad octets ---------------------------------------------------------------

TEST(shard, survives_octets_that_are_no_mqtt) {
  shard_rig rig;
  rig_client witness{rig};
  witness.connect({.id = "witness"});
  for (int first = 0; first < 256; ++first) {
    rig_client vandal{rig};
    std::vector<protocol::octet> bytes(64, static_cast<protocol::octet>(first));
    vandal.send(bytes);
    rig_client known{rig};
    known.connect({.id = "known"});
    known.send(bytes);
  }
  witness.subscribe("t");
  witness.publish("t", "alive");
  EXPECT_EQ(witness.payloads(), std::vector<std::string>{"alive"});
}

TEST(shard, answers_a_second_connect_with_protocol_error) {
  shard_rig rig;
  rig_client client{rig};
  client.connect();
  client.connect();
  client.reap();
  const auto last = client.hear(packet_type::disconnect);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].reason, reason_code::protocol_error);
}

TEST(shard, takes_a_conversation_cut_at_any_octet) {
  shard_rig rig;
  rig_client watcher{rig};
  watcher.connect({.id = "watcher"});
  watcher.subscribe("t");
  watcher.hear();
  rig_client writer{rig};
  writer.connect({.id = "writer"});
  std::vector<protocol::octet> bytes = writer.publish_bytes("t", std::string(200, 'p'));
  for (const auto one : writer.publish_bytes("t", "q", {.quality = qos::at_least_once})) bytes.push_back(one);
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    writer.send({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut)});
    writer.send({bytes.begin() + static_cast<std::ptrdiff_t>(cut), bytes.end()});
    ASSERT_EQ(watcher.payloads().size(), 2U) << cut;
  }
  for (const auto one : bytes) writer.send({one});
  EXPECT_EQ(watcher.payloads().size(), 2U);
}

// -- limits and end -----------------------------------------------------------

TEST(shard, enforces_the_announced_packet_size_to_the_octet) { // H12
  for (const version each : {version::v3_1_1, version::v5_0}) {
    shard_rig rig{{.maximum_packet_size = 100}};
    rig_client client{rig};
    client.connect({.version = each});
    client.subscribe("a");
    client.hear();
    const std::size_t overhead = each == version::v5_0 ? 6 : 5;
    client.publish("a", std::string(100 - overhead, 'x'));
    EXPECT_EQ(client.payloads().size(), 1U);
    client.publish("a", std::string(101 - overhead, 'x'));
    EXPECT_TRUE(client.is_closed());
    client.reap();
    const auto last = client.hear();
    if (each == version::v3_1_1) {
      EXPECT_TRUE(last.empty());
      continue;
    }
    ASSERT_EQ(last.size(), 1U);
    EXPECT_EQ(last[0].type, packet_type::disconnect);
    EXPECT_EQ(last[0].reason, reason_code::packet_too_large);
  }
}

TEST(shard, takes_a_connect_whose_every_field_of_data_is_at_its_greatest) {
  for (const version each : {version::v3_1_1, version::v5_0}) {
    shard_rig rig;
    rig_client client{rig};
    client.speak(each);
    const std::string most(65'535, 'x');
    const std::string_view name = std::string_view{most}.substr(0, 20'000);
    const protocol::connect packet{
        .protocol = each,
        .client_id = name,
        .user_name = name,
        .password = protocol::as_octets(most),
        .will = protocol::will_view{.topic = name, .payload = protocol::as_octets(most)}};
    client.send_with([&](protocol::outbox& out) { ASSERT_TRUE(protocol::encode_connect(out, packet)); });
    const auto heard = client.hear();
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_EQ(heard[0].type, packet_type::connack);
    EXPECT_EQ(heard[0].reason, reason_code::success);
    client.publish("a", std::string(300'000, 'x'), {.quality = qos::at_least_once});
    EXPECT_EQ(client.hear(packet_type::puback).size(), 1U) << "the limit is one of strangers";
  }
}

TEST(shard, keeps_no_memory_for_a_stranger_who_claims_more_than_a_connect_may_be) {
  for (const protocol::octet level : {protocol::octet{4}, protocol::octet{5}}) {
    shard_rig rig;
    rig_client client{rig};
    const std::uint64_t made = rig.slabs().made();
    // one octet more than 256 KB
    client.deliver_later({0x10, 0xFD, 0xFF, 0x0F, 0x00, 0x04, 'M', 'Q', 'T', 'T', level, 0x02});
    EXPECT_TRUE(client.is_closed());
    client.reap();
    EXPECT_LE(rig.slabs().made(), made + 2) << "what came in, and the answer";
    const auto last = client.hear();
    ASSERT_EQ(last.size(), level == 5 ? 1U : 0U);
    if (level == 5) {
      EXPECT_EQ(last[0].reason, reason_code::packet_too_large);
    }
  }
  shard_rig rig;
  rig_client client{rig};
  client.send({0x10, 0xFF, 0xFF, 0xFF, 0x7F}); // its level has not come

  EXPECT_TRUE(client.is_closed());
  client.reap();
  EXPECT_TRUE(client.hear().empty());
}

TEST(shard, takes_no_more_connections_than_it_may) {
  shard_rig rig{{.max_connections = 2}};
  rig_client one{rig};
  rig_client two{rig};
  rig_client three{rig};
  EXPECT_FALSE(two.is_closed());
  EXPECT_TRUE(three.is_closed());
}

TEST(shard, says_goodbye_to_everybody_when_it_stops) { // H24
  shard_rig rig;
  with_will testament{0};
  rig_client five{rig};
  rig_client three{rig};
  rig_client half{rig};
  five.connect({.id = "five", .will = testament.will});
  three.connect({.version = version::v3_1_1, .id = "three", .will = testament.will});
  five.subscribe("will");
  five.hear();
  rig[0].stop();
  for (rig_client* each : {&five, &three, &half}) {
    EXPECT_TRUE(each->is_closed());
    each->reap();
  }
  const auto last = five.hear();
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].reason, reason_code::server_shutting_down);
  EXPECT_TRUE(rig[0].is_empty());
  rig_client late{rig};
  EXPECT_TRUE(late.is_closed());
}

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
