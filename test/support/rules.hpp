// rules: tables of what a decoder must refuse, each line named after the requirement it shows.
#pragma once

#include "wire.hpp"

#include <troupe/protocol/auth.hpp>
#include <troupe/protocol/connack.hpp>
#include <troupe/protocol/connect.hpp>
#include <troupe/protocol/disconnect.hpp>
#include <troupe/protocol/packet.hpp>
#include <troupe/protocol/subscribe.hpp>
#include <troupe/protocol/unsubscribe.hpp>

#include <gtest/gtest.h>
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

} // namespace support

/// One test for each line of `table`, named <suite>/decode.<line>.
#define TROUPE_DECODE_RULES(suite, table)                                   \
  class suite : public ::testing::TestWithParam<::support::decode_rule> {}; \
  TEST_P(suite, decode) { ::support::expect_rule(GetParam()); }             \
  INSTANTIATE_TEST_SUITE_P(rule, suite, ::testing::ValuesIn(table), ::support::rule_name)
