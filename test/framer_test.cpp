#include "support/rules.hpp"

#include <troupe/protocol/framer.hpp>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using namespace troupe::protocol;
using namespace support;

/// A source that knows what is out.
class counting_source final : public buffer_source {
public:
  fresh_buffer take_buffer(std::size_t size) noexcept override {
    if (size > most) return {};
    asked.push_back(size);
    auto* const made = new buffer{*this, size};
    ++out;
    return {made, made->octets.data()};
  }

  std::vector<std::size_t> asked; // sizes, in the order of the calls
  std::size_t out = 0;            // buffers that somebody holds
  std::size_t most = ~std::size_t{0};

private:
  class buffer final : public keeper {
  public:
    buffer(counting_source& from, std::size_t size) : octets(size + read_slack), from_{from} {}
    void retain(std::uint32_t count) noexcept override { count_ += count; }
    void release(std::uint32_t count) noexcept override {
      count_ -= count;
      if (count_ != 0) return;
      --from_.out;
      delete this;
    }
    std::vector<octet> octets;

  private:
    ~buffer() = default;
    counting_source& from_;
    std::uint32_t count_ = 1;
  };
};

std::vector<octet> publish_of(std::string_view topic, std::size_t payload, version v = v5) {
  byte_outbox out;
  std::vector<octet> body(payload);
  for (std::size_t i = 0; i < payload; ++i) body[i] = static_cast<octet>(i * 7U);
  EXPECT_TRUE(encode_publish(out, {.topic = topic, .payload = body}, v));
  return out.bytes();
}

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

TEST(framer, whole_frames_are_views_and_crossing_ones_are_kept) {
  framer cutter;
  const padded first = hex("C0 00 30 05 0001'a'");
  const padded second = hex("00 'x' C0 00");
  cutter.feed(first);
  auto cut = cutter.next();
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->whole.data(), first.view().data());
  EXPECT_FALSE(cutter.retained(*cut));
  EXPECT_EQ(cutter.next().error(), errc::need_more);
  cutter.feed(second);
  const auto crossing = cutter.next();
  ASSERT_TRUE(crossing);
  const keeper_ref kept = cutter.retained(*crossing);
  EXPECT_TRUE(kept);
  cut = cutter.next();
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->whole.data(), second.view().data() + 2);
  EXPECT_EQ(cutter.next().error(), errc::need_more);
  cutter = framer{};
  EXPECT_EQ(dump(crossing->whole), dump("30 05 0001'a' 00 'x'")) << "held beyond the framer";
}

TEST(framer, a_crossing_frame_outlives_one_more_call_and_kept_ones_all_calls) {
  framer cutter;
  const auto packet = publish_of("topic", 400);
  const padded front{octets{packet}.first(100)};
  const padded back{octets{packet}.subspan(100)};
  std::vector<std::pair<frame, keeper_ref>> kept;
  for (int i = 0; i < 40; ++i) {
    cutter.feed(front);
    ASSERT_EQ(cutter.next().error(), errc::need_more);
    cutter.feed(back);
    const auto cut = cutter.next();
    ASSERT_TRUE(cut);
    kept.emplace_back(*cut, cutter.retained(*cut));
    ASSERT_EQ(cutter.next().error(), errc::need_more);
    EXPECT_TRUE(std::ranges::equal(cut->whole, packet));
  }
  for (const auto& [cut, reference] : kept) {
    ASSERT_TRUE(reference);
    EXPECT_TRUE(std::ranges::equal(cut.whole, packet));
  }
}

