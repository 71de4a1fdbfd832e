#include <troupe/bench/load/message_stamp.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace troupe::bench;

TEST(message_stamp, comes_back_from_a_payload_that_holds_all_of_it) {
  std::vector<std::uint8_t> payload(stamped_octets);
  write_stamp(payload, {.publisher = 7, .number = 123'456'789'012, .due = 1'000, .sent = 1'000 + 16 * 5}, 42);
  const message_stamp read = read_stamp(payload, 42);
  EXPECT_TRUE(read.is_numbered);
  EXPECT_TRUE(read.is_timed);
  EXPECT_EQ(read.publisher, 7U);
  EXPECT_EQ(read.number, 123'456'789'012U);
  EXPECT_EQ(read.due, 1'000);
  EXPECT_EQ(read.sent, 1'080);
}

TEST(message_stamp, carries_only_what_fits) {
  std::vector<std::uint8_t> payload(numbered_octets);
  write_stamp(payload, {.publisher = 1, .number = 2, .due = 3, .sent = 3}, 42);
  EXPECT_TRUE(read_stamp(payload, 42).is_numbered);
  EXPECT_FALSE(read_stamp(payload, 42).is_timed);
  payload.resize(numbered_octets - 1);
  write_stamp(payload, {}, 42);
  EXPECT_FALSE(read_stamp(payload, 42).is_numbered);
}

TEST(message_stamp, has_no_times_for_a_reader_with_another_clock) {
  std::vector<std::uint8_t> payload(100);
  write_stamp(payload, {.due = 3, .sent = 3}, 42);
  EXPECT_FALSE(read_stamp(payload, 43).is_timed);
}

} // namespace
