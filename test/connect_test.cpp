#include "support/rules.hpp"

#include <troupe/protocol/connect.hpp>

#include <rapidcheck/gtest.h>

namespace {

using namespace troupe::protocol;
using namespace support;

constexpr auto malformed = reason_code::malformed_packet;
constexpr auto broken = reason_code::protocol_error;
constexpr auto s = role::server;

const std::vector<decode_rule> rules{
    {"smallest_v5", v5, s, "10 0D 0004'MQTT' 05 02 003C 00 0000", {}},
    {"smallest_v3", v3, s, "10 0C 0004'MQTT' 04 02 003C 0000", {}},
    {"MQTT_2_1_3_1_flags", v5, s, "11 0D 0004'MQTT' 05 02 003C 00 0000", errc::malformed_packet, malformed},
    {"MQTT_3_1_2_1_protocol_name", v5, s, "10 0D 0004'MQTX' 05 02 003C 00 0000", errc::malformed_packet,
     malformed},
    {"MQTT_3_1_2_1_protocol_name_length", v5, s, "10 0D 0005'MQTT' 05 02 003C 00 0000",
     errc::malformed_packet, malformed},
    {"MQTT_3_1_2_2_level_3", v3, s, "10 0C 0004'MQTT' 03 02 003C 0000", errc::unsupported_version,
     reason_code::unsupported_protocol_version},
    {"MQTT_3_1_2_2_level_6", v5, s, "10 0D 0004'MQTT' 06 02 003C 00 0000", errc::unsupported_version,
     reason_code::unsupported_protocol_version},
    {"protocol_of_3_1", v3, s, "10 0E 0006'MQIsdp' 03 02 003C 0000", errc::unsupported_version,
     reason_code::unsupported_protocol_version},
    {"MQTT_3_1_2_3_reserved_flag", v5, s, "10 0D 0004'MQTT' 05 03 003C 00 0000", errc::malformed_packet,
     malformed},
    {"MQTT_3_1_2_3_reserved_flag_v3", v3, s, "10 0C 0004'MQTT' 04 03 003C 0000", errc::malformed_packet,
     malformed},
    {"MQTT_3_1_2_11_will_qos_without_will", v5, s, "10 0D 0004'MQTT' 05 0A 003C 00 0000",
     errc::malformed_packet, malformed},
    {"MQTT_3_1_2_13_will_retain_without_will", v5, s, "10 0D 0004'MQTT' 05 22 003C 00 0000",
     errc::malformed_packet, malformed},
    {"MQTT_3_1_2_12_will_qos_3", v5, s, "10 13 0004'MQTT' 05 1E 003C 00 0000 00 0001'w' 0000",
     errc::malformed_packet, malformed},
    {"v3_MQTT_3_1_2_22_password_without_user", v3, s, "10 0F 0004'MQTT' 04 42 003C 0000 0001'p'",
     errc::malformed_packet, malformed},
    {"password_without_user_in_5_0", v5, s, "10 10 0004'MQTT' 05 42 003C 00 0000 0001'p'", {}},
    {"MQTT_3_1_2_17_user_name_missing", v5, s, "10 0D 0004'MQTT' 05 82 003C 00 0000", errc::malformed_packet,
     malformed},
    {"MQTT_3_1_2_16_user_name_not_announced", v5, s, "10 10 0004'MQTT' 05 02 003C 00 0000 0001'u'",
     errc::malformed_packet, malformed},
    {"MQTT_3_1_3_4_client_id_not_utf8", v5, s, "10 0E 0004'MQTT' 05 02 003C 00 0001 FF",
     errc::malformed_packet, malformed},
    {"MQTT_1_5_4_2_client_id_with_nul", v3, s, "10 0D 0004'MQTT' 04 02 003C 0001 00", errc::malformed_packet,
     malformed},
    {"MQTT_3_1_3_12_user_name_not_utf8", v5, s, "10 10 0004'MQTT' 05 82 003C 00 0000 0001 C0",
     errc::malformed_packet, malformed},
    {"MQTT_3_1_3_11_will_topic_not_utf8", v5, s, "10 13 0004'MQTT' 05 06 003C 00 0000 00 0001 80 0000",
     errc::malformed_packet, malformed},
    {"MQTT_4_7_1_1_will_topic_wildcard", v5, s, "10 13 0004'MQTT' 05 06 003C 00 0000 00 0001'+' 0000",
     errc::invalid_topic_name, reason_code::topic_name_invalid},
    {"MQTT_4_7_3_1_will_topic_empty", v3, s, "10 10 0004'MQTT' 04 06 003C 0000 0000 0000",
     errc::invalid_topic_name, reason_code::topic_name_invalid},
    {"will_cut_off", v3, s, "10 0F 0004'MQTT' 04 06 003C 0000 0001'w'", errc::malformed_packet, malformed},
    {"octets_behind_the_payload", v3, s, "10 0D 0004'MQTT' 04 02 003C 0000 00", errc::malformed_packet,
     malformed},
    {"keep_alive_cut_off", v3, s, "10 09 0004'MQTT' 04 02 00", errc::malformed_packet, malformed},
    {"MQTT_3_1_2_24_receive_maximum_0", v5, s, "10 10 0004'MQTT' 05 02 003C 03 21 0000 0000",
     errc::protocol_error, broken},
    {"section_3_1_2_11_4_maximum_packet_size_0", v5, s, "10 12 0004'MQTT' 05 02 003C 05 27 00000000 0000",
     errc::protocol_error, broken},
    {"section_3_1_2_11_6_request_response_2", v5, s, "10 0F 0004'MQTT' 05 02 003C 02 19 02 0000",
     errc::protocol_error, broken},
    {"section_3_1_2_11_7_request_problem_2", v5, s, "10 0F 0004'MQTT' 05 02 003C 02 17 02 0000",
     errc::protocol_error, broken},
    {"section_3_1_2_11_2_session_expiry_twice", v5, s,
     "10 17 0004'MQTT' 05 02 003C 0A 11 00000001 11 00000001 0000", errc::protocol_error, broken},
    {"section_3_1_2_11_10_data_without_method", v5, s, "10 11 0004'MQTT' 05 02 003C 04 16 0001 00 0000",
     errc::protocol_error, broken},
    {"section_2_2_2_2_property_of_publish", v5, s, "10 0F 0004'MQTT' 05 02 003C 02 01 00 0000",
     errc::malformed_packet, malformed},
    {"will_delay_belongs_to_the_will", v5, s, "10 12 0004'MQTT' 05 02 003C 05 18 00000001 0000",
     errc::malformed_packet, malformed},
    {"will_delay_in_the_will", v5, s, "10 18 0004'MQTT' 05 06 003C 00 0000 05 18 00000001 0001'w' 0000", {}},
    {"property_block_of_the_will_in_3_1_1", v3, s, "10 11 0004'MQTT' 04 06 003C 0000 00 0001'w' 0000",
     errc::malformed_packet, malformed},
};
TROUPE_DECODE_RULES(connect_rules, rules);

TEST(decode_connect, gives_every_field_as_a_view) {
  const padded bytes = hex(
      "0004'MQTT' 05 EE 000A 05 11 00000E10 0002'id' 05 02 00000001 0003'w/t' 0002 FF00 0001'u' 0002 0001");
  const auto packet = decode_connect(0x10, bytes);
  ASSERT_TRUE(packet) << packet.error().message();
  EXPECT_EQ(packet->protocol, v5);
  EXPECT_TRUE(packet->clean_start);
  EXPECT_EQ(packet->keep_alive, 10);
  EXPECT_EQ(packet->client_id, "id");
  EXPECT_EQ(packet->properties.number(property::session_expiry_interval), 3600U);
  ASSERT_TRUE(packet->will);
  EXPECT_EQ(packet->will->topic, "w/t");
  EXPECT_EQ(dump(packet->will->payload), "FF 00");
  EXPECT_EQ(packet->will->quality, qos::at_least_once);
  EXPECT_TRUE(packet->will->retain);
  EXPECT_EQ(packet->will->properties.number(property::message_expiry_interval), 1U);
  EXPECT_EQ(packet->user_name, "u");
  ASSERT_TRUE(packet->password);
  EXPECT_EQ(dump(*packet->password), "00 01");
}

TEST(peek_version, knows_the_version_of_a_connect_that_is_wrong_further_on) {
  EXPECT_EQ(peek_version(hex("0004'MQTT' 05 03")), v5);
  EXPECT_EQ(peek_version(hex("0004'MQTT' 04")), v3);
  EXPECT_EQ(peek_version(hex("0004'MQTT' 07")), std::nullopt);
  EXPECT_EQ(peek_version(hex("0004'HTTP' 05")), std::nullopt);
  EXPECT_EQ(peek_version(hex("00")), std::nullopt);
}

TEST(encode_connect, writes_both_versions) {
  byte_outbox out;
  const std::vector<octet> password{0, 1};
  connect packet{
      .protocol = v3, .keep_alive = 60, .client_id = "c", .user_name = "u", .password = octets{password}};
  ASSERT_TRUE(encode_connect(out, packet));
  EXPECT_EQ(out.dumped(), dump("10 14 0004'MQTT' 04 C2 003C 0001'c' 0001'u' 0002 0001"));
  EXPECT_EQ(out.bytes().size(), encoded_size(packet));
  out.clear();
  property_block own;
  ASSERT_TRUE(own.set(property::receive_maximum, 20U));
  packet = {.clean_start = false, .client_id = "c", .properties = own.view()};
  packet.will = will_view{.topic = "w", .payload = password, .quality = qos::exactly_once, .retain = true};
  ASSERT_TRUE(encode_connect(out, packet));
  EXPECT_EQ(out.dumped(), dump("10 19 0004'MQTT' 05 34 0000 03 21 0014 0001'c' 00 0001'w' 0002 0001"));
  EXPECT_EQ(out.bytes().size(), encoded_size(packet));
}

const std::string too_long(65'536, 'x');

auto refused(const connect& packet) {
  return [=](outbox& out) { return encode_connect(out, packet); };
}
auto refused_will(version v, const will_view& will) {
  connect packet{.protocol = v, .client_id = "c"};
  packet.will = will;
  return refused(packet);
}

const std::vector<encode_rule> refusals{
    {"MQTT_3_1_3_4_client_id_not_utf8", errc::invalid_text, refused({.client_id = "\xFF"})},
    {"section_1_5_4_client_id_too_long", errc::invalid_text, refused({.client_id = too_long})},
    {"MQTT_1_5_4_2_user_name_with_nul", errc::invalid_text,
     refused({.user_name = std::string_view{"\0", 1}})},
    {"section_1_5_6_password_too_long", errc::invalid_argument,
     refused({.user_name = "u", .password = as_octets(too_long)})},
    {"v3_MQTT_3_1_2_22_password_without_user", errc::version_mismatch,
     refused({.protocol = v3, .client_id = "c", .password = octets{}})},
    {"v3_MQTT_3_1_3_7_no_client_id_for_a_session", errc::invalid_argument,
     refused({.protocol = v3, .clean_start = false})},
    {"F004_property_in_3_1_1", errc::version_mismatch,
     refused({.protocol = v3, .properties = with(property::session_expiry_interval, 1U)})},
    {"F004_will_property_in_3_1_1", errc::version_mismatch,
     refused_will(v3, {.topic = "w", .properties = with(property::will_delay_interval, 1U)})},
    {"section_2_2_2_2_property_of_another_packet", errc::property_not_allowed,
     refused({.properties = with(property::topic_alias, 1U)})},
    {"section_2_2_2_2_will_property_of_another_packet", errc::property_not_allowed,
     refused_will(v5, {.topic = "w", .properties = with(property::topic_alias, 1U)})},
    {"section_3_1_2_11_10_data_without_method", errc::invalid_argument,
     refused({.properties = with(property::authentication_data, as_octets("d"))})},
    {"MQTT_4_7_3_1_will_topic_empty", errc::invalid_topic_name, refused_will(v5, {})},
    {"MQTT_4_7_1_1_will_topic_wildcard", errc::invalid_topic_name, refused_will(v5, {.topic = "#"})},
    {"MQTT_3_1_3_11_will_topic_not_utf8", errc::invalid_topic_name, refused_will(v3, {.topic = "\xFF"})},
    {"section_1_5_6_will_payload_too_long", errc::packet_too_large,
     refused_will(v5, {.topic = "w", .payload = as_octets(too_long)})},
    {"MQTT_3_1_2_12_will_qos_3", errc::invalid_argument,
     refused_will(v5, {.topic = "w", .quality = static_cast<qos>(3)})},
    {"MQTT_3_1_2_2_level_3", errc::unsupported_version, refused({.protocol = static_cast<version>(3)})},
};
TROUPE_ENCODE_RULES(connect_refusals, refusals);

RC_GTEST_PROP(connect_round_trip, what_was_encoded_is_decoded, ()) {
  const auto text = [] { return *rc::gen::container<std::string>(rc::gen::inRange('a', 'z')); };
  const std::string id = text(), user = text(), topic = "t" + text();
  const auto secret = *rc::gen::arbitrary<std::vector<octet>>();
  connect packet{.protocol = *rc::gen::element(v3, v5),
                 .clean_start = true,
                 .keep_alive = *rc::gen::arbitrary<std::uint16_t>(),
                 .client_id = id};
  if (*rc::gen::arbitrary<bool>()) packet.user_name = user;
  if (packet.user_name && *rc::gen::arbitrary<bool>()) packet.password = octets{secret};
  if (*rc::gen::arbitrary<bool>())
    packet.will = will_view{.topic = topic,
                            .payload = secret,
                            .quality = static_cast<qos>(*rc::gen::inRange(0, 3)),
                            .retain = *rc::gen::arbitrary<bool>()};
  byte_outbox out;
  RC_ASSERT(encode_connect(out, packet));
  const padded bytes{octets{out.bytes()}};
  framer cutter;
  cutter.feed(bytes);
  const auto cut = cutter.next();
  RC_ASSERT(cut);
  const auto back = decode_connect(cut->first, cut->body);
  RC_ASSERT(back);
  RC_ASSERT(back->client_id == id);
  RC_ASSERT(back->user_name == packet.user_name);
  RC_ASSERT(back->password.has_value() == packet.password.has_value());
  RC_ASSERT(back->will.has_value() == packet.will.has_value());
  if (back->will) {
    RC_ASSERT(back->will->topic == topic);
    RC_ASSERT(back->will->quality == packet.will->quality);
    RC_ASSERT(std::ranges::equal(back->will->payload, secret));
  }
  byte_outbox again;
  RC_ASSERT(encode_connect(again, *back));
  RC_ASSERT(again.bytes() == out.bytes());
}

} // namespace
