#include "support/rules.hpp"

#include <troupe/protocol/ack.hpp>
#include <troupe/protocol/framer.hpp>

#include <algorithm>
#include <rapidcheck/gtest.h>

namespace {

using namespace troupe::protocol;
using namespace support;

constexpr auto malformed = reason_code::malformed_packet;
constexpr auto broken = reason_code::protocol_error;
constexpr auto c = role::client;

const std::vector<decode_rule> rules{
    {"puback_v3", v3, c, "40 02 0001", {}},
    {"puback_short_v5", v5, c, "40 02 0001", {}},
    {"puback_reason_alone", v5, c, "40 03 0001 10", {}},
    {"puback_with_empty_block", v5, c, "40 04 0001 80 00", {}},
    {"MQTT_3_6_1_1_pubrel_flags", v3, c, "60 02 0001", errc::malformed_packet, malformed},
    {"MQTT_2_1_3_1_puback_flags", v3, c, "42 02 0001", errc::malformed_packet, malformed},
    {"MQTT_2_2_1_3_id_0", v3, c, "50 02 0000", errc::protocol_error, broken},
    {"id_cut_off", v3, c, "50 01 00", errc::malformed_packet, malformed},
    {"over_long_v3", v3, c, "40 03 0001 00", errc::malformed_packet, malformed},
    {"over_long_v5", v5, c, "40 05 0001 00 00 00", errc::malformed_packet, malformed},
    {"MQTT_3_4_2_1_puback_reason", v5, c, "40 03 0001 92", errc::malformed_packet, malformed},
    {"MQTT_3_5_2_1_pubrec_reason", v5, c, "50 03 0001 01", errc::malformed_packet, malformed},
    {"MQTT_3_6_2_1_pubrel_reason", v5, c, "62 03 0001 80", errc::malformed_packet, malformed},
    {"MQTT_3_7_2_1_pubcomp_reason", v5, c, "70 03 0001 97", errc::malformed_packet, malformed},
    {"pubrel_not_found", v5, c, "62 03 0001 92", {}},
    {"section_3_4_2_2_2_reason_string_twice", v5, c, "40 0C 0001 00 08 1F0001'a' 1F0001'b'",
     errc::protocol_error, broken},
    {"section_2_2_2_2_property_of_publish", v5, c, "40 06 0001 00 02 0100", errc::malformed_packet,
     malformed},
};
TROUPE_DECODE_RULES(ack_rules, rules);

TEST(ack, all_four_go_both_ways) {
  property_block properties;
  ASSERT_TRUE(properties.set(property::reason_string, "why"));
  const struct {
    packet_type type;
    reason_code reason;
    const char* bytes;
  } cases[] = {
      {packet_type::puback, reason_code::not_authorized, "40 0A 1234 87 06 1F 0003'why'"},
      {packet_type::pubrec, reason_code::quota_exceeded, "50 0A 1234 97 06 1F 0003'why'"},
      {packet_type::pubrel, reason_code::packet_identifier_not_found, "62 0A 1234 92 06 1F 0003'why'"},
      {packet_type::pubcomp, reason_code::success, "70 0A 1234 00 06 1F 0003'why'"}};
  for (const auto& [type, reason, bytes] : cases) {
    const ack packet{.type = type, .reason = reason, .id = 0x1234, .properties = properties.view()};
    byte_outbox out;
    ASSERT_TRUE(encode_ack(out, packet, v5));
    EXPECT_EQ(out.dumped(), dump(bytes));
    EXPECT_EQ(out.bytes().size(), encoded_size(packet, v5));
    const padded whole{octets{out.bytes()}};
    const auto back = decode_ack(whole.view()[0], whole.view().subspan(2), v5);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->type, type);
    EXPECT_EQ(back->reason, reason);
    EXPECT_EQ(back->id, 0x1234);
    EXPECT_EQ(back->properties.text(property::reason_string), "why");
  }
}

