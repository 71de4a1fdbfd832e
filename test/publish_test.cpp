#include "support/rules.hpp"

#include <troupe/protocol/publish.hpp>
#include <troupe/protocol/utf8.hpp>

#include <functional>
#include <memory>
#include <rapidcheck/gtest.h>

namespace {

using namespace troupe::protocol;
using namespace support;

constexpr auto to_server = role::server;
constexpr auto to_client = role::client;
constexpr auto malformed = reason_code::malformed_packet;
constexpr auto broken = reason_code::protocol_error;

const std::vector<decode_rule> rules{
    {"MQTT_3_3_1_4_qos_3", v5, to_server, "36 06 0001'a' 0001 00", errc::malformed_packet, malformed},
    {"MQTT_3_3_1_4_qos_3_v3", v3, to_server, "36 05 0001'a' 0001", errc::malformed_packet, malformed},
    {"MQTT_3_3_1_2_dup_with_qos_0", v5, to_server, "38 04 0001'a' 00", errc::malformed_packet, malformed},
    {"MQTT_3_3_1_2_dup_with_qos_0_v3", v3, to_server, "38 03 0001'a'", errc::malformed_packet, malformed},
    {"MQTT_2_2_1_3_packet_id_0", v5, to_server, "32 06 0001'a' 0000 00", errc::protocol_error, broken},
    {"MQTT_2_2_1_3_packet_id_0_v3", v3, to_server, "32 05 0001'a' 0000", errc::protocol_error, broken},
    {"packet_id_cut_off", v3, to_server, "32 04 0001'a' 00", errc::malformed_packet, malformed},
    {"MQTT_3_3_2_2_plus_in_topic", v5, to_server, "30 06 0003'a/+' 00", errc::invalid_topic_name,
     reason_code::topic_name_invalid},
    {"MQTT_3_3_2_2_hash_topic", v3, to_server, "30 03 0001'#'", errc::invalid_topic_name,
     reason_code::topic_name_invalid},
    {"MQTT_4_7_3_1_empty_topic_v3", v3, to_server, "30 02 0000", errc::invalid_topic_name,
     reason_code::topic_name_invalid},
    {"section_3_3_2_1_empty_topic_without_alias", v5, to_server, "30 03 0000 00", errc::protocol_error,
     broken},
    {"empty_topic_with_alias", v5, to_server, "30 06 0000 03 23 0001", {}},
    {"MQTT_3_3_2_8_alias_0", v5, to_server, "30 07 0001'a' 03 23 0000", errc::topic_alias_invalid,
     reason_code::topic_alias_invalid},
    {"MQTT_1_5_4_1_topic_not_utf8", v5, to_server, "30 05 0002 C3 28 00", errc::malformed_packet, malformed},
    {"MQTT_1_5_4_1_topic_surrogate", v5, to_server, "30 06 0003 ED A0 80 00", errc::malformed_packet,
     malformed},
    {"MQTT_1_5_4_2_topic_with_nul", v3, to_server, "30 05 0003'a' 00 'b'", errc::malformed_packet, malformed},
    {"topic_length_beyond_packet", v3, to_server, "30 03 0002'a'", errc::malformed_packet, malformed},
    {"topic_length_cut_off", v3, to_server, "30 01 00", errc::malformed_packet, malformed},
    {"properties_missing", v5, to_server, "30 03 0001'a'", errc::malformed_packet, malformed},
    {"property_length_beyond_packet", v5, to_server, "30 04 0001'a' 05", errc::malformed_packet, malformed},
    {"MQTT_1_5_5_1_property_length_padded", v5, to_server, "30 05 0001'a' 80 00", errc::malformed_packet,
     malformed},
    {"property_text_beyond_block", v5, to_server, "30 0A 0001'a' 04 03 0002'x' 'yz'", errc::malformed_packet,
     malformed},
    {"property_repeated_format", v5, to_server, "30 08 0001'a' 04 0100 0101", errc::protocol_error, broken},
    {"property_repeated_expiry", v5, to_server, "30 0E 0001'a' 0A 0200000001 0200000001",
     errc::protocol_error, broken},
    {"property_format_above_1", v5, to_server, "30 06 0001'a' 02 0102", errc::protocol_error, broken},
    {"MQTT_3_3_2_14_response_topic_wildcard", v5, to_server, "30 08 0001'a' 04 08 0001'#'",
     errc::protocol_error, broken},
    {"response_topic_empty", v5, to_server, "30 07 0001'a' 03 08 0000", errc::protocol_error, broken},
    {"MQTT_3_3_2_13_response_topic_not_utf8", v5, to_server, "30 08 0001'a' 04 08 0001 FF",
     errc::malformed_packet, malformed},
    {"MQTT_3_3_2_19_content_type_not_utf8", v5, to_server, "30 08 0001'a' 04 03 0001 FF",
     errc::malformed_packet, malformed},
    {"user_property_key_with_nul", v5, to_server, "30 0B 0001'a' 07 26 0001 00 0001'v'",
     errc::malformed_packet, malformed},
    {"user_property_value_not_utf8", v5, to_server, "30 0B 0001'a' 07 26 0001'k' 0001 80",
     errc::malformed_packet, malformed},
    {"section_2_2_2_2_property_of_connect", v5, to_server, "30 09 0001'a' 05 11 00000001",
     errc::malformed_packet, malformed},
    {"section_2_2_2_2_unknown_property", v5, to_server, "30 06 0001'a' 02 7F 00", errc::malformed_packet,
     malformed},
    {"MQTT_3_3_4_6_subscription_id_to_server", v5, to_server, "30 06 0001'a' 02 0B 01", errc::protocol_error,
     broken},
    {"subscription_id_to_client", v5, to_client, "30 06 0001'a' 02 0B 01", {}},
    {"subscription_ids_to_client", v5, to_client, "30 08 0001'a' 04 0B01 0B02", {}},
    {"section_3_3_2_3_8_subscription_id_0", v5, to_client, "30 06 0001'a' 02 0B 00", errc::protocol_error,
     broken},
    {"MQTT_1_5_5_1_subscription_id_padded", v5, to_client, "30 07 0001'a' 03 0B 8100", errc::malformed_packet,
     malformed},
    {"control_characters_are_let_through", v5, to_server, "30 05 0002 01 1F 00", {}},
    {"MQTT_1_5_4_3_byte_order_mark_is_kept", v5, to_server, "30 06 0003 EF BB BF 00", {}},
    {"empty_levels", v3, to_server, "30 05 0003'//a'", {}},
    {"MQTT_1_5_5_1_remaining_length_padded", v5, to_server, "30 84 00 0001'a' 00", errc::malformed_packet,
     malformed},
    {"remaining_length_padded_v3", v3, to_server, "30 83 00 0001'a'", {}},
    {"section_1_5_5_fifth_length_octet", v5, to_server, "30 FF FF FF FF 01", errc::malformed_packet,
     malformed},
};
TROUPE_DECODE_RULES(publish_rules, rules);

publish decoded(const char* text, version v, role receiver = role::client) {
  static padded bytes;
  bytes = hex(text);
  auto packet = decode_publish(bytes.view()[0], bytes.view().subspan(2), v, receiver);
  EXPECT_TRUE(packet) << packet.error().message();
  return packet ? *packet : publish{};
}

TEST(decode_publish, gives_every_field_as_a_view) {
  const auto packet = decoded("3D 17 0003'a/b' 1234 0D 0101 02 00000E10 23 0007 0B 8101 'hello'", v5);
  EXPECT_EQ(packet.topic, "a/b");
  EXPECT_EQ(packet.id, 0x1234);
  EXPECT_EQ(packet.quality, qos::exactly_once);
  EXPECT_TRUE(packet.retain);
  EXPECT_TRUE(packet.dup);
  EXPECT_EQ(packet.topic_alias, 7);
  EXPECT_EQ(packet.properties.number(property::message_expiry_interval), 3600U);
  EXPECT_EQ(packet.properties.number(property::subscription_identifier), 129U);
  EXPECT_EQ(as_text(packet.payload), "hello");
}

TEST(decode_publish, of_3_1_1_has_no_properties) {
  const auto packet = decoded("30 05 0001'a' 0007", v3);
  EXPECT_TRUE(packet.properties.empty());
  EXPECT_EQ(dump(packet.payload), "00 07");
}

TEST(encode_publish, writes_the_shortest_packets) {
  byte_outbox out;
  ASSERT_TRUE(encode_publish(out, {.topic = "A"}, v3));
  ASSERT_TRUE(encode_publish(out, {.topic = "A"}, v5));
  EXPECT_EQ(out.dumped(), dump("30 03 0001'A' | 30 04 0001'A' 00"));
}

TEST(encode_publish, writes_the_alias_before_the_other_properties) {
  property_block properties;
  ASSERT_TRUE(properties.set(property::payload_format_indicator, 1U));
  byte_outbox out;
  const publish packet{.payload = as_octets("x"),
                       .properties = properties.view(),
                       .id = 9,
                       .topic_alias = 258,
                       .quality = qos::at_least_once};
  ASSERT_TRUE(encode_publish(out, packet, v5));
  EXPECT_EQ(out.dumped(), dump("32 0B 0000 0009 05 23 0102 01 01 'x'"));
}

TEST(encode_publish, needs_two_length_octets_from_128_on) {
  const std::string payload(124, 'p');
  for (const std::size_t size : {123U, 124U}) {
    byte_outbox out;
    const publish packet{.topic = "a", .payload = as_octets(payload).first(size)};
    ASSERT_TRUE(encode_publish(out, packet, v5));
    EXPECT_EQ(out.bytes().size(), size == 123 ? 129 : 131);
    EXPECT_EQ(out.bytes().size(), encoded_size(packet, v5));
  }
}

TEST(encode_publish, borrows_a_large_payload_that_somebody_keeps) {
  const std::string payload(borrow_threshold, 'p');
  counting_keeper owner;
  byte_outbox out;
  ASSERT_TRUE(encode_publish(out, {.topic = "a", .payload = as_octets(payload)}, v5, &owner));
  EXPECT_EQ(out.borrowed(), 1U);
  ASSERT_TRUE(encode_publish(out, {.topic = "a", .payload = as_octets(payload).first(2047)}, v5, &owner));
  ASSERT_TRUE(encode_publish(out, {.topic = "a", .payload = as_octets(payload)}, v5, nullptr));
  EXPECT_EQ(out.borrowed(), 1U);
}

const std::string too_long(65'536, 't');

auto refused(version v, const publish& packet) {
  return [=](outbox& out) {
    EXPECT_EQ(check_encodable(packet, v).error(), encode_publish(out, packet, v).error());
    return encode_publish(out, packet, v);
  };
}

const std::vector<encode_rule> refusals{
    {"MQTT_4_7_3_1_empty_topic", errc::invalid_topic_name, refused(v5, {})},
    {"MQTT_4_7_3_3_topic_too_long", errc::invalid_topic_name, refused(v5, {.topic = too_long})},
    {"MQTT_3_3_2_2_wildcard", errc::invalid_topic_name, refused(v3, {.topic = "a/#"})},
    {"MQTT_1_5_4_2_nul", errc::invalid_topic_name, refused(v3, {.topic = std::string_view{"a\0b", 3}})},
    {"MQTT_1_5_4_1_not_utf8", errc::invalid_topic_name, refused(v3, {.topic = "\xC0\x80"})},
    {"MQTT_2_2_1_2_id_with_qos_0", errc::invalid_packet_id, refused(v5, {.topic = "a", .id = 1})},
    {"MQTT_2_2_1_3_no_id_with_qos_1", errc::invalid_packet_id,
     refused(v5, {.topic = "a", .quality = qos::at_least_once})},
    {"MQTT_3_3_1_2_dup_with_qos_0", errc::invalid_argument, refused(v5, {.topic = "a", .dup = true})},
    {"MQTT_3_3_1_4_qos_3", errc::invalid_argument,
     refused(v5, {.topic = "a", .id = 1, .quality = static_cast<qos>(3)})},
    {"F004_alias_in_3_1_1", errc::version_mismatch, refused(v3, {.topic = "a", .topic_alias = 1})},
    {"MQTT_4_7_3_1_alias_alone_in_3_1_1", errc::invalid_topic_name, refused(v3, {.topic_alias = 1})},
    {"F004_property_in_3_1_1", errc::version_mismatch,
     refused(v3, {.topic = "a", .properties = with(property::content_type, "t")})},
    {"section_2_2_2_2_property_of_another_packet", errc::property_not_allowed,
     refused(v5, {.topic = "a", .properties = with(property::receive_maximum, 5U)})},
    {"section_3_3_2_3_4_alias_twice", errc::property_repeated,
     refused(v5, {.topic = "a", .properties = with(property::topic_alias, 5U), .topic_alias = 5})},
    // Nothing is read: only the size counts.
    {"section_2_1_4_more_than_four_length_octets_can_say", errc::packet_too_large,
     [](outbox& out) {
       return encode_publish(out, {.topic = "a", .payload = {as_octets("x").data(), max_remaining_length}},
                             v3);
     }},
};
TROUPE_ENCODE_RULES(publish_refusals, refusals);

TEST(encode_publish, MQTT_3_3_4_6_lets_only_servers_send_subscription_identifiers) {
  property_block ids;
  ASSERT_TRUE(ids.add_subscription_identifier(1));
  ASSERT_TRUE(ids.add_subscription_identifier(2));
  const publish packet{.topic = "a", .properties = ids.view()};
  byte_outbox out;
  EXPECT_EQ(encode_publish(out, packet, v5, nullptr, role::client).error(), errc::property_not_allowed);
  EXPECT_TRUE(encode_publish(out, packet, v5, nullptr, role::server));
}

TEST(is_payload_as_claimed, MQTT_3_3_2_4_looks_at_text_only) {
  property_block text;
  ASSERT_TRUE(text.set(property::payload_format_indicator, 1U));
  publish packet{.topic = "a", .payload = as_octets("\xFF")};
  EXPECT_TRUE(is_payload_as_claimed(packet));
  packet.properties = text.view();
  EXPECT_FALSE(is_payload_as_claimed(packet));
  packet.payload = as_octets("\xC3\xBC");
  EXPECT_TRUE(is_payload_as_claimed(packet));
}

RC_GTEST_PROP(publish_round_trip, what_was_encoded_is_decoded, ()) {
  const auto topic_size = *rc::gen::inRange(1, 90);
  const auto topic =
      *rc::gen::container<std::string>(static_cast<std::size_t>(topic_size), rc::gen::inRange('a', 'z'));
  const auto payload = *rc::gen::arbitrary<std::vector<octet>>();
  const auto quality = static_cast<qos>(*rc::gen::inRange(0, 3));
  const bool is_v5 = *rc::gen::arbitrary<bool>();
  property_block properties;
  if (is_v5) {
    if (*rc::gen::arbitrary<bool>())
      RC_ASSERT(properties.set(property::message_expiry_interval, *rc::gen::arbitrary<std::uint32_t>()));
    for (const auto& [key, value] : *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
             rc::gen::pair(rc::gen::string<std::string>(), rc::gen::string<std::string>())))
      if (is_text_exact(as_octets(key)) && is_text_exact(as_octets(value)))
        RC_ASSERT(properties.add_user_property(key, value));
  }
  publish packet{.topic = topic,
                 .payload = payload,
                 .properties = properties.view(),
                 .quality = quality,
                 .retain = *rc::gen::arbitrary<bool>()};
  if (quality != qos::at_most_once) {
    packet.id = *rc::gen::inRange<packet_id>(1, 65'535);
    packet.dup = *rc::gen::arbitrary<bool>();
  }
  if (is_v5 && *rc::gen::arbitrary<bool>()) packet.topic_alias = *rc::gen::inRange<std::uint16_t>(1, 65'535);

  byte_outbox out;
  const version v = is_v5 ? v5 : v3;
  RC_ASSERT(encode_publish(out, packet, v));
  const padded bytes{octets{out.bytes()}};
  RC_ASSERT(bytes.size() == encoded_size(packet, v));
  framer cutter;
  cutter.feed(bytes);
  const auto cut = cutter.next();
  RC_ASSERT(cut);
  const auto back = decode_publish(cut->first, cut->body, v, role::client);
  RC_ASSERT(back);
  RC_ASSERT(back->topic == packet.topic);
  RC_ASSERT(std::ranges::equal(back->payload, packet.payload));
  RC_ASSERT(back->id == packet.id);
  RC_ASSERT(back->quality == packet.quality);
  RC_ASSERT(back->retain == packet.retain);
  RC_ASSERT(back->dup == packet.dup);
  RC_ASSERT(back->topic_alias == packet.topic_alias);
  const auto block = back->properties.block().subspan(packet.topic_alias != 0 ? 3 : 0);
  RC_ASSERT(std::ranges::equal(block, packet.properties.block()));
}

} // namespace
