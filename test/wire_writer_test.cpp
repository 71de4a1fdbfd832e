#include "support/wire.hpp"

#include <troupe/protocol/wire_writer.hpp>

#include <array>
#include <gtest/gtest.h>

namespace {

using namespace troupe::protocol;
using namespace support;

TEST(wire_writer, writes_each_form) {
  std::vector<octet> room(64);
  wire_writer to{room.data()};
  to.write_byte(7);
  to.write_two_bytes(0x0102);
  to.write_four_bytes(0x01020304);
  to.write_variable(128);
  to.write_text("ab");
  to.write_binary(octets{std::array<octet, 2>{0xFF, 0}});
  to.write_raw(as_octets("rest"));
  EXPECT_EQ(dump({room.data(), to.position()}), dump("07 0102 01020304 8001 0002'ab' 0002 FF00 'rest'"));
}

TEST(wire_writer, copies_every_length_exactly) {
  for (std::size_t size = 0; size <= 100; ++size) {
    std::vector<octet> source(size), target(size, 0xEE); // exact: the sanitizer watches both ends
    for (std::size_t i = 0; i < size; ++i) source[i] = static_cast<octet>(i + 1);
    detail::copy(target.data(), source.data(), size);
    EXPECT_EQ(target, source);
  }
}

TEST(wire_writer, section_1_5_5_sizes) {
  EXPECT_EQ(variable_size(127), 1U);
  EXPECT_EQ(variable_size(128), 2U);
  EXPECT_EQ(variable_size(16'383), 2U);
  EXPECT_EQ(variable_size(16'384), 3U);
  EXPECT_EQ(variable_size(2'097'151), 3U);
  EXPECT_EQ(variable_size(2'097'152), 4U);
  EXPECT_EQ(packet_size(127), 129U);
  EXPECT_EQ(packet_size(128), 131U);
}

} // namespace