TEST(framer, holds_two_buffers_of_its_source_at_most_and_gives_them_back_in_quiet_times) {
  counting_source memory;
  framer cutter{memory, max_packet_size};
  const auto packet = publish_of("topic", 400);
  const padded front{octets{packet}.first(100)};
  const padded back{octets{packet}.subspan(100)};
  for (int i = 0; i < 100; ++i) {
    cutter.feed(front);
    ASSERT_EQ(cutter.next().error(), errc::need_more);
    EXPECT_LE(memory.out, 2U);
    cutter.feed(back);
    const auto cut = cutter.next();
    ASSERT_TRUE(cut);
    EXPECT_TRUE(std::ranges::equal(cut->whole, packet));
    ASSERT_EQ(cutter.next().error(), errc::need_more);
    EXPECT_EQ(memory.out, 1U) << "the frame handed out last";
  }
  EXPECT_EQ(memory.asked, std::vector<std::size_t>(100, packet.size()));
  const padded ping = hex("C0 00");
  for (int i = 0; i < 2; ++i) {
    cutter.feed(ping);
    while (cutter.next()) {}
  }
  EXPECT_EQ(memory.out, 0U);
}

TEST(framer, gives_everything_back_when_it_goes_but_what_is_retained) {
  counting_source memory;
  const auto packet = publish_of("topic", 400);
  const padded front{octets{packet}.first(100)};
  const padded back{octets{packet}.subspan(100)};
  keeper_ref kept;
  {
    framer cutter{memory, max_packet_size};
    cutter.feed(front);
    ASSERT_EQ(cutter.next().error(), errc::need_more);
    cutter.feed(back);
    const auto cut = cutter.next();
    ASSERT_TRUE(cut);
    kept = cutter.retained(*cut);
    cutter.feed(front);
    EXPECT_EQ(cutter.next().error(), errc::need_more);
    EXPECT_EQ(memory.out, 2U);
  }
  EXPECT_EQ(memory.out, 1U);
  kept = {};
  EXPECT_EQ(memory.out, 0U);
}

TEST(framer, refuses_a_claim_that_its_source_cannot_hold) {
  counting_source memory;
  memory.most = 1'000;
  framer cutter{memory, max_packet_size};
  const padded start = hex("30 FF FF FF 7F 00"); // 256 MB, it says
  cutter.feed(start);
  EXPECT_EQ(cutter.next().error(), errc::packet_too_large);
  EXPECT_EQ(cutter.next().error(), errc::packet_too_large) << "for ever";
  EXPECT_EQ(memory.out, 0U);
}

TEST(framer, an_idle_one_is_small) { EXPECT_LE(sizeof(framer), 80U); }

TEST(framer, asks_for_the_missing_part_of_a_large_frame) {
  const auto packet = publish_of("t", 1'000'000);
  framer cutter;
  const padded start{octets{packet}.first(10'000)};
  cutter.feed(start);
  ASSERT_EQ(cutter.next().error(), errc::need_more);
  std::size_t at = 10'000;
  for (auto room = cutter.wanted(); !room.empty(); room = cutter.wanted()) {
    EXPECT_EQ(room.size(), packet.size() - at);
    const std::size_t count = std::min<std::size_t>(room.size(), 300'000);
    std::copy_n(packet.begin() + static_cast<std::ptrdiff_t>(at), count, room.begin());
    at += count;
    cutter.filled(count);
    if (at != packet.size()) {
      ASSERT_EQ(cutter.next().error(), errc::need_more);
    }
  }
  if (at != packet.size()) { // the rest is small enough for an ordinary input
    const padded rest{octets{packet}.subspan(at)};
    cutter.feed(rest);
  }
  const auto cut = cutter.next();
  ASSERT_TRUE(cut);
  EXPECT_TRUE(std::ranges::equal(cut->whole, packet));
  EXPECT_TRUE(cutter.wanted().empty());
  EXPECT_EQ(cutter.next().error(), errc::need_more);
}

TEST(framer, asks_for_the_size_of_the_frame_and_no_more) {
  counting_source memory;
  framer cutter{memory, 2'000'000};
  const auto packet = publish_of("t", 1'000'000);
  const padded start{octets{packet}.first(1'000)};
  cutter.feed(start);
  ASSERT_EQ(cutter.next().error(), errc::need_more);
  EXPECT_EQ(memory.asked, std::vector<std::size_t>{packet.size()});
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
