#include "support/rules.hpp"

#include <troupe/protocol/unsubscribe.hpp>

#include <algorithm>
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
    {"one_filter_v5", v5, s, "A2 06 0001 00 0001'a'", {}},
    {"one_filter_v3", v3, s, "A2 05 0001 0001'a'", {}},
    {"MQTT_3_10_1_1_flags", v3, s, "A0 05 0001 0001'a'", errc::malformed_packet, malformed},
    {"MQTT_2_2_1_3_id_0", v3, s, "A2 05 0000 0001'a'", errc::protocol_error, broken},
    {"MQTT_3_10_3_2_no_filter", v5, s, "A2 03 0001 00", errc::protocol_error, broken},
    {"MQTT_3_10_3_2_no_filter_v3", v3, s, "A2 02 0001", errc::protocol_error, broken},
    {"MQTT_3_10_3_1_filter_not_utf8", v5, s, "A2 06 0001 00 0001 C1", errc::malformed_packet, malformed},
    {"MQTT_4_7_1_1_hash_not_last", v5, s, "A2 08 0001 00 0003'#/a'", errc::invalid_topic_filter, bad_filter},
    {"MQTT_4_7_3_1_filter_empty", v3, s, "A2 04 0001 0000", errc::invalid_topic_filter, bad_filter},
    {"filter_cut_off", v3, s, "A2 05 0001 0002'a'", errc::malformed_packet, malformed},
    {"property_of_subscribe", v5, s, "A2 08 0001 02 0B01 0001'a'", errc::malformed_packet, malformed},
    {"unsuback_v5", v5, c, "B0 05 0001 00 00 11", {}},
    {"unsuback_v3", v3, c, "B0 02 0001", {}},
    {"unsuback_over_long_v3", v3, c, "B0 03 0001 00", errc::malformed_packet, malformed},
    {"unsuback_without_codes", v5, c, "B0 03 0001 00", errc::malformed_packet, malformed},
    {"MQTT_3_11_3_2_unsuback_reason", v5, c, "B0 04 0001 00 01", errc::malformed_packet, malformed},
    {"unsuback_id_0", v3, c, "B0 02 0000", errc::protocol_error, broken},
};
TROUPE_DECODE_RULES(unsubscribe_rules, rules);

TEST(unsubscribe, goes_both_ways) {
  const std::string_view filters[] = {"a/+", "b"};
  property_block properties;
  ASSERT_TRUE(properties.add_user_property("k", "v"));
  byte_outbox out;
  ASSERT_TRUE(encode_unsubscribe(out, 8, filters, properties.view(), v5));
  EXPECT_EQ(out.dumped(), dump("A2 12 0008 07 26 0001'k' 0001'v' 0003'a/+' 0001'b'"));
  EXPECT_EQ(out.bytes().size(), encoded_unsubscribe_size(filters, properties.view(), v5));
  const padded whole{octets{out.bytes()}};
  const auto back = decode_unsubscribe(0xA2, whole.view().subspan(2), v5);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->filters.size(), 2U);
  std::vector<std::string_view> seen;
  for (const std::string_view filter : back->filters) seen.push_back(filter);
  EXPECT_TRUE(std::ranges::equal(seen, filters));
  out.clear();
  ASSERT_TRUE(encode_unsubscribe(out, 8, filters, {}, v3));
  EXPECT_EQ(out.dumped(), dump("A2 0A 0008 0003'a/+' 0001'b'"));
}

auto refused(version v, packet_id id, std::vector<std::string_view> filters,
             properties_view properties = {}) {
  return [=](outbox& out) { return encode_unsubscribe(out, id, filters, properties, v); };
}

