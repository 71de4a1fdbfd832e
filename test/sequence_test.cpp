#include <troupe/bench/load/sequence.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace troupe::bench;

std::vector<std::uint8_t> payload_with(std::uint64_t number, std::size_t size = 20) {
  std::vector<std::uint8_t> payload(size);
  fill_payload(payload);
  stamp(payload, number);
  return payload;
}

TEST(sequence, writes_the_number_and_then_the_place) {
  const auto payload = payload_with(0x0102'0304'0506'0708U, 300);
  EXPECT_EQ(number_of(payload), 0x0102'0304'0506'0708U);
  for (std::size_t i = 8; i < payload.size(); ++i) EXPECT_EQ(payload[i], i % 256);
}

TEST(sequence, is_content_when_all_came_in_order) {
  sequence_check check{20};
  check.arm(100, 50);
  for (std::uint64_t i = 0; i < 50; ++i) EXPECT_EQ(check.take(payload_with(100 + i)), i + 1);
  EXPECT_EQ(check.lost() + check.duplicated() + check.reordered() + check.damaged(), 0U);
}

TEST(sequence, counts_what_is_lost_in_the_middle_and_at_the_end) {
  sequence_check check{20};
  check.arm(0, 10);
  for (const std::uint64_t number : {0, 1, 4, 5, 6, 7}) check.take(payload_with(number));
  EXPECT_EQ(check.lost(), 4U);
  EXPECT_EQ(check.reordered(), 0U);
}

TEST(sequence, tells_late_from_double) {
  sequence_check check{20};
  check.arm(0, 5);
  for (const std::uint64_t number : {0, 2, 1, 2, 3, 4}) check.take(payload_with(number));
  EXPECT_EQ(check.reordered(), 1U);
  EXPECT_EQ(check.duplicated(), 1U);
  EXPECT_EQ(check.lost(), 0U);
}

TEST(sequence, sees_a_message_of_an_earlier_run) {
  sequence_check check{20};
  check.arm(1'000, 1);
  check.take(payload_with(999));
  check.take(payload_with(1'000));
  EXPECT_EQ(check.duplicated(), 1U);
  EXPECT_EQ(check.lost(), 0U);
}

TEST(sequence, notices_wrong_octets_and_sizes) {
  sequence_check check{20};
  check.arm(0, 3);
  auto wrong_end = payload_with(0);
  wrong_end.back() ^= 1U;
  check.take(wrong_end);
  check.take(payload_with(0, 19));
  EXPECT_EQ(check.damaged(), 2U);
  EXPECT_EQ(check.lost(), 3U);
}

TEST(sequence, compares_every_octet_when_asked_to) {
  auto wrong_middle = payload_with(0, 1'000);
  wrong_middle[500] ^= 1U;
  sequence_check check{1'000};
  check.arm(0, 1);
  check.thorough(true);
  check.take(wrong_middle);
  EXPECT_EQ(check.damaged(), 1U);
}

TEST(sequence, carries_the_low_end_in_short_payloads) {
  sequence_check check{1};
  check.arm(250, 20);
  for (std::uint64_t i = 250; i < 270; ++i) check.take(payload_with(i, 1));
  EXPECT_EQ(check.lost() + check.duplicated() + check.reordered() + check.damaged(), 0U);
}

TEST(sequence, has_nothing_to_say_of_empty_payloads_but_how_many) {
  sequence_check check{0};
  check.arm(0, 3);
  check.take({});
  check.take({});
  EXPECT_EQ(check.received(), 2U);
  EXPECT_EQ(check.lost(), 1U);
}

} // namespace
