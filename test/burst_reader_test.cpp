// Bursts: a packet that begins like the one before is read the same as if it had been decoded alone.
#include <troupe/protocol/burst_reader.hpp>
#include <troupe/protocol/outbox.hpp>

#include "support/rules.hpp"
#include "support/seeded.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace {

using namespace troupe::protocol;
using namespace support;

constexpr auto v3 = version::v3_1_1;
constexpr auto v5 = version::v5_0;

std::string text_of(const inbound_packet& packet) {
  const auto* const held = std::get_if<inbound_publish>(&packet);
  if (const auto* const answer = std::get_if<ack>(&packet))
    return "ack " + std::to_string(static_cast<int>(answer->type)) + ' ' + std::to_string(answer->id) + ' '
           + std::to_string(static_cast<int>(answer->reason));
  if (held == nullptr) return "other";
  const publish& said = held->packet;
  return dump(held->whole) + " | " + std::string{said.topic} + " | " + dump(said.payload) + " | "
         + std::to_string(said.id) + (said.retain ? " retain" : "") + (said.dup ? " dup" : "") + " q"
         + std::to_string(static_cast<int>(said.quality)) + " p"
         + std::to_string(said.properties.block().size());
}

/// Everything of `input` as connections and peers read it: bursts at once, or each packet alone.
std::vector<std::string> read(octets input, version v, bool with_bursts, bool all_at_once) {
  framer cutter;
  cutter.set_version(v);
  cutter.feed(input);
  topic_memory memory;
  burst_reader burst;
  std::vector<std::string> found;
  frame next;
  inbound_packet packet;
  errc end{};
  while ((end = cutter.next(next)) == errc{}) {
    if (const errc wrong = decode_packet_into(packet, next, v, role::server, memory); wrong != errc{}) {
      found.push_back("error " + std::to_string(static_cast<int>(wrong)));
      return found;
    }
    found.push_back(text_of(packet));
    if (!with_bursts) continue;
    if (const auto* const first = std::get_if<inbound_publish>(&packet)) burst.learn(*first, v);
    const auto add = [&](const octet* begin) {
      inbound_publish copy = burst.first();
      burst.adapt(copy, begin);
      found.push_back(text_of(inbound_packet{copy}));
    };
    if (all_at_once) {
      const octets all = burst.take_all(cutter);
      for (std::size_t at = 0; at != all.size(); at += burst.size()) add(all.data() + at);
    }
    for (ack answer;;) {
      if (const octet* begin = burst.next(cutter))
        add(begin);
      else if (burst_reader::next_ack(cutter, answer))
        found.push_back(text_of(inbound_packet{answer}));
      else
        break;
    }
  }
  found.push_back("end " + std::to_string(static_cast<int>(end)));
  return found;
}

void expect_the_same(octets input, version v) {
  const auto alone = read(input, v, false, false);
  EXPECT_EQ(read(input, v, true, false), alone);
  EXPECT_EQ(read(input, v, true, true), alone);
}

padded with_slack(const std::string& bytes) { return padded{as_octets(bytes)}; }

TEST(burst_reader, reads_a_burst_without_decoding_it) {
  const padded input =
      hex("30 05 0001't' 00 'x'  30 05 0001't' 00 'y'  30 05 0001't' 00 'z'  30 05 0001'u' 00 'x'");
  framer cutter;
  cutter.feed(input.view());
  topic_memory memory;
  frame next;
  inbound_packet packet;
  ASSERT_EQ(cutter.next(next), errc{});
  ASSERT_EQ(decode_packet_into(packet, next, v5, role::server, memory), errc{});
  burst_reader burst;
  burst.learn(std::get<inbound_publish>(packet), v5);
  EXPECT_EQ(burst.take_all(cutter).size(), 14U);
  EXPECT_EQ(burst.size(), 7U);
  EXPECT_EQ(burst.next(cutter), nullptr) << "another topic";
  EXPECT_EQ(cutter.at_hand().size(), 7U);
}

