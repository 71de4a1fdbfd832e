#include "support/rules.hpp"

#include <troupe/protocol/subscribe.hpp>

#include <rapidcheck/gtest.h>

namespace {

using namespace troupe::protocol;
using namespace support;

constexpr auto malformed = reason_code::malformed_packet;
constexpr auto broken = reason_code::protocol_error;
constexpr auto bad_filter = reason_code::topic_filter_invalid;
constexpr auto s = role::server;
constexpr auto c = role::client;

const std::vector<decode_rule> rules{
    {"one_filter_v5", v5, s, "82 07 0001 00 0001'a' 02", {}},
    {"one_filter_v3", v3, s, "82 06 0001 0001'a' 02", {}},
    {"MQTT_3_8_1_1_flags", v3, s, "80 06 0001 0001'a' 00", errc::malformed_packet, malformed},
    {"MQTT_2_2_1_3_id_0", v3, s, "82 06 0000 0001'a' 00", errc::protocol_error, broken},
    {"MQTT_3_8_3_2_no_filter", v5, s, "82 03 0001 00", errc::protocol_error, broken},
    {"MQTT_3_8_3_3_no_filter_v3", v3, s, "82 02 0001", errc::protocol_error, broken},
    {"options_missing", v5, s, "82 06 0001 00 0001'a'", errc::malformed_packet, malformed},
    {"section_3_8_3_1_qos_3", v5, s, "82 07 0001 00 0001'a' 03", errc::protocol_error, broken},
    {"v3_MQTT_3_8_3_4_qos_3", v3, s, "82 06 0001 0001'a' 03", errc::malformed_packet, malformed},
    {"v3_MQTT_3_8_3_4_reserved_bits", v3, s, "82 06 0001 0001'a' 04", errc::malformed_packet, malformed},
    {"MQTT_3_8_3_5_reserved_bits", v5, s, "82 07 0001 00 0001'a' 40", errc::malformed_packet, malformed},
    {"section_3_8_3_1_retain_handling_3", v5, s, "82 07 0001 00 0001'a' 30", errc::protocol_error, broken},
    {"all_options", v5, s, "82 07 0001 00 0001'a' 2E", {}},
    {"MQTT_3_8_3_1_filter_not_utf8", v5, s, "82 07 0001 00 0001 FF 00", errc::malformed_packet, malformed},
    {"MQTT_1_5_4_2_filter_with_nul", v5, s, "82 07 0001 00 0001 00 00", errc::malformed_packet, malformed},
    {"MQTT_4_7_3_1_filter_empty", v5, s, "82 06 0001 00 0000 00", errc::invalid_topic_filter, bad_filter},
    {"MQTT_4_7_1_1_hash_not_last", v5, s, "82 09 0001 00 0003'#/a' 00", errc::invalid_topic_filter,
     bad_filter},
    {"MQTT_4_7_1_1_hash_not_alone", v5, s, "82 08 0001 00 0002'a#' 00", errc::invalid_topic_filter,
     bad_filter},
    {"MQTT_4_7_1_2_plus_not_alone", v5, s, "82 08 0001 00 0002'a+' 00", errc::invalid_topic_filter,
     bad_filter},
    {"second_filter_wrong", v5, s, "82 0B 0001 00 0001'a' 00 0001'#' 40", errc::malformed_packet, malformed},
    {"MQTT_4_8_2_1_share_name_missing", v5, s, "82 0F 0001 00 0009'$share//a' 00", errc::invalid_share_name,
     bad_filter},
    {"MQTT_4_8_2_2_share_name_wildcard", v5, s, "82 10 0001 00 000A'$share/+/a' 00", errc::invalid_share_name,
     bad_filter},
    {"MQTT_4_8_2_2_share_filter_missing", v5, s, "82 0E 0001 00 0008'$share/g' 00", errc::invalid_share_name,
     bad_filter},
    {"MQTT_3_8_3_4_no_local_on_a_shared_filter", v5, s, "82 10 0001 00 000A'$share/g/a' 04",
     errc::protocol_error, broken},
    {"shared_filter", v5, s, "82 10 0001 00 000A'$share/g/a' 01", {}},
    {"section_3_8_2_1_2_subscription_id_0", v5, s, "82 09 0001 02 0B00 0001'a' 00", errc::protocol_error,
     broken},
    {"section_3_8_2_1_2_subscription_id_twice", v5, s, "82 0B 0001 04 0B01 0B02 0001'a' 00",
     errc::protocol_error, broken},
    {"section_2_2_2_2_property_of_publish", v5, s, "82 09 0001 02 0100 0001'a' 00", errc::malformed_packet,
     malformed},
    {"suback_v5", v5, c, "90 05 0001 00 00 87", {}},
    {"suback_v3", v3, c, "90 04 0001 02 80", {}},
    {"suback_id_0", v5, c, "90 04 0000 00 00", errc::protocol_error, broken},
    {"suback_without_codes", v5, c, "90 03 0001 00", errc::malformed_packet, malformed},
    {"MQTT_3_9_3_2_suback_reason", v5, c, "90 04 0001 00 92", errc::malformed_packet, malformed},
    {"v3_MQTT_3_9_3_2_suback_code", v3, c, "90 03 0001 03", errc::malformed_packet, malformed},
    {"v3_suback_code_of_5_0", v3, c, "90 03 0001 87", errc::malformed_packet, malformed},
    {"MQTT_2_1_3_1_suback_flags", v3, c, "92 03 0001 00", errc::malformed_packet, malformed},
};
TROUPE_DECODE_RULES(subscribe_rules, rules);

TEST(decode_subscribe, gives_its_lines_without_copying) {
  const padded body = hex("0007 02 0B05 0003'a/+' 01 000A'$share/g/#' 2A");
  const auto packet = decode_subscribe(0x82, body, v5);
  ASSERT_TRUE(packet) << packet.error().message();
  EXPECT_EQ(packet->id, 7);
  EXPECT_EQ(packet->properties.number(property::subscription_identifier), 5U);
  ASSERT_EQ(packet->filters.size(), 2U);
  std::vector<subscription> lines;
  for (const subscription& line : packet->filters) lines.push_back(line);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].filter, "a/+");
  EXPECT_EQ(lines[0].quality, qos::at_least_once);
  EXPECT_FALSE(lines[0].retain_as_published);
  EXPECT_EQ(lines[1].filter, "$share/g/#");
  EXPECT_EQ(lines[1].quality, qos::exactly_once);
  EXPECT_TRUE(lines[1].retain_as_published);
  EXPECT_FALSE(lines[1].no_local);
  EXPECT_EQ(lines[1].handling, retain_handling::do_not_send);
}

