#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/result.hpp>

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace {

using namespace troupe::protocol;

TEST(result, holds_a_value_or_an_error) {
  result<int> good{7};
  EXPECT_TRUE(good);
  EXPECT_EQ(*good, 7);
  EXPECT_EQ(good.error(), std::error_code{});
  result<int> bad{errc::malformed_packet};
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error(), errc::malformed_packet);
  good = bad;
  EXPECT_FALSE(good);
  good = 8;
  EXPECT_EQ(good.value(), 8);
}

TEST(result, takes_errors_of_other_categories) {
  const result<int> bad{std::make_error_code(std::errc::timed_out)};
  EXPECT_EQ(bad.error(), std::errc::timed_out);
}

TEST(result, moves_what_can_only_be_moved) {
  result<std::unique_ptr<int>> good{std::make_unique<int>(3)};
  const std::unique_ptr<int> taken = *std::move(good);
  EXPECT_EQ(*taken, 3);
  const result<std::string> built{std::in_place, 3U, 'x'};
  EXPECT_EQ(*built, "xxx");
  EXPECT_EQ(built->size(), 3U);
}

TEST(result, of_nothing_is_good_or_an_error) {
  const result<void> good;
  EXPECT_TRUE(good);
  EXPECT_EQ(good.error(), std::error_code{});
  const result<void> bad{errc::closed};
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error(), errc::closed);
  const result<void> none{std::error_code{}};
  EXPECT_TRUE(none) << "no error is success";
}

} // namespace
