#include "support/rules.hpp"

#include <troupe/protocol/disconnect.hpp>

#include <algorithm>
#include <rapidcheck/gtest.h>

namespace {

using namespace troupe::protocol;
using namespace support;

constexpr auto malformed = reason_code::malformed_packet;
constexpr auto broken = reason_code::protocol_error;
constexpr auto from_client = role::server; // who receives
constexpr auto from_server = role::client;

const std::vector<decode_rule> rules{
    {"empty_v3", v3, from_client, "E0 00", {}},
    {"empty_v5", v5, from_client, "E0 00", {}},
    {"reason_alone", v5, from_client, "E0 01 04", {}},
    {"MQTT_3_14_1_1_flags", v5, from_client, "E1 00", errc::malformed_packet, malformed},
    {"v3_with_a_body", v3, from_client, "E0 01 00", errc::malformed_packet, malformed},
    {"v3_from_a_server", v3, from_server, "E0 00", errc::protocol_error, broken},
    {"MQTT_3_14_2_1_unknown_reason", v5, from_client, "E0 01 55", errc::malformed_packet, malformed},
    {"MQTT_3_14_2_1_reason_of_the_server", v5, from_client, "E0 01 8B", errc::malformed_packet, malformed},
    {"MQTT_3_14_2_1_reason_of_the_client", v5, from_server, "E0 01 04", errc::malformed_packet, malformed},
    {"session_expiry_from_a_client", v5, from_client, "E0 07 00 05 11 00000005", {}},
    {"MQTT_3_14_2_2_session_expiry_from_a_server", v5, from_server, "E0 07 00 05 11 00000005",
     errc::protocol_error, broken},
    {"section_3_14_2_2_5_server_reference_from_a_client", v5, from_client, "E0 06 00 04 1C 0001'x'",
     errc::protocol_error, broken},
    {"server_reference_from_a_server", v5, from_server, "E0 06 9D 04 1C 0001'x'", {}},
    {"over_long", v5, from_client, "E0 03 00 00 00", errc::malformed_packet, malformed},
    {"reason_string_twice", v5, from_client, "E0 0A 00 08 1F0001'a' 1F0001'b'", errc::protocol_error, broken},
};
TROUPE_DECODE_RULES(disconnect_rules, rules);

TEST(disconnect, goes_both_ways) {
  property_block properties;
  ASSERT_TRUE(properties.set(property::server_reference, "other"));
  const disconnect packet{.reason = reason_code::server_moved, .properties = properties.view()};
  byte_outbox out;
  ASSERT_TRUE(encode_disconnect(out, packet, v5, role::server));
  EXPECT_EQ(out.dumped(), dump("E0 0A 9D 08 1C 0005'other'"));
  EXPECT_EQ(out.bytes().size(), encoded_size(packet, v5));
  const padded whole{octets{out.bytes()}};
  const auto back = decode_disconnect(0xE0, whole.view().subspan(2), v5, role::client);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->reason, reason_code::server_moved);
  EXPECT_EQ(back->properties.text(property::server_reference), "other");
  out.clear();
  ASSERT_TRUE(encode_disconnect(out, {}, v3, role::client));
  ASSERT_TRUE(encode_disconnect(out, {}, v5, role::client));
  ASSERT_TRUE(encode_disconnect(out, {.reason = reason_code::disconnect_with_will}, v5, role::client));
  EXPECT_EQ(out.dumped(), dump("E0 00 | E0 00 | E0 01 04"));
}

auto refused(version v, role sender, const disconnect& packet) {
  return [=](outbox& out) { return encode_disconnect(out, packet, v, sender); };
}

const std::vector<encode_rule> refusals{
    {"section_3_14_of_3_1_1_says_nothing_to_clients", errc::version_mismatch, refused(v3, role::server, {})},
    {"F004_reason_in_3_1_1", errc::version_mismatch,
     refused(v3, role::client, {.reason = reason_code::disconnect_with_will})},
    {"F004_property_in_3_1_1", errc::version_mismatch,
     refused(v3, role::client, {.properties = with(property::reason_string, "why")})},
    {"MQTT_3_14_2_1_reason_of_the_server", errc::invalid_reason_code,
     refused(v5, role::client, {.reason = reason_code::server_busy})},
    {"MQTT_3_14_2_1_reason_of_the_client", errc::invalid_reason_code,
     refused(v5, role::server, {.reason = reason_code::disconnect_with_will})},
    {"MQTT_3_14_2_2_session_expiry_from_a_server", errc::property_not_allowed,
     refused(v5, role::server, {.properties = with(property::session_expiry_interval, 5U)})},
    {"section_3_14_2_2_5_server_reference_from_a_client", errc::property_not_allowed,
     refused(v5, role::client, {.properties = with(property::server_reference, "other")})},
    {"section_2_2_2_2_property_of_another_packet", errc::property_not_allowed,
     refused(v5, role::server, {.properties = with(property::topic_alias, 1U)})},
};
TROUPE_ENCODE_RULES(disconnect_refusals, refusals);

TEST(encode_disconnect, section_3_14_2_2_2_lets_clients_change_the_expiry) {
  byte_outbox out;
  EXPECT_TRUE(
      encode_disconnect(out, {.properties = with(property::session_expiry_interval, 5U)}, v5, role::client));
}

RC_GTEST_PROP(disconnect_round_trip, what_was_encoded_is_decoded, ()) {
  const bool is_clients = *rc::gen::arbitrary<bool>();
  property_block block;
  disconnect packet;
  if (*rc::gen::arbitrary<bool>()) packet.reason = reason_code::protocol_error;
  if (*rc::gen::arbitrary<bool>())
    RC_ASSERT(
        block.set(property::reason_string, *rc::gen::container<std::string>(rc::gen::inRange('a', 'z'))));
  if (is_clients && *rc::gen::arbitrary<bool>())
    RC_ASSERT(block.set(property::session_expiry_interval, *rc::gen::arbitrary<std::uint32_t>()));
  packet.properties = block.view();
  byte_outbox out;
  RC_ASSERT(encode_disconnect(out, packet, v5, is_clients ? role::client : role::server));
  const padded bytes{octets{out.bytes()}};
  RC_ASSERT(bytes.size() == encoded_size(packet, v5));
  framer cutter;
  cutter.feed(bytes);
  const auto cut = cutter.next();
  RC_ASSERT(cut);
  const auto back = decode_disconnect(cut->first, cut->body, v5, is_clients ? role::server : role::client);
  RC_ASSERT(back);
  RC_ASSERT(back->reason == packet.reason);
  RC_ASSERT(std::ranges::equal(back->properties.block(), packet.properties.block()));
}

} // namespace