TEST(encode_subscribe, writes_both_versions) {
  const subscription lines[] = {
      {.filter = "a", .quality = qos::exactly_once},
      {.filter = "b/#", .no_local = true, .handling = retain_handling::send_if_new}};
  byte_outbox out;
  ASSERT_TRUE(encode_subscribe(out, 5, lines, {}, v5));
  EXPECT_EQ(out.dumped(), dump("82 0D 0005 00 0001'a' 02 0003'b/#' 14"));
  EXPECT_EQ(out.bytes().size(), encoded_subscribe_size(lines, {}, v5));
  out.clear();
  ASSERT_TRUE(encode_subscribe(out, 5, std::span{lines}.first(1), {}, v3));
  EXPECT_EQ(out.dumped(), dump("82 06 0005 0001'a' 02"));
}

TEST(encode_subscribe, refuses_before_the_first_octet) {
  property_block ids;
  ASSERT_TRUE(ids.add_subscription_identifier(1));
  property_block two_ids = ids;
  ASSERT_TRUE(two_ids.add_subscription_identifier(2));
  const struct {
    const char* name;
    version v;
    packet_id id;
    std::vector<subscription> lines;
    properties_view properties;
    errc expected;
  } cases[] = {
      {"id 0", v5, 0, {{.filter = "a"}}, {}, errc::invalid_packet_id},
      {"MQTT_3_8_3_2", v5, 1, {}, {}, errc::invalid_argument},
      {"MQTT_4_7_1_1", v5, 1, {{.filter = "a"}, {.filter = "#/a"}}, {}, errc::invalid_topic_filter},
      {"MQTT_4_8_2_1", v5, 1, {{.filter = "$share//a"}}, {}, errc::invalid_share_name},
      {"MQTT_3_8_3_4", v5, 1, {{.filter = "$share/g/a", .no_local = true}}, {}, errc::invalid_argument},
      {"qos 3", v5, 1, {{.filter = "a", .quality = static_cast<qos>(3)}}, {}, errc::invalid_argument},
      {"retain handling 3",
       v5,
       1,
       {{.filter = "a", .handling = static_cast<retain_handling>(3)}},
       {},
       errc::invalid_argument},
      {"F004 no local in 3.1.1", v3, 1, {{.filter = "a", .no_local = true}}, {}, errc::version_mismatch},
      {"F004 retain as published in 3.1.1",
       v3,
       1,
       {{.filter = "a", .retain_as_published = true}},
       {},
       errc::version_mismatch},
      {"F004 retain handling in 3.1.1",
       v3,
       1,
       {{.filter = "a", .handling = retain_handling::do_not_send}},
       {},
       errc::version_mismatch},
      {"F004 property in 3.1.1", v3, 1, {{.filter = "a"}}, ids.view(), errc::version_mismatch},
      {"two identifiers", v5, 1, {{.filter = "a"}}, two_ids.view(), errc::property_not_allowed},
  };
  for (const auto& [name, v, id, lines, properties, expected] : cases) {
    byte_outbox out;
    EXPECT_EQ(encode_subscribe(out, id, lines, properties, v).error(), expected) << name;
    EXPECT_TRUE(out.empty()) << name;
  }
}

