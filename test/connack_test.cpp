#include "support/rules.hpp"

#include <troupe/protocol/connack.hpp>

#include <algorithm>
#include <rapidcheck/gtest.h>

namespace {

using namespace troupe::protocol;
using namespace support;

constexpr auto malformed = reason_code::malformed_packet;
constexpr auto broken = reason_code::protocol_error;
constexpr auto c = role::client;

const std::vector<decode_rule> rules{
    {"success_v5", v5, c, "20 03 00 00 00", {}},
    {"success_v3", v3, c, "20 02 01 00", {}},
    {"MQTT_2_1_3_1_flags", v5, c, "22 03 00 00 00", errc::malformed_packet, malformed},
    {"MQTT_3_2_2_1_reserved_flags", v5, c, "20 03 02 00 00", errc::malformed_packet, malformed},
    {"MQTT_3_2_2_6_session_present_in_a_refusal", v5, c, "20 03 01 87 00", errc::protocol_error, broken},
    {"MQTT_3_2_2_4_session_present_in_a_refusal_v3", v3, c, "20 02 01 05", errc::protocol_error, broken},
    {"MQTT_3_2_2_8_reason_of_another_packet", v5, c, "20 03 00 92 00", errc::malformed_packet, malformed},
    {"unknown_return_code_v3", v3, c, "20 02 00 06", errc::malformed_packet, malformed},
    {"over_long_v3", v3, c, "20 03 00 00 00", errc::malformed_packet, malformed},
    {"over_long_v5", v5, c, "20 04 00 00 00 00", errc::malformed_packet, malformed},
    {"no_property_length", v5, c, "20 02 00 00", errc::malformed_packet, malformed},
    {"MQTT_3_1_2_2_refusal_of_the_version_in_the_older_form", v5, c, "20 02 00 01", {}},
    {"empty", v5, c, "20 00", errc::malformed_packet, malformed},
    {"section_3_2_2_3_4_maximum_qos_2", v5, c, "20 05 00 00 02 24 02", errc::protocol_error, broken},
    {"section_3_2_2_3_5_retain_available_2", v5, c, "20 05 00 00 02 25 02", errc::protocol_error, broken},
    {"section_3_2_2_3_3_receive_maximum_0", v5, c, "20 06 00 00 03 21 0000", errc::protocol_error, broken},
    {"section_3_2_2_3_6_maximum_packet_size_0", v5, c, "20 08 00 00 05 27 00000000", errc::protocol_error,
     broken},
    {"section_3_2_2_3_11_wildcard_2", v5, c, "20 05 00 00 02 28 02", errc::protocol_error, broken},
    {"section_3_2_2_3_12_identifiers_2", v5, c, "20 05 00 00 02 29 02", errc::protocol_error, broken},
    {"section_3_2_2_3_13_shared_2", v5, c, "20 05 00 00 02 2A 02", errc::protocol_error, broken},
    {"section_3_2_2_3_14_keep_alive_twice", v5, c, "20 09 00 00 06 13 0001 13 0002", errc::protocol_error,
     broken},
    {"section_2_2_2_2_property_of_connect", v5, c, "20 05 00 00 02 17 01", errc::malformed_packet, malformed},
};
TROUPE_DECODE_RULES(connack_rules, rules);

TEST(decode_connack, maps_the_return_codes_of_3_1_1) {
  const reason_code expected[] = {reason_code::success,
                                  reason_code::unsupported_protocol_version,
                                  reason_code::client_identifier_not_valid,
                                  reason_code::server_unavailable,
                                  reason_code::bad_user_name_or_password,
                                  reason_code::not_authorized};
  for (octet code = 0; code < 6; ++code) {
    const padded body{octets{std::array<octet, 2>{0, code}}};
    const auto packet = decode_connack(0x20, body, v3);
    ASSERT_TRUE(packet);
    EXPECT_EQ(packet->reason, expected[code]);
    EXPECT_EQ(to_return_code(packet->reason), code);
  }
}

TEST(decode_connack, gives_what_the_server_allows) {
  const padded body = hex("01 00 0A 24 01 21 0014 22 000A 25 00");
  const auto packet = decode_connack(0x20, body, v5);
  ASSERT_TRUE(packet);
  EXPECT_TRUE(packet->session_present);
  EXPECT_EQ(packet->properties.number(property::maximum_qos), 1U);
  EXPECT_EQ(packet->properties.number(property::receive_maximum), 20U);
  EXPECT_EQ(packet->properties.number(property::topic_alias_maximum), 10U);
  EXPECT_EQ(packet->properties.number(property::retain_available), 0U);
}

TEST(encode_connack, writes_both_versions) {
  byte_outbox out;
  property_block properties;
  ASSERT_TRUE(properties.set(property::server_keep_alive, 30U));
  ASSERT_TRUE(encode_connack(out, {.session_present = true}, v3));
  ASSERT_TRUE(encode_connack(out, {.reason = reason_code::banned}, v3));
  ASSERT_TRUE(encode_connack(out, {.reason = reason_code::success, .properties = properties.view()}, v5));
  EXPECT_EQ(out.dumped(), dump("20 02 01 00 | 20 02 00 05 | 20 06 00 00 03 13 001E"));
}

auto refused(version v, const connack& packet) {
  return [=](outbox& out) { return encode_connack(out, packet, v); };
}

const std::vector<encode_rule> refusals{
    {"MQTT_3_2_2_6_session_present_in_a_refusal", errc::invalid_argument,
     refused(v5, {.session_present = true, .reason = reason_code::banned})},
    {"MQTT_3_2_2_8_reason_of_another_packet", errc::invalid_reason_code,
     refused(v5, {.reason = reason_code::packet_identifier_in_use})},
    {"F004_property_in_3_1_1", errc::version_mismatch,
     refused(v3, {.properties = with(property::server_keep_alive, 30U)})},
    {"section_2_2_2_2_property_of_another_packet", errc::property_not_allowed,
     refused(v5, {.properties = with(property::topic_alias, 30U)})},
};
TROUPE_ENCODE_RULES(connack_refusals, refusals);

RC_GTEST_PROP(connack_round_trip, what_was_encoded_is_decoded, ()) {
  const version v = *rc::gen::element(v3, v5);
  property_block block;
  connack packet;
  if (*rc::gen::arbitrary<bool>())
    packet.reason = *rc::gen::element(reason_code::not_authorized, reason_code::server_unavailable);
  else
    packet.session_present = *rc::gen::arbitrary<bool>();
  if (v == v5) {
    if (*rc::gen::arbitrary<bool>())
      RC_ASSERT(block.set(property::receive_maximum, *rc::gen::inRange<std::uint32_t>(1, 65'536)));
    RC_ASSERT(
        block.set(property::reason_string, *rc::gen::container<std::string>(rc::gen::inRange('a', 'z'))));
    packet.properties = block.view();
  }
  byte_outbox out;
  RC_ASSERT(encode_connack(out, packet, v));
  const padded bytes{octets{out.bytes()}};
  RC_ASSERT(bytes.size() == encoded_size(packet, v));
  framer cutter;
  cutter.set_version(v);
  cutter.feed(bytes);
  const auto cut = cutter.next();
  RC_ASSERT(cut);
  const auto back = decode_connack(cut->first, cut->body, v);
  RC_ASSERT(back);
  RC_ASSERT(back->session_present == packet.session_present);
  RC_ASSERT(back->reason == packet.reason);
  RC_ASSERT(std::ranges::equal(back->properties.block(), packet.properties.block()));
}

} // namespace
