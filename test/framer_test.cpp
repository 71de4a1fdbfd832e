// framer: where a packet ends, and which first octets are none.
#include "support/frames.hpp"

#include <troupe/protocol/framer.hpp>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace {

using namespace troupe::protocol;
using namespace support;

/// A conversation with packets of every length class up to three length octets.
std::vector<std::vector<octet>> conversation() {
  std::vector<std::vector<octet>> packets;
  for (const std::size_t size : {0U, 1U, 50U, 118U, 119U, 120U, 121U, 122U, 300U, 16'370U, 16'376U, 40'000U})
    packets.push_back(publish_of("a/b", size));
  packets.push_back(parse_hex("C0 00"));
  packets.push_back(parse_hex("40 02 0001"));
  packets.push_back(parse_hex("D0 00"));
  return packets;
}

std::vector<octet> joined(const std::vector<std::vector<octet>>& packets) {
  std::vector<octet> all;
  for (const auto& packet : packets) all.insert(all.end(), packet.begin(), packet.end());
  return all;
}

/// Feeds `chunk` as a buffer of its own, which is gone when the call returns.
void feed_and_collect(framer& cutter, octets chunk, std::vector<std::vector<octet>>& found) {
  const padded input{chunk};
  cutter.feed(input);
  for (auto cut = cutter.next();; cut = cutter.next()) {
    if (!cut) {
      ASSERT_EQ(cut.error(), errc::need_more) << cut.error().message();
      return;
    }
    EXPECT_EQ(cut->whole.data() + cut->whole.size(), cut->body.data() + cut->body.size());
    EXPECT_EQ(cut->first, cut->whole[0]);
    found.emplace_back(cut->whole.begin(), cut->whole.end());
  }
}

TEST(framer, H10_gives_the_same_frames_when_split_at_every_octet) {
  auto packets = conversation();
  packets.resize(9);
  packets.push_back(publish_of("t", 200));
  const auto stream = joined(packets);
  for (std::size_t split = 0; split <= stream.size(); ++split) {
    framer cutter;
    cutter.set_version(v5);
    std::vector<std::vector<octet>> found;
    feed_and_collect(cutter, octets{stream}.first(split), found);
    feed_and_collect(cutter, octets{stream}.subspan(split), found);
    ASSERT_EQ(found, packets) << "split at " << split;
  }
}

TEST(framer, H10_gives_the_same_frames_octet_by_octet_and_in_chunks_of_every_size) {
  const auto packets = conversation();
  const auto stream = joined(packets);
  for (const std::size_t size : {1U, 2U, 3U, 7U, 64U, 1'000U, 1'500U, 16'384U, 100'000U}) {
    framer cutter;
    std::vector<std::vector<octet>> found;
    for (std::size_t at = 0; at < stream.size(); at += size)
      feed_and_collect(cutter, octets{stream}.subspan(at, std::min(size, stream.size() - at)), found);
    EXPECT_EQ(found, packets) << "chunks of " << size;
  }
}

TEST(framer, H10_waits_when_the_length_is_split_and_refuses_a_fifth_octet) {
  framer cutter;
  const padded start = hex("30 CD");
  cutter.feed(start);
  EXPECT_EQ(cutter.next().error(), errc::need_more);
  framer other;
  const padded endless = hex("30 FF FF FF FF");
  other.feed(endless);
  EXPECT_EQ(other.next().error(), errc::malformed_packet);
  EXPECT_EQ(other.next().error(), errc::malformed_packet) << "for ever";
  const padded good = hex("C0 00");
  other.feed(good);
  EXPECT_EQ(other.next().error(), errc::malformed_packet) << "for ever";
}

TEST(framer, H11_starts_empty_on_each_connection) {
  framer cutter;
  const padded start = hex("30 80 80 04 0001'a' 00");
  cutter.feed(start);
  EXPECT_EQ(cutter.next().error(), errc::need_more);
  cutter = framer{};
  const padded next = hex("20 02 00 00");
  cutter.feed(next);
  const auto cut = cutter.next();
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->type(), packet_type::connack);
}

TEST(framer, H12_counts_the_whole_packet_against_the_limit) {
  for (const std::size_t limit : {100U, 129U, 130U, 131U, 16'386U, 16'387U, 16'388U}) {
    // The largest payload whose packet fits, and one octet more.
    std::size_t payload = limit - 6;
    while (publish_of("a", payload).size() > limit) --payload;
    for (const bool over : {false, true}) {
      framer cutter{static_cast<std::uint32_t>(limit)};
      const padded bytes{octets{publish_of("a", payload + (over ? 1 : 0))}};
      cutter.feed(bytes);
      const auto cut = cutter.next();
      EXPECT_EQ(cut.has_value(), !over) << limit;
      if (over) {
        EXPECT_EQ(cut.error(), errc::packet_too_large);
      }
    }
  }
}

TEST(framer, judges_type_flags_and_limit_before_a_body_is_there) {
  const struct {
    const char* start;
    errc expected;
  } cases[] = {{"00", errc::malformed_packet},
               {"11", errc::malformed_packet},
               {"60", errc::malformed_packet},
               {"80", errc::malformed_packet},
               {"A0", errc::malformed_packet},
               {"C1", errc::malformed_packet},
               {"36", errc::malformed_packet},
               {"38", errc::malformed_packet},
               {"C0 01", errc::malformed_packet},
               {"D0 05", errc::malformed_packet},
               {"30 FF FF FF 7F", errc::packet_too_large},
               {"30 E6 07", errc::packet_too_large}};
  for (const auto& [start, expected] : cases) {
    counting_source memory;
    framer cutter{memory, 1'000};
    const padded bytes = hex(start);
    cutter.feed(bytes);
    EXPECT_EQ(cutter.next().error(), expected) << start;
    EXPECT_TRUE(memory.asked.empty()) << "nothing is buffered for " << start;
  }
}

TEST(framer, MQTT_2_1_3_1_knows_the_flags_of_every_type) {
  for (unsigned first = 0; first < 256; ++first) {
    const unsigned type = first >> 4U;
    const unsigned flags = first & 15U;
    bool right = flags == (type == 6 || type == 8 || type == 10 ? 2U : 0U);
    if (type == 3) right = (flags & 6U) != 6U && (flags & 14U) != 8U;
    if (type == 0) right = false;
    for (const auto v : {v3, v5}) {
      framer cutter;
      cutter.set_version(v);
      const padded byte{octets{std::array{static_cast<octet>(first)}}};
      cutter.feed(byte);
      const bool taken = cutter.next().error() == errc::need_more;
      EXPECT_EQ(taken, right && !(type == 15 && v == v3)) << first; // AUTH exists in 5.0 only
    }
  }
}

TEST(framer, MQTT_1_5_5_1_refuses_padded_lengths_once_5_0_is_spoken) {
  const padded bytes = hex("30 83 00 0001'a'");
  for (const auto v : {v3, v5}) {
    framer cutter;
    cutter.set_version(v);
    cutter.feed(bytes);
    EXPECT_EQ(cutter.next().has_value(), v == v3);
  }
  framer unknown;
  unknown.feed(bytes);
  const auto cut = unknown.next();
  ASSERT_TRUE(cut);
  EXPECT_FALSE(cut->has_shortest_length());
}

RC_GTEST_PROP(framer_property, any_way_to_split_a_stream_gives_its_packets, ()) {
  const auto packets = conversation();
  const auto stream = joined(packets);
  const auto sizes = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 30'000)));
  framer cutter;
  std::vector<std::vector<octet>> found;
  std::size_t turn = 0;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t count = std::min(sizes[turn++ % sizes.size()] % 3'000 + 1, stream.size() - at);
    feed_and_collect(cutter, octets{stream}.subspan(at, count), found);
    at += count;
  }
  RC_ASSERT(found == packets);
}

} // namespace
