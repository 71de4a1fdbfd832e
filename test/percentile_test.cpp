#include <troupe/bench/load/percentile.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace troupe::bench;

TEST(percentile, is_read_from_a_list) {
  EXPECT_EQ(parse_percentiles("50"), std::vector<double>{50});
  EXPECT_EQ(parse_percentiles("50,95,99.9999"), (std::vector<double>{50, 95, 99.9999}));
  for (const char* wrong : {"", ",", "50,", ",50", "0", "100", "-1", "nan", "p50", "50 ", "50;90", "1e1"})
    EXPECT_FALSE(parse_percentiles(wrong)) << wrong;
}

TEST(percentile, has_the_name_that_people_say) {
  EXPECT_EQ(percentile_name(50), "p50");
  EXPECT_EQ(percentile_name(99.9), "p99.9");
  EXPECT_EQ(percentile_name(99.9999), "p99.9999");
}

TEST(percentile, is_a_share_by_its_name) {
  EXPECT_EQ(share_of_name("p50"), 0.5);
  EXPECT_EQ(share_of_name("p99.9"), 0.999);
  EXPECT_EQ(share_of_name("p99.99"), 0.9999);
  EXPECT_EQ(share_of_name("p7"), 0.07);
  for (const char* wrong : {"", "p", "50", "p0", "p100", "p99.", "p9x", "q50", "p-1", "pinf"})
    EXPECT_EQ(share_of_name(wrong).has_value(), std::string_view{wrong} == "p99.") << wrong;
}

} // namespace
