#include "support/rules.hpp"

#include <troupe/protocol/properties.hpp>
#include <troupe/protocol/utf8.hpp>

#include <array>

// Every string of every packet must be text [MQTT-1.5.4-1] [MQTT-1.5.4-2].

namespace {

using namespace troupe::protocol;
using namespace support;

/// Where a text stands: octets of the body before and behind it. A block is a property block with its
/// length; the text stands inside it, behind `inside_before`.
struct text_place {
  const char* name;
  octet first;
  version v;
  role receiver;
  const char* before;
  const char* after;
  const char* inside_before = nullptr; // null: not in a property block
  const char* inside_after = "";
};

std::ostream& operator<<(std::ostream& out, const text_place& place) { return out << place.name; }

void append(std::vector<octet>& to, octets more) { to.insert(to.end(), more.begin(), more.end()); }

padded packet_with(const text_place& place, std::string_view text) {
  std::vector<octet> field{0, static_cast<octet>(text.size())};
  append(field, as_octets(text));
  std::vector<octet> body = parse_hex(place.before);
  if (place.inside_before != nullptr) {
    std::vector<octet> block = parse_hex(place.inside_before);
    append(block, field);
    append(block, parse_hex(place.inside_after));
    body.push_back(static_cast<octet>(block.size()));
    append(body, block);
  } else {
    append(body, field);
  }
  append(body, parse_hex(place.after));
  std::vector<octet> whole{place.first, static_cast<octet>(body.size())};
  append(whole, body);
  return padded{octets{whole}};
}

constexpr auto s = role::server;
constexpr auto c = role::client;
constexpr auto connect5 = "0004'MQTT' 05 02 003C";
constexpr auto willed5 = "0004'MQTT' 05 06 003C 00 0000";

const std::vector<text_place> places{
    {"MQTT_3_1_3_4_client_id", 0x10, v5, s, "0004'MQTT' 05 02 003C 00", ""},
    {"v3_MQTT_3_1_3_4_client_id", 0x10, v3, s, "0004'MQTT' 04 02 003C", ""},
    {"MQTT_3_1_3_12_user_name", 0x10, v5, s, "0004'MQTT' 05 82 003C 00 0000", ""},
    {"v3_MQTT_3_1_3_11_user_name", 0x10, v3, s, "0004'MQTT' 04 82 003C 0000", ""},
    {"MQTT_3_1_3_11_will_topic", 0x10, v5, s, "0004'MQTT' 05 06 003C 00 0000 00", "0000"},
    {"v3_MQTT_3_1_3_10_will_topic", 0x10, v3, s, "0004'MQTT' 04 06 003C 0000", "0000"},
    {"connect_authentication_method", 0x10, v5, s, connect5, "0000", "15"},
    {"connect_user_property_name", 0x10, v5, s, connect5, "0000", "26", "0001'v'"},
    {"connect_user_property_value", 0x10, v5, s, connect5, "0000", "26 0001'k'"},
    {"will_content_type", 0x10, v5, s, willed5, "0001'w' 0000", "03"},
    {"will_response_topic", 0x10, v5, s, willed5, "0001'w' 0000", "08"},
    {"will_user_property_name", 0x10, v5, s, willed5, "0001'w' 0000", "26", "0001'v'"},
    {"will_user_property_value", 0x10, v5, s, willed5, "0001'w' 0000", "26 0001'k'"},
    {"connack_assigned_client_id", 0x20, v5, c, "00 00", "", "12"},
    {"connack_reason_string", 0x20, v5, c, "00 00", "", "1F"},
    {"connack_response_information", 0x20, v5, c, "00 00", "", "1A"},
    {"connack_server_reference", 0x20, v5, c, "00 00", "", "1C"},
    {"connack_authentication_method", 0x20, v5, c, "00 00", "", "15"},
    {"connack_user_property_name", 0x20, v5, c, "00 00", "", "26", "0001'v'"},
    {"connack_user_property_value", 0x20, v5, c, "00 00", "", "26 0001'k'"},
    {"MQTT_3_3_2_1_publish_topic", 0x30, v5, s, "", "00"},
    {"v3_MQTT_3_3_2_1_publish_topic", 0x30, v3, c, "", "'payload'"},
    {"MQTT_3_3_2_19_publish_content_type", 0x30, v5, s, "0001'a'", "", "03"},
    {"MQTT_3_3_2_13_publish_response_topic", 0x30, v5, c, "0001'a'", "", "08"},
    {"publish_user_property_name", 0x30, v5, s, "0001'a'", "", "26", "0001'v'"},
    {"publish_user_property_value", 0x30, v5, c, "0001'a'", "", "26 0001'k'"},
    {"puback_reason_string", 0x40, v5, c, "0001 00", "", "1F"},
    {"puback_user_property_name", 0x40, v5, s, "0001 00", "", "26", "0001'v'"},
    {"pubrec_reason_string", 0x50, v5, s, "0001 00", "", "1F"},
    {"pubrec_user_property_value", 0x50, v5, c, "0001 00", "", "26 0001'k'"},
    {"pubrel_reason_string", 0x62, v5, c, "0001 00", "", "1F"},
    {"pubrel_user_property_name", 0x62, v5, s, "0001 00", "", "26", "0001'v'"},
    {"pubcomp_reason_string", 0x70, v5, s, "0001 00", "", "1F"},
    {"pubcomp_user_property_value", 0x70, v5, c, "0001 00", "", "26 0001'k'"},
    {"MQTT_3_8_3_1_subscribe_filter", 0x82, v5, s, "0001 00", "00"},
    {"v3_MQTT_3_8_3_1_subscribe_filter", 0x82, v3, s, "0001", "00"},
    {"subscribe_user_property_name", 0x82, v5, s, "0001", "0001'a' 00", "26", "0001'v'"},
    {"suback_reason_string", 0x90, v5, c, "0001", "00", "1F"},
    {"suback_user_property_value", 0x90, v5, c, "0001", "00", "26 0001'k'"},
    {"MQTT_3_10_3_1_unsubscribe_filter", 0xA2, v5, s, "0001 00", ""},
    {"v3_MQTT_3_10_3_1_unsubscribe_filter", 0xA2, v3, s, "0001", ""},
    {"unsubscribe_user_property_value", 0xA2, v5, s, "0001", "0001'a'", "26 0001'k'"},
    {"unsuback_reason_string", 0xB0, v5, c, "0001", "00", "1F"},
    {"unsuback_user_property_name", 0xB0, v5, c, "0001", "00", "26", "0001'v'"},
    {"disconnect_reason_string", 0xE0, v5, s, "00", "", "1F"},
    {"disconnect_server_reference", 0xE0, v5, c, "9D", "", "1C"},
    {"disconnect_user_property_name", 0xE0, v5, s, "00", "", "26", "0001'v'"},
    {"disconnect_user_property_value", 0xE0, v5, c, "8B", "", "26 0001'k'"},
    {"auth_method", 0xF0, v5, c, "18", "", "15"},
    {"auth_reason_string", 0xF0, v5, c, "18", "", "15 0001'm' 1F"},
    {"auth_user_property_name", 0xF0, v5, s, "18", "", "15 0001'm' 26", "0001'v'"},
    {"auth_user_property_value", 0xF0, v5, s, "18", "", "15 0001'm' 26 0001'k'"},
};

class text_of : public ::testing::TestWithParam<text_place> {};

TEST_P(text_of, is_judged_by_the_decoder) {
  const text_place& place = GetParam();
  for (const char* good : {"a", "\xC3\xBC", "\xEF\xBB\xBF", "\xF4\x8F\xBF\xBF", "a/b"})
    EXPECT_EQ(decode_whole(packet_with(place, good), place.v, place.receiver), std::error_code{}) << good;
  for (const auto& [fault, text] : bad_texts)
    for (const std::string& around : {text, "a" + text, text + "b", std::string(40, 'a') + text}) {
      const auto found = decode_whole(packet_with(place, around), place.v, place.receiver);
      EXPECT_EQ(found, errc::malformed_packet) << fault;
      EXPECT_EQ(answer_for(found), reason_code::malformed_packet) << fault;
    }
}

INSTANTIATE_TEST_SUITE_P(MQTT_1_5_4, text_of, ::testing::ValuesIn(places),
                         [](const auto& each) { return std::string{each.param.name}; });

// -- our own user's mistakes -------------------------------------------------------------------------

using encoder = std::function<result<void>(outbox&, std::string_view)>;
struct text_argument {
  const char* name;
  errc expected;
  encoder encode;
};
std::ostream& operator<<(std::ostream& out, const text_argument& argument) { return out << argument.name; }

result<void> encode_will(outbox& out, std::string_view topic, version v) {
  connect packet{.protocol = v, .client_id = "c"};
  packet.will = will_view{.topic = topic};
  return encode_connect(out, packet);
}
result<void> encode_line(outbox& out, std::string_view filter, version v) {
  const subscription line{.filter = filter};
  return encode_subscribe(out, 1, {&line, 1}, {}, v);
}

const std::vector<text_argument> arguments{
    {"MQTT_3_1_3_4_client_id", errc::invalid_text,
     [](outbox& out, std::string_view text) { return encode_connect(out, {.client_id = text}); }},
    {"v3_MQTT_3_1_3_4_client_id", errc::invalid_text,
     [](outbox& out, std::string_view text) {
       return encode_connect(out, {.protocol = v3, .client_id = text});
     }},
    {"MQTT_3_1_3_12_user_name", errc::invalid_text,
     [](outbox& out, std::string_view text) { return encode_connect(out, {.user_name = text}); }},
    {"MQTT_3_1_3_11_will_topic", errc::invalid_topic_name,
     [](outbox& out, std::string_view text) { return encode_will(out, text, v5); }},
    {"v3_MQTT_3_1_3_10_will_topic", errc::invalid_topic_name,
     [](outbox& out, std::string_view text) { return encode_will(out, text, v3); }},
    {"MQTT_3_3_2_1_publish_topic", errc::invalid_topic_name,
     [](outbox& out, std::string_view text) { return encode_publish(out, {.topic = text}, v5); }},
    {"v3_MQTT_3_3_2_1_publish_topic", errc::invalid_topic_name,
     [](outbox& out, std::string_view text) { return encode_publish(out, {.topic = text}, v3); }},
    {"MQTT_3_8_3_1_subscribe_filter", errc::invalid_topic_filter,
     [](outbox& out, std::string_view text) { return encode_line(out, text, v5); }},
    {"v3_MQTT_3_8_3_1_subscribe_filter", errc::invalid_topic_filter,
     [](outbox& out, std::string_view text) { return encode_line(out, text, v3); }},
    {"MQTT_3_10_3_1_unsubscribe_filter", errc::invalid_topic_filter,
     [](outbox& out, std::string_view text) {
       return encode_unsubscribe(out, 1, {&text, 1}, {}, v5);
     }},
};

class text_argument_of : public ::testing::TestWithParam<text_argument> {};

TEST_P(text_argument_of, is_refused_before_the_first_octet) {
  for (const auto& [fault, text] : bad_texts)
    for (const std::string& around : {text, "a" + text, text + "b"}) {
      byte_outbox out;
      EXPECT_EQ(GetParam().encode(out, around).error(), GetParam().expected) << fault;
      EXPECT_TRUE(out.empty()) << fault;
    }
}

INSTANTIATE_TEST_SUITE_P(MQTT_1_5_4, text_argument_of, ::testing::ValuesIn(arguments),
                         [](const auto& each) { return std::string{each.param.name}; });

TEST(property_text, MQTT_1_5_4_is_refused_when_it_is_set) {
  for (const property id :
       {property::content_type, property::response_topic, property::assigned_client_identifier,
        property::authentication_method, property::response_information, property::server_reference,
        property::reason_string})
    for (const auto& [fault, text] : bad_texts) {
      property_block block;
      EXPECT_FALSE(block.set(id, std::string_view{text})) << name(id) << ' ' << fault;
      EXPECT_TRUE(block.empty());
    }
  for (const auto& [fault, text] : bad_texts) {
    property_block block;
    EXPECT_EQ(block.add_user_property(text, "v").error(), errc::property_value) << fault;
    EXPECT_EQ(block.add_user_property("k", text).error(), errc::property_value) << fault;
    EXPECT_TRUE(block.empty());
  }
}

} // namespace
