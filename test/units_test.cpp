#include <troupe/config/units.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace troupe::config;
using namespace std::chrono_literals;

TEST(units, sizes_are_read_with_every_unit) {
  EXPECT_EQ(parse_bytes("0"), byte_count{0});
  EXPECT_EQ(parse_bytes("17"), byte_count{17});
  EXPECT_EQ(parse_bytes("17B"), byte_count{17});
  EXPECT_EQ(parse_bytes("2KB"), byte_count{2'000});
  EXPECT_EQ(parse_bytes("64KiB"), byte_count{65'536});
  EXPECT_EQ(parse_bytes("3 MB"), byte_count{3'000'000});
  EXPECT_EQ(parse_bytes("1MiB"), byte_count{1'048'576});
  EXPECT_EQ(parse_bytes("2GB"), byte_count{2'000'000'000});
  EXPECT_EQ(parse_bytes("4GiB"), byte_count{4ULL << 30});
}

TEST(units, durations_are_read_with_every_unit_and_bare_numbers_are_seconds) {
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("60"), 60s);
  EXPECT_EQ(parse_duration("5min"), 5min);
  EXPECT_EQ(parse_duration("5m"), 5min);
  EXPECT_EQ(parse_duration("2h"), 2h);
  EXPECT_EQ(parse_duration("7d"), 168h);
}

TEST(units, what_is_no_quantity_is_no_value) {
  for (auto text : {"", "s", "-1s", "1.5s", "10 parsecs", "1KiBs", "0x10", " 1s", "1  s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
}

TEST(units, what_does_not_fit_is_no_value) {
  EXPECT_TRUE(parse_bytes("18446744073709551615"));
  EXPECT_FALSE(parse_bytes("18446744073709551616"));
  EXPECT_FALSE(parse_bytes("17179869184GiB"));
  EXPECT_FALSE(parse_duration("9223372036854775808ms"));
  EXPECT_FALSE(parse_duration("106751991168d"));
}

TEST(units, quantities_print_in_the_largest_unit_that_keeps_them_exact) {
  EXPECT_EQ(print(byte_count{0}), "0B");
  EXPECT_EQ(print(byte_count{65'536}), "64KiB");
  EXPECT_EQ(print(byte_count{1'000'000}), "1MB");
  EXPECT_EQ(print(byte_count{268'435'460}), "268435460B");
  EXPECT_EQ(print(0ms), "0s");
  EXPECT_EQ(print(1'500ms), "1500ms");
  EXPECT_EQ(print(90s), "90s");
  EXPECT_EQ(print(24h), "1d");
}

RC_GTEST_PROP(units, what_is_printed_reads_back, (std::uint64_t size, std::uint32_t time)) {
  RC_ASSERT(parse_bytes(print(byte_count{size})) == byte_count{size});
  RC_ASSERT(parse_duration(print(std::chrono::milliseconds{time})) == std::chrono::milliseconds{time});
}