const std::vector<encode_rule> refusals{
    {"MQTT_2_2_1_3_id_0", errc::invalid_packet_id, refused(v5, 0, {"a"})},
    {"MQTT_3_10_3_2_no_filter", errc::invalid_argument, refused(v5, 1, {})},
    {"MQTT_4_7_1_1_hash_not_alone", errc::invalid_topic_filter, refused(v5, 1, {"a", "b#"})},
    {"MQTT_4_7_3_1_filter_empty", errc::invalid_topic_filter, refused(v3, 1, {""})},
    {"MQTT_3_10_3_1_filter_not_utf8", errc::invalid_topic_filter, refused(v5, 1, {"\xED\xA0\x80"})},
    {"MQTT_4_8_2_1_share_name_missing", errc::invalid_share_name, refused(v5, 1, {"$share//a"})},
    {"F004_property_in_3_1_1", errc::version_mismatch,
     refused(v3, 1, {"a"}, with([](auto& block) { EXPECT_TRUE(block.add_user_property("k", "v")); }))},
    {"section_2_2_2_2_property_of_another_packet", errc::property_not_allowed,
     refused(v5, 1, {"a"}, with(property::topic_alias, 1U))},
};
TROUPE_ENCODE_RULES(unsubscribe_refusals, refusals);

TEST(unsuback, goes_both_ways) {
  const reason_code codes[] = {reason_code::success, reason_code::no_subscription_existed};
  const unsuback packet{.id = 3, .codes = codes};
  byte_outbox out;
  ASSERT_TRUE(encode_unsuback(out, packet, v5));
  EXPECT_EQ(out.bytes().size(), encoded_size(packet, v5));
  ASSERT_TRUE(encode_unsuback(out, packet, v3));
  EXPECT_EQ(out.dumped(), dump("B0 05 0003 00 00 11 | B0 02 0003"));
  const auto back = decode_unsuback(0xB0, hex("0003 00 00 11"), v5);
  EXPECT_TRUE(back);
}

auto refused_unsuback(version v, packet_id id, std::vector<reason_code> codes,
                      properties_view properties = {}) {
  return [=](outbox& out) {
    return encode_unsuback(out, {.id = id, .properties = properties, .codes = codes}, v);
  };
}

const std::vector<encode_rule> unsuback_refused{
    {"MQTT_2_2_1_3_id_0", errc::invalid_packet_id, refused_unsuback(v5, 0, {reason_code::success})},
    {"MQTT_3_11_3_1_no_codes", errc::invalid_argument, refused_unsuback(v5, 1, {})},
    {"MQTT_3_11_3_2_code_of_another_packet", errc::invalid_reason_code,
     refused_unsuback(v5, 1, {reason_code::granted_qos_1})},
    {"F004_property_in_3_1_1", errc::version_mismatch,
     refused_unsuback(v3, 1, {}, with(property::reason_string, "why"))},
    {"section_2_2_2_2_property_of_another_packet", errc::property_not_allowed,
     refused_unsuback(v5, 1, {reason_code::success}, with(property::topic_alias, 1U))},
};
TROUPE_ENCODE_RULES(unsuback_refusals, unsuback_refused);

RC_GTEST_PROP(unsubscribe_round_trip, what_was_encoded_is_decoded, ()) {
  const auto names = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string{"ab/"})))));
  const std::vector<std::string_view> filters{names.begin(), names.end()};
  const version v = *rc::gen::element(v3, v5);
  byte_outbox out;
  RC_ASSERT(encode_unsubscribe(out, 78, filters, {}, v));
  const padded bytes{octets{out.bytes()}};
  RC_ASSERT(bytes.size() == encoded_unsubscribe_size(filters, {}, v));
  framer cutter;
  cutter.set_version(v);
  cutter.feed(bytes);
  const auto cut = cutter.next();
  RC_ASSERT(cut);
  const auto back = decode_unsubscribe(cut->first, cut->body, v);
  RC_ASSERT(back);
  RC_ASSERT(back->id == 78);
  std::vector<std::string_view> seen;
  for (const std::string_view filter : back->filters) seen.push_back(filter);
  RC_ASSERT(seen == filters);
}

} // namespace
