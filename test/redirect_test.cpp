// Server references: what they may say, and where they must not lead.
#include <troupe/actors/redirect.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using troupe::redirect_errc;
using troupe::actors::references_of;
using troupe::runtime::parse_endpoint;

std::string from(std::string_view broker, std::string_view reference) {
  std::string all;
  for (const auto& each : references_of(reference, parse_endpoint(broker).value()))
    all += (all.empty() ? "" : " ") + to_string(each);
  return all;
}

TEST(references, are_names_with_and_without_a_port_or_addresses) {
  EXPECT_EQ(from("mqtt://a", "myserver.xyz.org"), "mqtt://myserver.xyz.org:1883");
  EXPECT_EQ(from("mqtt://a:1900", "myserver.xyz.org:8883"), "mqtt://myserver.xyz.org:8883");
  EXPECT_EQ(from("mqtt://a", "10.10.151.22:8883 [fe80::9610:3eff:fe1c]:1883"),
            "mqtt://10.10.151.22:8883 mqtt://[fe80::9610:3eff:fe1c]:1883");
  EXPECT_EQ(from("mqtt://a", "[::1]"), "mqtt://[::1]:1883");
}

TEST(references, are_separated_by_blanks_however_many) {
  EXPECT_EQ(from("mqtt://a", "  b   c:2 "), "mqtt://b:1883 mqtt://c:2");
  EXPECT_EQ(from("mqtt://a", "   "), "");
  EXPECT_EQ(from("mqtt://a", ""), "");
}

TEST(references, keep_the_way_to_the_broker_that_said_them) {
  EXPECT_EQ(from("mqtts://a", "b"), "mqtts://b:8883");
  EXPECT_EQ(from("ws://a:81/deep?x", "b c:82/other"), "ws://b:80/deep?x ws://c:82/other");
  EXPECT_EQ(from("wss://a/mqtt", "b"), "wss://b:443/mqtt");
  EXPECT_EQ(from("loopback://a", "b:7"), "mqtt://b:7");
}

TEST(references, may_be_uris) {
  EXPECT_EQ(from("mqtt://a", "mqtts://b tcp://c:5 wss://d/p"), "mqtts://b:8883 mqtt://c:5 wss://d:443/p");
  EXPECT_EQ(from("loopback://a", "loopback://b"), "loopback://b");
}

TEST(references, never_lead_from_tls_to_a_way_without) {
  EXPECT_EQ(from("mqtts://a", "mqtt://b ws://c tcp://d:8883 unix:///e loopback://f"), "");
  EXPECT_EQ(from("wss://a", "mqtt://b mqtts://c"), "mqtts://c:8883");
}

TEST(references, of_brokers_in_the_network_do_not_lead_into_this_machine) {
  EXPECT_EQ(from("mqtt://a", "unix:///run/mqtt loopback://b c"), "mqtt://c:1883");
}

TEST(references, bring_no_login_along) {
  const auto found = references_of("mqtt://user:word@b", parse_endpoint("mqtt://a").value());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].user + found[0].password, "");
}

TEST(references, that_make_no_sense_are_stepped_over) {
  EXPECT_EQ(from("mqtt://a", "fe80::1 :99 http://x b:0 b:70000 [::1 c%20d e/f mqtt:// ok"), "mqtt://ok:1883");
}

TEST(references, are_the_first_few_of_very_many) {
  std::string many;
  for (int number = 0; number != 10'000; ++number) many += "h" + std::to_string(number) + ' ';
  EXPECT_EQ(references_of(many, parse_endpoint("mqtt://a").value()).size(), 8U);
}

TEST(redirect_errors, have_a_sentence_each) {
  for (int code = 1; code <= 4; ++code)
    EXPECT_EQ(make_error_code(static_cast<redirect_errc>(code)).message().find("unknown"), std::string::npos);
  EXPECT_STREQ(make_error_code(redirect_errc::too_many).category().name(), "troupe.redirect");
}

} // namespace
