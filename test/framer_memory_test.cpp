// framer: whose memory a frame lies in, and for how long.
#include "support/frames.hpp"

#include <troupe/protocol/framer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace {

using namespace troupe::protocol;
using namespace support;

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

} // namespace
