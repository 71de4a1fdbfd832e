#include "support/rules.hpp"

#include <troupe/protocol/packet.hpp>

#include <vector>

namespace {

using namespace troupe::protocol;
using namespace support;

constexpr auto malformed = reason_code::malformed_packet;

const std::vector<decode_rule> rules{
    {"pingreq", v3, role::server, "C0 00", {}},
    {"pingresp", v5, role::client, "D0 00", {}},
    {"section_3_12_1_pingreq_with_a_body", v5, role::server, "C0 01 00", errc::malformed_packet, malformed},
    {"section_3_13_1_pingresp_with_a_body", v3, role::client, "D0 01 00", errc::malformed_packet, malformed},
    {"MQTT_2_1_3_1_pingreq_flags", v3, role::server, "C4 00", errc::malformed_packet, malformed},
    {"type_0", v5, role::server, "00 00", errc::malformed_packet, malformed},
};
TROUPE_DECODE_RULES(packet_rules, rules);

frame framed(octets bytes) {
  framer cutter;
  cutter.feed(bytes);
  const auto cut = cutter.next();
  EXPECT_TRUE(cut);
  return cut ? *cut : frame{};
}

TEST(decode_packet, decodes_what_is_frequent_and_passes_the_rest_on) {
  const padded message = hex("32 07 0001'a' 0005 00 'x'");
  auto packet = decode_packet(framed(message), v5, role::client);
  ASSERT_TRUE(packet);
  const auto* held = std::get_if<inbound_publish>(&*packet);
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(held->packet.id, 5);
  EXPECT_EQ(held->whole.data(), message.view().data());
  const padded answer = hex("50 02 0005");
  packet = decode_packet(framed(answer), v5, role::client);
  ASSERT_TRUE(packet);
  ASSERT_NE(std::get_if<ack>(&*packet), nullptr);
  EXPECT_EQ(std::get_if<ack>(&*packet)->type, packet_type::pubrec);
  const padded granted = hex("90 04 0005 00 00");
  packet = decode_packet(framed(granted), v5, role::client);
  ASSERT_TRUE(packet);
  ASSERT_NE(std::get_if<frame>(&*packet), nullptr);
  EXPECT_EQ(std::get_if<frame>(&*packet)->type(), packet_type::suback);
}

TEST(decode_packet, answers_the_decoder_s_error) {
  const padded wrong = hex("30 04 0001'#' 00");
  EXPECT_EQ(decode_packet(framed(wrong), v5, role::client).error(), errc::invalid_topic_name);
}

/// Errors as one type, so that they compare.
std::error_code error_of(errc code) { return code == errc{} ? std::error_code{} : make_error_code(code); }

/// `bytes` read as one of a stream whose last topic was "a/b", against the same read alone.
void expect_the_same_in_a_stream(octets bytes, version v) {
  const padded before = hex("30 06 0003'a/b' 'x'");
  topic_memory memory;
  memory.remember(before.view().subspan(4, 3));
  framer cutter;
  cutter.set_version(v);
  cutter.feed(bytes);
  const auto cut = cutter.next();
  if (!cut) return;
  inbound_packet streamed;
  const auto error = error_of(decode_packet_into(streamed, *cut, v, role::server, memory));
  const auto alone = decode_packet(*cut, v, role::server);
  ASSERT_EQ(alone.error(), error);
  if (!alone) return;
  ASSERT_EQ(streamed.index(), alone->index());
  if (const auto* const one = std::get_if<inbound_publish>(&streamed)) {
    const auto& other = *std::get_if<inbound_publish>(&*alone);
    EXPECT_EQ(one->packet.topic, other.packet.topic);
    EXPECT_EQ(one->packet.payload.data(), other.packet.payload.data());
    EXPECT_EQ(one->packet.payload.size(), other.packet.payload.size());
    EXPECT_EQ(one->packet.properties.block().size(), other.packet.properties.block().size());
    EXPECT_EQ(one->packet.properties.seen(), other.packet.properties.seen());
    EXPECT_EQ(one->packet.id, other.packet.id);
    EXPECT_EQ(one->packet.topic_alias, other.packet.topic_alias);
    EXPECT_EQ(one->packet.quality, other.packet.quality);
    EXPECT_EQ(one->packet.retain, other.packet.retain);
    EXPECT_EQ(one->packet.dup, other.packet.dup);
    EXPECT_EQ(one->whole.data(), other.whole.data());
    EXPECT_EQ(one->whole.size(), other.whole.size());
  }
  if (const auto* const one = std::get_if<ack>(&streamed)) {
    const auto& other = *std::get_if<ack>(&*alone);
    EXPECT_EQ(one->type, other.type);
    EXPECT_EQ(one->id, other.id);
    EXPECT_EQ(one->reason, other.reason);
    EXPECT_EQ(one->properties.block().size(), other.properties.block().size());
  }
}

TEST(decode_packet_into, judges_in_a_stream_as_it_judges_alone) {
  const std::vector<padded> samples{hex("30 09 0003'a/b' 00 'xyz'"),
                                    hex("30 0C 0003'a/b' 03 23 0007 'xyz'"),
                                    hex("32 09 0003'a/b' 0001 00 'x'"),
                                    hex("34 07 0003'a/b' 0105"),
                                    hex("30 05 0003'a/b'"),
                                    hex("40 02 0001"),
                                    hex("62 02 0001"),
                                    hex("50 04 0001 10 00")};
  for (const padded& sample : samples) {
    std::vector<octet> changed{sample.view().begin(), sample.view().end()};
    for (octet& here : changed) {
      const octet right = here;
      for (unsigned value = 0; value < 256; ++value) {
        here = static_cast<octet>(value);
        for (const version v : {v3, v5}) expect_the_same_in_a_stream(padded{octets{changed}}, v);
      }
      here = right;
    }
  }
}

TEST(decode_packet_into, gives_a_topic_that_stays_the_place_of_the_first) {
  const padded bytes = hex("30 06 0003'a/b' 00 30 06 0003'a/b' 00 30 06 0003'a/c' 00");
  framer cutter;
  cutter.feed(bytes.view());
  topic_memory memory;
  std::vector<const char*> places;
  for (frame f; cutter.next(f) == errc{};) {
    inbound_packet packet;
    ASSERT_EQ(decode_packet_into(packet, f, v5, role::client, memory), errc{});
    places.push_back(std::get_if<inbound_publish>(&packet)->packet.topic.data());
  }
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0], places[1]);
  EXPECT_NE(places[1], places[2]);
}

TEST(ping, is_two_octets) {
  byte_outbox out;
  encode_pingreq(out);
  encode_pingresp(out);
  EXPECT_EQ(out.dumped(), "C0 00 D0 00");
}

TEST(packet_name, knows_all_fifteen) {
  EXPECT_EQ(name(packet_type::connect), "CONNECT");
  EXPECT_EQ(name(packet_type::pubcomp), "PUBCOMP");
  EXPECT_EQ(name(packet_type::auth), "AUTH");
  EXPECT_EQ(name(static_cast<packet_type>(0)), "reserved");
  EXPECT_EQ(name(static_cast<packet_type>(99)), "reserved");
}

} // namespace