TEST(burst_reader, does_not_learn_what_says_more_than_topic_and_payload) {
  for (const char* packet :
       {"3A 07 0001't' 0001 00 'x'", "30 0A 0001't' 05 23 0007 01 01 'x'", "30 07 0001't' 02 01 01 'x'"}) {
    const padded input = hex(packet);
    framer cutter;
    cutter.feed(input.view());
    topic_memory memory;
    frame next;
    inbound_packet held;
    ASSERT_EQ(cutter.next(next), errc{}) << packet;
    ASSERT_EQ(decode_packet_into(held, next, v5, role::client, memory), errc{}) << packet;
    burst_reader burst;
    burst.learn(std::get<inbound_publish>(held), v5);
    EXPECT_EQ(burst.size(), 0U) << packet;
  }
}

TEST(burst_reader, leaves_to_the_decoder_what_is_not_the_same_MQTT_2_2_1_3) {
  for (const version v : {v3, v5}) {
    const char* const good = v == v5 ? "32 08 0001't' 0001 00 'xx'" : "32 07 0001't' 0001 'xx'";
    for (const char* next :
         {"32 08 0001't' 0000 00 'xx'", // no packet id
          "32 08 0001't' 0002 01 'xx'", // properties that are none
          "32 08 0001't' 0002 02 01 01", "34 08 0001't' 0002 00 'xx'", "3A 08 0001't' 0002 00 'xx'",
          "33 08 0001't' 0002 00 'xx'", "32 08 0001'#' 0002 00 'xx'", "32 08 0001't' 0002 00 'x'", // cut off
          "36 08 0001't' 0002 00 'xx'", "40 02 0001"}) {
      const padded first = hex(good);
      std::string stream;
      for (const padded& each : {hex(good), hex(good), hex(next)})
        stream.append(as_text(octets{each.view()}));
      expect_the_same(with_slack(stream).view(), v);
    }
  }
}

// Streams of packets that are mostly alike, and then any octet of them changed.
TEST(burst_reader, reads_any_stream_as_the_decoder_does) {
  chance seed{0x5EED};
  for (int round = 0; round != 4'000; ++round) {
    const version v = round % 2 == 0 ? v3 : v5;
    std::string stream;
    const std::string topics[] = {"t", "a/topic/of/more/than/16/octets", std::string(40, 'x')};
    std::string topic = topics[seed.below(3)];
    std::size_t size = seed.below(40);
    auto quality = static_cast<qos>(seed.below(3));
    for (std::uint64_t left = 1 + seed.below(12); left != 0; --left) {
      if (seed.below(8) == 0) topic = topics[seed.below(3)];
      if (seed.below(8) == 0) size = seed.below(300);
      if (seed.below(8) == 0) quality = static_cast<qos>(seed.below(3));
      std::string payload(size, '\0');
      for (char& each : payload) each = static_cast<char>(seed.below(256));
      if (seed.below(3) == 0) {
        const std::string_view acks[] = {"\x40", "\x50", "\x62", "\x70", "\x60"};
        stream += acks[seed.below(5)];
        stream += '\x02';
        stream += static_cast<char>(seed.below(3));
        stream += static_cast<char>(seed.below(3));
        continue;
      }
      const bare_publish packet{topic.size(), payload.size(), quality, v};
      std::string bytes(packet.size(), '\0');
      packet.write(reinterpret_cast<octet*>(bytes.data()), topic, as_octets(payload), quality,
                   seed.below(9) == 0, static_cast<packet_id>(seed.below(65'536)));
      stream += bytes;
    }
    if (seed.below(2) == 0)
      stream[seed.below(static_cast<std::uint32_t>(stream.size()))] = static_cast<char>(seed.below(256));
    if (seed.below(4) == 0) stream.resize(1 + seed.below(static_cast<std::uint32_t>(stream.size())));
    expect_the_same(with_slack(stream).view(), v);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

} // namespace
