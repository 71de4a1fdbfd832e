#include "support/wire.hpp"

#include <troupe/protocol/wire_reader.hpp>
#include <troupe/protocol/wire_writer.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using namespace troupe::protocol;
using namespace support;

TEST(wire_reader, reads_each_form) {
  const padded bytes = hex("07 0102 01020304 8001 0002'ab' 0002 FF00 'rest'");
  wire_reader from{bytes};
  octet byte = 0;
  std::uint16_t two = 0;
  std::uint32_t four = 0, variable = 0;
  std::string_view text;
  octets binary, rest;
  ASSERT_TRUE(from.read_byte(byte) && from.read_two_bytes(two) && from.read_four_bytes(four));
  ASSERT_TRUE(from.read_variable(variable) && from.read_text(text) && from.read_binary(binary));
  EXPECT_EQ(byte, 7);
  EXPECT_EQ(two, 0x0102);
  EXPECT_EQ(four, 0x01020304U);
  EXPECT_EQ(variable, 128U);
  EXPECT_EQ(text, "ab");
  EXPECT_EQ(dump(binary), "FF 00");
  EXPECT_EQ(from.left(), 4U);
  EXPECT_EQ(as_text(from.rest()), "rest");
  EXPECT_FALSE(from.take(5, rest));
  EXPECT_TRUE(from.take(4, rest));
  EXPECT_TRUE(from.at_end());
  EXPECT_FALSE(from.read_byte(byte));
}

TEST(wire_reader, MQTT_1_5_5_1_wants_the_shortest_form) {
  const auto reads = [](const char* bytes) {
    const padded source = hex(bytes);
    wire_reader from{source};
    std::uint32_t value = 0;
    return from.read_variable(value);
  };
  for (const char* right : {"00", "7F", "8001", "FF7F", "808001", "FFFF7F", "80808001", "FFFFFF7F"})
    EXPECT_TRUE(reads(right)) << right;
  for (const char* wrong : {"", "80", "8000", "FF00", "808000", "80808000", "FFFFFFFF", "FFFFFFFF01", "8080"})
    EXPECT_FALSE(reads(wrong)) << wrong;
}

TEST(wire_reader, refuses_lengths_beyond_its_end) {
  octets binary;
  std::string_view text;
  std::uint16_t two = 0;
  std::uint32_t four = 0;
  for (const char* wrong : {"", "00", "0001", "0002'a'", "FFFF'abc'"}) {
    const padded source = hex(wrong);
    EXPECT_FALSE(wire_reader{source}.read_binary(binary)) << wrong;
    EXPECT_FALSE(wire_reader{source}.read_text(text)) << wrong;
  }
  const padded short_one = hex("01");
  EXPECT_FALSE(wire_reader{short_one}.read_two_bytes(two));
  const padded three = hex("010203");
  EXPECT_FALSE(wire_reader{three}.read_four_bytes(four));
}

TEST(wire_reader, reads_packet_identifiers_above_zero) {
  packet_id id = 0;
  const padded right = hex("0100"), zero = hex("0000"), cut = hex("01");
  wire_reader a{right}, b{zero}, c{cut};
  EXPECT_EQ(read_packet_id(a, id), errc{});
  EXPECT_EQ(id, 256);
  EXPECT_EQ(read_packet_id(b, id), errc::protocol_error);
  EXPECT_EQ(read_packet_id(c, id), errc::malformed_packet);
}

TEST(wire_reader, reads_every_size_class_of_what_the_writer_wrote) {
  for (std::uint32_t value = 0; value <= max_remaining_length;
       value = value < 70'000 ? value + 1 : value + 9'973) {
    octet bytes[8]{};
    wire_writer to{bytes};
    to.write_variable(value);
    const auto size = static_cast<std::size_t>(to.position() - bytes);
    ASSERT_EQ(size, variable_size(value));
    wire_reader from{{bytes, size}};
    std::uint32_t back = 0;
    ASSERT_TRUE(from.read_variable(back));
    ASSERT_EQ(back, value);
    ASSERT_TRUE(from.at_end());
  }
}

} // namespace