TEST(ack, leaves_out_what_says_nothing) {
  byte_outbox out;
  ASSERT_TRUE(encode_ack(out, {.type = packet_type::puback, .id = 1}, v5));
  ASSERT_TRUE(encode_ack(
      out, {.type = packet_type::pubrec, .reason = reason_code::no_matching_subscribers, .id = 1}, v5));
  ASSERT_TRUE(encode_ack(
      out, {.type = packet_type::pubrec, .reason = reason_code::no_matching_subscribers, .id = 1}, v3));
  EXPECT_EQ(out.dumped(), dump("40 02 0001 | 50 03 0001 10 | 50 02 0001"));
}

auto refused(version v, const ack& packet) {
  return [=](outbox& out) { return encode_ack(out, packet, v); };
}

const std::vector<encode_rule> refusals{
    {"MQTT_2_2_1_3_id_0", errc::invalid_packet_id, refused(v5, {.type = packet_type::puback, .id = 0})},
    {"section_2_1_2_another_packet", errc::invalid_argument,
     refused(v5, {.type = packet_type::suback, .id = 1})},
    {"MQTT_3_4_2_1_puback_reason", errc::invalid_reason_code,
     refused(v5, {.type = packet_type::puback, .reason = reason_code::packet_identifier_not_found, .id = 1})},
    {"MQTT_3_5_2_1_pubrec_reason", errc::invalid_reason_code,
     refused(v5, {.type = packet_type::pubrec, .reason = reason_code::server_busy, .id = 1})},
    {"MQTT_3_6_2_1_pubrel_reason", errc::invalid_reason_code,
     refused(v5, {.type = packet_type::pubrel, .reason = reason_code::not_authorized, .id = 1})},
    {"MQTT_3_7_2_1_pubcomp_reason", errc::invalid_reason_code,
     refused(v5, {.type = packet_type::pubcomp, .reason = reason_code::quota_exceeded, .id = 1})},
    {"section_2_2_2_2_property_of_another_packet", errc::property_not_allowed,
     refused(v5, {.type = packet_type::puback, .id = 1, .properties = with(property::topic_alias, 1U)})},
    {"F004_property_in_3_1_1", errc::version_mismatch,
     refused(v3, {.type = packet_type::puback, .id = 1, .properties = with(property::reason_string, "why")})},
    {"F004_reason_in_3_1_1", errc::version_mismatch,
     refused(v3, {.type = packet_type::puback, .reason = reason_code::not_authorized, .id = 1})},
};
TROUPE_ENCODE_RULES(ack_refusals, refusals);

RC_GTEST_PROP(ack_round_trip, what_was_encoded_is_decoded, ()) {
  const version v = *rc::gen::element(v3, v5);
  ack packet{.type = *rc::gen::element(packet_type::puback, packet_type::pubrec, packet_type::pubrel,
                                       packet_type::pubcomp),
             .id = *rc::gen::inRange<packet_id>(1, 65'535)};
  property_block block;
  if (v == v5) {
    const bool is_second = packet.type == packet_type::pubrel || packet.type == packet_type::pubcomp;
    if (*rc::gen::arbitrary<bool>())
      packet.reason = is_second ? reason_code::packet_identifier_not_found : reason_code::quota_exceeded;
    if (*rc::gen::arbitrary<bool>())
      RC_ASSERT(
          block.set(property::reason_string, *rc::gen::container<std::string>(rc::gen::inRange('a', 'z'))));
    packet.properties = block.view();
  }
  byte_outbox out;
  RC_ASSERT(encode_ack(out, packet, v));
  const padded bytes{octets{out.bytes()}};
  RC_ASSERT(bytes.size() == encoded_size(packet, v));
  framer cutter;
  cutter.set_version(v);
  cutter.feed(bytes);
  const auto cut = cutter.next();
  RC_ASSERT(cut);
  const auto back = decode_ack(cut->first, cut->body, v);
  RC_ASSERT(back);
  RC_ASSERT(back->type == packet.type);
  RC_ASSERT(back->id == packet.id);
  RC_ASSERT(back->reason == packet.reason);
  RC_ASSERT(std::ranges::equal(back->properties.block(), packet.properties.block()));
}

} // namespace
