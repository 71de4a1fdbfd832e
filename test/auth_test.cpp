#include "support/rules.hpp"

#include <troupe/protocol/auth.hpp>

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

TEST(encode_auth, refuses_before_the_first_octet) {
  property_block method;
  ASSERT_TRUE(method.set(property::authentication_method, "m"));
  byte_outbox out;
  EXPECT_EQ(encode_auth(out, {.properties = method.view()}, v3, role::server).error(),
            errc::version_mismatch);
  EXPECT_EQ(encode_auth(out, {.properties = method.view()}, v5, role::client).error(),
            errc::invalid_reason_code);
  EXPECT_EQ(encode_auth(out, {.reason = reason_code::continue_authentication}, v5, role::client).error(),
            errc::invalid_argument);
  EXPECT_TRUE(out.empty());
}

} // namespace
