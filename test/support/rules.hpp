// rules: tables of what a decoder must refuse, and of what an encoder must refuse before its first octet;
// each line is a test named after the requirement it shows.
#pragma once

#include "wire.hpp"

#include <troupe/protocol/auth.hpp>
#include <troupe/protocol/connack.hpp>
#include <troupe/protocol/connect.hpp>
#include <troupe/protocol/disconnect.hpp>
#include <troupe/protocol/packet.hpp>
#include <troupe/protocol/subscribe.hpp>
#include <troupe/protocol/unsubscribe.hpp>

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace support {

using troupe::protocol::errc;
using troupe::protocol::reason_code;
using troupe::protocol::role;
using troupe::protocol::version;

inline constexpr auto v3 = version::v3_1_1;
inline constexpr auto v5 = version::v5_0;

/// The error of one whole packet in `bytes`, framed and decoded; none when all is well.
inline std::error_code decode_whole(octets bytes, version v, role receiver) {
  using namespace troupe::protocol;
  framer cutter;
  cutter.set_version(v);
  cutter.feed(bytes);
  const auto cut = cutter.next();
  if (!cut) return cut.error();
  const auto& [first, body, whole] = *cut;
  switch (cut->type()) {
  case packet_type::connect: return decode_connect(first, body).error();
  case packet_type::connack: return decode_connack(first, body, v).error();
  case packet_type::subscribe: return decode_subscribe(first, body, v).error();
  case packet_type::suback: return decode_suback(first, body, v).error();
  case packet_type::unsubscribe: return decode_unsubscribe(first, body, v).error();
  case packet_type::unsuback: return decode_unsuback(first, body, v).error();
  case packet_type::pingreq:
  case packet_type::pingresp: return decode_ping(first, body).error();
  case packet_type::disconnect: return decode_disconnect(first, body, v, receiver).error();
  case packet_type::auth: return decode_auth(first, body, v, receiver).error();
  default: return decode_packet(*cut, v, receiver).error();
  }
}

struct decode_rule {
  const char* name; // letters, digits, underscores: MQTT_3_3_1_4_...
  version v;
  role receiver;
  const char* packet;                        // see hex(); the remaining length included
  std::error_code expected;                  // none: must be accepted
  reason_code answer = reason_code::success; // what the peer is told
};

inline std::ostream& operator<<(std::ostream& out, const decode_rule& rule) { return out << rule.packet; }

inline void expect_rule(const decode_rule& rule) {
  const auto found = decode_whole(hex(rule.packet), rule.v, rule.receiver);
  EXPECT_EQ(found, rule.expected) << rule.packet << ": " << found.message();
  EXPECT_EQ(static_cast<int>(troupe::protocol::answer_for(found)), static_cast<int>(rule.answer));
}

inline std::string rule_name(const ::testing::TestParamInfo<decode_rule>& info) { return info.param.name; }

struct encode_rule {
  const char* name;
  errc expected;
  std::function<troupe::protocol::result<void>(troupe::protocol::outbox&)> encode;
};

inline std::ostream& operator<<(std::ostream& out, const encode_rule& rule) { return out << rule.name; }

inline void expect_refusal(const encode_rule& rule) {
  byte_outbox out;
  EXPECT_EQ(rule.encode(out).error(), rule.expected);
  EXPECT_TRUE(out.empty());
}

inline std::string encode_rule_name(const ::testing::TestParamInfo<encode_rule>& info) {
  return info.param.name;
}

/// A property block for the lines of a table: lives as long as the test program.
inline troupe::protocol::properties_view with(
    const std::function<void(troupe::protocol::property_block&)>& fill) {
  static std::vector<std::unique_ptr<troupe::protocol::property_block>> kept;
  kept.push_back(std::make_unique<troupe::protocol::property_block>());
  fill(*kept.back());
  return kept.back()->view();
}
template <class Value>
troupe::protocol::properties_view with(troupe::protocol::property id, const Value& value) {
  return with([&](auto& block) { EXPECT_TRUE(block.set(id, value)); });
}

/// What nobody takes for a text [MQTT-1.5.4-1] [MQTT-1.5.4-2].
inline const std::pair<const char*, std::string> bad_texts[] = {{"nul", std::string(1, '\0')},
                                                                {"overlong_2", "\xC0\x80"},
                                                                {"overlong_3", "\xE0\x80\x80"},
                                                                {"overlong_4", "\xF0\x80\x80\x80"},
                                                                {"surrogate_low", "\xED\xA0\x80"},
                                                                {"surrogate_high", "\xED\xBF\xBF"},
                                                                {"above_10FFFF", "\xF4\x90\x80\x80"},
                                                                {"stray", "\x80"},
                                                                {"cut_off", "\xE2\x82"},
                                                                {"no_lead", "\xFF"}};

} // namespace support

/// One test for each line of `table`, named <suite>/decode.<line>.
#define TROUPE_DECODE_RULES(suite, table)                                   \
  class suite : public ::testing::TestWithParam<::support::decode_rule> {}; \
  TEST_P(suite, decode) { ::support::expect_rule(GetParam()); }             \
  INSTANTIATE_TEST_SUITE_P(rule, suite, ::testing::ValuesIn(table), ::support::rule_name)

/// One test for each line of `table`, named <suite>/encode.<line>.
#define TROUPE_ENCODE_RULES(suite, table)                                   \
  class suite : public ::testing::TestWithParam<::support::encode_rule> {}; \
  TEST_P(suite, encode) { ::support::expect_refusal(GetParam()); }          \
  INSTANTIATE_TEST_SUITE_P(rule, suite, ::testing::ValuesIn(table), ::support::encode_rule_name)
