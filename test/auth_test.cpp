#include "support/rules.hpp"

#include <troupe/protocol/auth.hpp>

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
    {"with_method", v5, from_client, "F0 06 18 04 15 0001'm'", {}},
    {"empty_from_a_server", v5, from_server, "F0 00", {}},
    {"empty_from_a_client", v5, from_client, "F0 00", errc::malformed_packet, malformed},
    {"MQTT_3_15_1_1_flags", v5, from_client, "F1 06 18 04 15 0001'm'", errc::malformed_packet, malformed},
    {"no_such_packet_in_3_1_1", v3, from_client, "F0 00", errc::malformed_packet, malformed},
    {"MQTT_3_15_2_1_success_from_a_client", v5, from_client, "F0 06 00 04 15 0001'm'", errc::malformed_packet,
     malformed},
    {"MQTT_3_15_2_1_reauthenticate_from_a_server", v5, from_server, "F0 06 19 04 15 0001'm'",
     errc::malformed_packet, malformed},
    {"section_3_15_2_2_2_method_missing", v5, from_client, "F0 02 18 00", errc::protocol_error, broken},
    {"section_3_15_2_2_2_properties_missing", v5, from_client, "F0 01 18", errc::protocol_error, broken},
    {"section_3_15_2_2_2_data_alone", v5, from_client, "F0 06 18 04 16 0001 00", errc::protocol_error,
     broken},
    {"section_3_15_2_2_2_method_twice", v5, from_client, "F0 0A 18 08 150001'm' 150001'm'",
     errc::protocol_error, broken},
    {"property_of_connect", v5, from_client, "F0 09 18 07 15 0001'm' 21 0001", errc::malformed_packet,
     malformed},
    {"over_long", v5, from_client, "F0 07 18 04 15 0001'm' 00", errc::malformed_packet, malformed},
};
TROUPE_DECODE_RULES(auth_rules, rules);

TEST(auth, goes_both_ways) {
  property_block properties;
  ASSERT_TRUE(properties.set(property::authentication_method, "SCRAM"));
  ASSERT_TRUE(properties.set(property::authentication_data, as_octets("xy")));
  const auth packet{.reason = reason_code::continue_authentication, .properties = properties.view()};
  byte_outbox out;
  ASSERT_TRUE(encode_auth(out, packet, v5, role::client));
  EXPECT_EQ(out.dumped(), dump("F0 0F 18 0D 15 0005'SCRAM' 16 0002'xy'"));
  EXPECT_EQ(out.bytes().size(), encoded_size(packet));
  const padded whole{octets{out.bytes()}};
  const auto back = decode_auth(0xF0, whole.view().subspan(2), v5, role::server);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->reason, reason_code::continue_authentication);
  EXPECT_EQ(back->properties.text(property::authentication_method), "SCRAM");
}

auto refused(version v, role sender, const auth& packet) {
  return [=](outbox& out) { return encode_auth(out, packet, v, sender); };
}

const properties_view method = with(property::authentication_method, "m");

const std::vector<encode_rule> refusals{
    {"F004_no_such_packet_in_3_1_1", errc::version_mismatch,
     refused(v3, role::server, {.properties = method})},
    {"MQTT_3_15_2_1_success_from_a_client", errc::invalid_reason_code,
     refused(v5, role::client, {.properties = method})},
    {"MQTT_3_15_2_1_reauthenticate_from_a_server", errc::invalid_reason_code,
     refused(v5, role::server, {.reason = reason_code::reauthenticate, .properties = method})},
    {"section_3_15_2_2_2_method_missing", errc::invalid_argument,
     refused(v5, role::client, {.reason = reason_code::continue_authentication})},
    {"section_2_2_2_2_property_of_another_packet", errc::property_not_allowed,
     refused(v5, role::server, {.properties = with(property::topic_alias, 1U)})},
};
TROUPE_ENCODE_RULES(auth_refusals, refusals);

RC_GTEST_PROP(auth_round_trip, what_was_encoded_is_decoded, ()) {
  const auto data = *rc::gen::arbitrary<std::vector<octet>>();
  property_block block;
  RC_ASSERT(block.set(property::authentication_method, "m"));
  RC_ASSERT(block.set(property::authentication_data, octets{data}));
  const auth packet{.reason =
                        *rc::gen::element(reason_code::continue_authentication, reason_code::reauthenticate),
                    .properties = block.view()};
  byte_outbox out;
  RC_ASSERT(encode_auth(out, packet, v5, role::client));
  const padded bytes{octets{out.bytes()}};
  RC_ASSERT(bytes.size() == encoded_size(packet));
  framer cutter;
  cutter.set_version(v5);
  cutter.feed(bytes);
  const auto cut = cutter.next();
  RC_ASSERT(cut);
  const auto back = decode_auth(cut->first, cut->body, v5, role::server);
  RC_ASSERT(back);
  RC_ASSERT(back->reason == packet.reason);
  RC_ASSERT(std::ranges::equal(back->properties.block(), packet.properties.block()));
}

} // namespace
