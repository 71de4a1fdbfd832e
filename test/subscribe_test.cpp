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

auto refused(version v, packet_id id, std::vector<subscription> lines, properties_view properties = {}) {
  return [=](outbox& out) { return encode_subscribe(out, id, lines, properties, v); };
}
auto refused(const subscription& line, version v = v5) { return refused(v, 1, {line}); }

properties_view identifiers(unsigned count) {
  return with([=](property_block& block) {
    for (unsigned n = 1; n <= count; ++n) EXPECT_TRUE(block.add_subscription_identifier(n));
  });
}

const std::vector<encode_rule> refusals{
    {"MQTT_2_2_1_3_id_0", errc::invalid_packet_id, refused(v5, 0, {{.filter = "a"}})},
    {"MQTT_3_8_3_2_no_filter", errc::invalid_argument, refused(v5, 1, {})},
    {"MQTT_4_7_3_1_filter_empty", errc::invalid_topic_filter, refused({.filter = ""})},
    {"MQTT_3_8_3_1_filter_not_utf8", errc::invalid_topic_filter, refused({.filter = "\xFF"})},
    {"MQTT_1_5_4_2_filter_with_nul", errc::invalid_topic_filter,
     refused({.filter = std::string_view{"\0", 1}}, v3)},
    {"MQTT_4_7_1_1_hash_not_last", errc::invalid_topic_filter,
     refused(v5, 1, {{.filter = "a"}, {.filter = "#/a"}})},
    {"MQTT_4_7_1_2_plus_not_alone", errc::invalid_topic_filter, refused({.filter = "a+"}, v3)},
    {"MQTT_4_8_2_1_share_name_missing", errc::invalid_share_name, refused({.filter = "$share//a"})},
    {"MQTT_4_8_2_2_share_name_wildcard", errc::invalid_share_name, refused({.filter = "$share/+/a"})},
    {"MQTT_3_8_3_4_no_local_on_a_shared_filter", errc::invalid_argument,
     refused({.filter = "$share/g/a", .no_local = true})},
    {"section_3_8_3_1_qos_3", errc::invalid_argument,
     refused({.filter = "a", .quality = static_cast<qos>(3)})},
    {"section_3_8_3_1_retain_handling_3", errc::invalid_argument,
     refused({.filter = "a", .handling = static_cast<retain_handling>(3)})},
    {"F004_no_local_in_3_1_1", errc::version_mismatch, refused({.filter = "a", .no_local = true}, v3)},
    {"F004_retain_as_published_in_3_1_1", errc::version_mismatch,
     refused({.filter = "a", .retain_as_published = true}, v3)},
    {"F004_retain_handling_in_3_1_1", errc::version_mismatch,
     refused({.filter = "a", .handling = retain_handling::do_not_send}, v3)},
    {"F004_property_in_3_1_1", errc::version_mismatch, refused(v3, 1, {{.filter = "a"}}, identifiers(1))},
    {"section_3_8_2_1_2_two_identifiers", errc::property_not_allowed,
     refused(v5, 1, {{.filter = "a"}}, identifiers(2))},
    {"section_2_2_2_2_property_of_another_packet", errc::property_not_allowed,
     refused(v5, 1, {{.filter = "a"}}, with(property::topic_alias, 1U))},
};
TROUPE_ENCODE_RULES(subscribe_refusals, refusals);

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

auto refused_suback(version v, packet_id id, std::vector<reason_code> codes,
                    properties_view properties = {}) {
  return [=](outbox& out) {
    return encode_suback(out, {.id = id, .properties = properties, .codes = codes}, v);
  };
}

const std::vector<encode_rule> suback_refused{
    {"MQTT_2_2_1_3_id_0", errc::invalid_packet_id, refused_suback(v5, 0, {reason_code::success})},
    {"MQTT_3_8_4_5_no_codes", errc::invalid_argument, refused_suback(v5, 1, {})},
    {"MQTT_3_9_3_2_code_of_another_packet", errc::invalid_reason_code,
     refused_suback(v5, 1, {reason_code::packet_identifier_not_found})},
    {"F004_property_in_3_1_1", errc::version_mismatch,
     refused_suback(v3, 1, {reason_code::success}, with(property::reason_string, "why"))},
    {"section_2_2_2_2_property_of_another_packet", errc::property_not_allowed,
     refused_suback(v5, 1, {reason_code::success}, with(property::topic_alias, 1U))},
};
TROUPE_ENCODE_RULES(suback_refusals, suback_refused);

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

RC_GTEST_PROP(suback_round_trip, what_was_encoded_is_decoded, ()) {
  const auto codes = *rc::gen::nonEmpty(rc::gen::container<std::vector<reason_code>>(
      rc::gen::element(reason_code::granted_qos_0, reason_code::granted_qos_1, reason_code::granted_qos_2,
                       reason_code::unspecified_error)));
  const version v = *rc::gen::element(v3, v5);
  byte_outbox out;
  RC_ASSERT(encode_suback(out, {.id = 77, .codes = codes}, v));
  const padded bytes{octets{out.bytes()}};
  framer cutter;
  cutter.set_version(v);
  cutter.feed(bytes);
  const auto cut = cutter.next();
  RC_ASSERT(cut);
  const auto back = decode_suback(cut->first, cut->body, v);
  RC_ASSERT(back);
  RC_ASSERT(back->id == 77);
  RC_ASSERT(std::ranges::equal(back->codes, codes));
}

} // namespace