TEST(suback, goes_both_ways_and_says_0x80_for_every_refusal_in_3_1_1) {
  const reason_code codes[] = {reason_code::granted_qos_1, reason_code::not_authorized,
                               reason_code::unspecified_error};
  const suback packet{.id = 3, .codes = codes};
  byte_outbox out;
  ASSERT_TRUE(encode_suback(out, packet, v5));
  EXPECT_EQ(out.bytes().size(), encoded_size(packet, v5));
  ASSERT_TRUE(encode_suback(out, packet, v3));
  EXPECT_EQ(out.dumped(), dump("90 06 0003 00 01 87 80 | 90 05 0003 01 80 80"));
  const padded body = hex("0003 00 01 87 80");
  const auto back = decode_suback(0x90, body, v5);
  ASSERT_TRUE(back);
  EXPECT_TRUE(std::ranges::equal(back->codes, codes));
}

TEST(encode_suback, refuses_before_the_first_octet) {
  const reason_code wrong[] = {reason_code::packet_identifier_not_found};
  const reason_code right[] = {reason_code::success};
  byte_outbox out;
  EXPECT_EQ(encode_suback(out, {.id = 0, .codes = right}, v5).error(), errc::invalid_packet_id);
  EXPECT_EQ(encode_suback(out, {.id = 1}, v5).error(), errc::invalid_argument);
  EXPECT_EQ(encode_suback(out, {.id = 1, .codes = wrong}, v5).error(), errc::invalid_reason_code);
  EXPECT_TRUE(out.empty());
}

RC_GTEST_PROP(subscribe_round_trip, what_was_encoded_is_decoded, ()) {
  const auto names = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string{"ab/"})))));
  std::vector<subscription> lines;
  for (const auto& name : names)
    lines.push_back({.filter = name,
                     .quality = static_cast<qos>(*rc::gen::inRange(0, 3)),
                     .no_local = *rc::gen::arbitrary<bool>(),
                     .retain_as_published = *rc::gen::arbitrary<bool>(),
                     .handling = static_cast<retain_handling>(*rc::gen::inRange(0, 3))});
  byte_outbox out;
  RC_ASSERT(encode_subscribe(out, 9, lines, {}, v5));
  const padded bytes{octets{out.bytes()}};
  framer cutter;
  cutter.feed(bytes);
  const auto cut = cutter.next();
  RC_ASSERT(cut);
  const auto back = decode_subscribe(cut->first, cut->body, v5);
  RC_ASSERT(back);
  RC_ASSERT(back->filters.size() == lines.size());
  std::size_t i = 0;
  for (const subscription line : back->filters) {
    RC_ASSERT(line.filter == lines[i].filter);
    RC_ASSERT(line.quality == lines[i].quality);
    RC_ASSERT(line.no_local == lines[i].no_local);
    RC_ASSERT(line.retain_as_published == lines[i].retain_as_published);
    RC_ASSERT(line.handling == lines[i].handling);
    ++i;
  }
}

} // namespace
