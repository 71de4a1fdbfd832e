#include <troupe/bench/load/condition.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe::bench;

TEST(condition, reads_times_as_nanoseconds_and_thousands) {
  EXPECT_EQ(parse_condition("e2e.p99<5ms")->bound, 5e6);
  EXPECT_EQ(parse_condition("e2e.p99 < 20us")->bound, 2e4);
  EXPECT_EQ(parse_condition("recv.rate>=100k")->bound, 1e5);
  EXPECT_EQ(parse_condition("recv.rate>=1e12")->bound, 1e12);
}

TEST(condition, refuses_what_is_not_metric_operator_and_number) {
  for (const char* text : {"", "x", "x>", ">1", "x>y", "x>1q", "x>nan", "x>inf"})
    EXPECT_FALSE(parse_condition(text)) << text;
}

TEST(condition, holds_as_its_operator_says) {
  EXPECT_TRUE(holds(1, *parse_condition("x<=1")));
  EXPECT_FALSE(holds(1, *parse_condition("x<1")));
  EXPECT_TRUE(holds(1, *parse_condition("x==1")));
  EXPECT_TRUE(holds(1, *parse_condition("x>=1")));
  EXPECT_FALSE(holds(1, *parse_condition("x>1")));
}

} // namespace
