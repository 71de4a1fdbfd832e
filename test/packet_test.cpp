#include "support/rules.hpp"

#include <troupe/protocol/packet.hpp>

namespace {

using namespace troupe::protocol;
using namespace support;

constexpr auto malformed = reason_code::malformed_packet;

const std::vector<decode_rule> rules{
    {"pingreq", v3, role::server, "C0 00", {}},
    {"pingresp", v5, role::client, "D0 00", {}},
    {"section_3_12_1_pingreq_with_a_body", v5, role::server, "C0 01 00", errc::malformed_packet, malformed},
    {"section_3_13_1_pingresp_with_a_body", v3, role::client, "D0 01 00", errc::malformed_packet, malformed},
    {"MQTT_2_1_3_1_pingreq_flags", v3, role::server, "C4 00", errc::malformed_packet, malformed},
    {"type_0", v5, role::server, "00 00", errc::malformed_packet, malformed},
};
TROUPE_DECODE_RULES(packet_rules, rules);

frame framed(octets bytes) {
  framer cutter;
  cutter.feed(bytes);
  const auto cut = cutter.next();
  EXPECT_TRUE(cut);
  return cut ? *cut : frame{};
}

TEST(decode_packet, decodes_what_is_frequent_and_passes_the_rest_on) {
  const padded message = hex("32 07 0001'a' 0005 00 'x'");
  auto packet = decode_packet(framed(message), v5, role::client);
  ASSERT_TRUE(packet);
  const auto* held = std::get_if<inbound_publish>(&*packet);
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(held->packet.id, 5);
  EXPECT_EQ(held->whole.data(), message.view().data());
  const padded answer = hex("50 02 0005");
  packet = decode_packet(framed(answer), v5, role::client);
  ASSERT_TRUE(packet);
  ASSERT_NE(std::get_if<ack>(&*packet), nullptr);
  EXPECT_EQ(std::get_if<ack>(&*packet)->type, packet_type::pubrec);
  const padded granted = hex("90 04 0005 00 00");
  packet = decode_packet(framed(granted), v5, role::client);
  ASSERT_TRUE(packet);
  ASSERT_NE(std::get_if<frame>(&*packet), nullptr);
  EXPECT_EQ(std::get_if<frame>(&*packet)->type(), packet_type::suback);
}

TEST(decode_packet, answers_the_decoder_s_error) {
  const padded wrong = hex("30 04 0001'#' 00");
  EXPECT_EQ(decode_packet(framed(wrong), v5, role::client).error(), errc::invalid_topic_name);
}

TEST(ping, is_two_octets) {
  byte_outbox out;
  encode_pingreq(out);
  encode_pingresp(out);
  EXPECT_EQ(out.dumped(), "C0 00 D0 00");
}

TEST(packet_name, knows_all_fifteen) {
  EXPECT_EQ(name(packet_type::connect), "CONNECT");
  EXPECT_EQ(name(packet_type::pubcomp), "PUBCOMP");
  EXPECT_EQ(name(packet_type::auth), "AUTH");
  EXPECT_EQ(name(static_cast<packet_type>(0)), "reserved");
  EXPECT_EQ(name(static_cast<packet_type>(99)), "reserved");
}

} // namespace
