#include <troupe/config/field.hpp>

#include <gtest/gtest.h>

using namespace troupe::config;
using namespace std::chrono_literals;

namespace {

std::string assigning(const field& target, const std::string& text) {
  return target.assign(std::span{&text, 1}).value_or("");
}

} // namespace

TEST(field, values_of_every_type_are_taken_and_printed_as_toml) {
  bool flag = false;
  std::uint16_t small = 0;
  std::uint32_t whole = 0;
  std::string text;
  byte_count size;
  std::chrono::milliseconds time{};
  EXPECT_EQ(assigning({.where = &flag}, "true"), "");
  EXPECT_EQ(assigning({.where = &small}, "65535"), "");
  EXPECT_EQ(assigning({.where = &whole}, "4294967295"), "");
  EXPECT_EQ(assigning({.where = &text}, "say \"hi\""), "");
  EXPECT_EQ(assigning({.where = &size}, "64KiB"), "");
  EXPECT_EQ(assigning({.where = &time}, "2h"), "");
  EXPECT_EQ(field{.where = &flag}.print(), "true");
  EXPECT_EQ(field{.where = &small}.print(), "65535");
  EXPECT_EQ(field{.where = &whole}.print(), "4294967295");
  EXPECT_EQ(field{.where = &text}.print(), R"("say \"hi\"")");
  EXPECT_EQ(field{.where = &size}.print(), R"("64KiB")");
  EXPECT_EQ(field{.where = &time}.print(), R"("2h")");
}

TEST(field, lists_take_any_number_of_texts_and_everything_else_takes_one) {
  std::vector<std::string> list;
  std::vector<std::string> two{"a", "b"};
  EXPECT_FALSE(field{.where = &list}.assign(two));
  EXPECT_EQ(field{.where = &list}.print(), R"(["a", "b"])");
  std::string text = "kept";
  EXPECT_EQ(field{.where = &text}.assign(two), "wants one value, not 2");
  EXPECT_EQ(text, "kept");
}

TEST(field, a_value_out_of_bounds_is_refused_with_the_bounds_and_changes_nothing) {
  std::uint16_t number = 7;
  field target{.where = &number, .least = 1, .most = 100};
  EXPECT_EQ(assigning(target, "0"), "wants a number from 1 to 100, not '0'");
  EXPECT_EQ(assigning(target, "101"), "wants a number from 1 to 100, not '101'");
  EXPECT_EQ(assigning(target, "-3"), "wants a number from 1 to 100, not '-3'");
  EXPECT_EQ(assigning(target, "ten"), "wants a number from 1 to 100, not 'ten'");
  EXPECT_EQ(assigning({.where = &number}, "65536"), "wants a number from 0 to 65535, not '65536'");
  EXPECT_EQ(number, 7);
}

TEST(field, quantities_out_of_bounds_name_their_bounds_with_units) {
  byte_count size{1};
  std::chrono::milliseconds time{1};
  EXPECT_EQ(assigning({.where = &size, .least = 64, .most = 65'536}, "1MiB"),
            "wants a size from 64B to 64KiB (like 64KiB), not '1MiB'");
  EXPECT_EQ(assigning({.where = &time, .least = 1}, "0"),
            "wants a duration of at least 1ms (like 30s), not '0'");
  EXPECT_EQ(size, byte_count{1});
  EXPECT_EQ(time, 1ms);
}

TEST(field, a_text_with_choices_takes_nothing_else) {
  std::string word = "yield";
  field target{.where = &word, .choices = {"yield", "spin"}};
  EXPECT_EQ(assigning(target, "sleep"), "wants yield | spin, not 'sleep'");
  EXPECT_EQ(word, "yield");
}
