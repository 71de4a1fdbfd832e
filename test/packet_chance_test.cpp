// Whatever octets come, a decoder answers with a packet or with an error of one kind, and reads no further
// than it may; the octets lie at the end of a page that nobody may touch.
#include <troupe/protocol/auth.hpp>
#include <troupe/protocol/connack.hpp>
#include <troupe/protocol/connect.hpp>
#include <troupe/protocol/disconnect.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/framer.hpp>
#include <troupe/protocol/packet.hpp>
#include <troupe/protocol/subscribe.hpp>
#include <troupe/protocol/unsubscribe.hpp>

#include "support/seeded.hpp"
#include "support/wire.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace {

using namespace troupe::protocol;

/// What one decoder says of a body: no error, or one of ours.
template <class Result>
void judge(const Result& answer, std::set<int>& seen) {
  if (answer.has_value()) return;
  EXPECT_STREQ(answer.error().category().name(), errc_category().name());
  seen.insert(answer.error().value());
}

/// Every decoder of the library on the same octets.
void decode_all(octet first, octets body, version v, role receiver, std::set<int>& seen) {
  frame whole;
  whole.first = first;
  whole.body = body;
  whole.whole = body;
  judge(decode_packet(whole, v, receiver), seen);
  judge(decode_connect(first, body), seen);
  judge(decode_connack(first, body, v), seen);
  judge(decode_subscribe(first, body, v), seen);
  judge(decode_suback(first, body, v), seen);
  judge(decode_unsubscribe(first, body, v), seen);
  judge(decode_unsuback(first, body, v), seen);
  judge(decode_disconnect(first, body, v, receiver), seen);
  judge(decode_auth(first, body, v, receiver), seen);
  judge(decode_ping(first, body), seen);
}

/// Random octets are seldom far from the beginning; these are packets with a few octets changed.
std::vector<octet> spoiled(support::chance& chance) {
  static const char* const samples[]{
      "00 04 'MQTT' 05 C6 00 0A 05 11 00 00 00 3C 00 01 'c' 00 00 01 'w' 00 01 'x' 00 01 'u' 00 01 'p'",
      "00 03 'a/b' 00 07 0B 03 00 08 'text' 01 01 'payload'",
      "01 00 10 21 00 0A 24 01 25 00 27 00 01 00 00 1F 00 02 'ok'",
      "00 05 07 0B 05 26 00 01 'k' 00 03 'a/#' 2D 00 01 'b' 01",
      "00 05 00 00 01 02 80",
      "97 0A 1F 00 01 'r' 26 00 01 'k' 00 01 'v'",
      "18 09 15 00 01 'M' 16 00 02 'dd'",
  };
  auto bytes = support::parse_hex(samples[chance.below(std::size(samples))]);
  for (std::uint32_t changes = chance.below(4); changes != 0 && !bytes.empty(); --changes) {
    const auto at = bytes.begin() + chance.below(static_cast<std::uint32_t>(bytes.size()));
    if (chance.one_in(3))
      bytes.erase(at);
    else
      *at = static_cast<octet>(chance.below(256));
  }
  return bytes;
}

TEST(packet_chance, any_octets_are_a_packet_or_an_error_of_one_kind) {
  support::chance chance{151};
  std::set<int> seen;
  for (int turn = 0; turn != 20'000; ++turn) {
    std::vector<octet> bytes;
    if (chance.one_in(4)) {
      bytes.resize(chance.below(40));
      for (octet& each : bytes) each = static_cast<octet>(chance.below(256));
    } else {
      bytes = spoiled(chance);
    }
    const support::padded body{octets{bytes}};
    const auto first = static_cast<octet>(chance.below(256));
    for (const version v : {version::v3_1_1, version::v5_0})
      EXPECT_NO_THROW(decode_all(first, body, v, chance.one_in(2) ? role::client : role::server, seen));
  }
  EXPECT_GE(seen.size(), 4U) << "the octets came past more than the first check";
}

} // namespace
