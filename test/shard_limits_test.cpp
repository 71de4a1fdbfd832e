// shard: what it does not put up with, and how it stops.
#include "support/shard_rig.hpp"
#include "support/with_will.hpp"

#include <gtest/gtest.h>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using protocol::version;
using test::rig_client;
using test::shard_rig;
using test::with_will;

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

TEST(shard, takes_few_connections_more_than_it_may_to_tell_them_so) {
  shard_rig rig{{.max_connections = 2}};
  std::vector<std::unique_ptr<rig_client>> all;
  for (int each = 0; each < 2 + 64; ++each) {
    all.push_back(std::make_unique<rig_client>(rig));
    EXPECT_FALSE(all.back()->is_closed());
  }
  EXPECT_TRUE(rig_client{rig}.is_closed());
  rig.advance(std::chrono::seconds{11}); // whoever says nothing makes room
  for (auto& each : all) each->reap();
  EXPECT_EQ(rig.counts().connections_refused.value(), 2U + 64U + 1U);
  rig_client next{rig};
  next.connect();
  EXPECT_EQ(next.hear().at(0).reason, reason_code::success);
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

} // namespace
} // namespace troupe
