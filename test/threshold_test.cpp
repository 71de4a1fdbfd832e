#include <troupe/bench/load/threshold.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe::bench;

row measured() {
  row r;
  r.work.id = "W40";
  r.ours = {{100, 100}};
  r.raw[0] = {{60, 60}};
  return r;
}

TEST(threshold, is_read_with_any_operator_and_unit) {
  const auto t = parse_threshold(" rate >= 2M");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->metric, "rate");
  EXPECT_EQ(t->how, comparison::at_least);
  EXPECT_EQ(t->bound, 2e6);
  EXPECT_EQ(parse_threshold("lost==0")->how, comparison::equal);
  EXPECT_EQ(parse_threshold("p99_ns<5e6")->bound, 5e6);
}

TEST(threshold, is_refused_when_it_makes_no_sense) {
  for (const char* text : {"", "ratio", "ratio>=", "ratio>=x", "nothing>=1", "ratio>=1q", ">=1"})
    EXPECT_FALSE(parse_threshold(text)) << text;
}

TEST(threshold, names_each_row_that_breaches_it) {
  const row rows[] = {measured()};
  EXPECT_TRUE(breaches(*parse_threshold("ratio>=0.6"), rows).empty());
  EXPECT_EQ(breaches(*parse_threshold("ratio>=0.7"), rows).size(), 1U);
  EXPECT_TRUE(breaches(*parse_threshold("lost==0"), rows).empty());
  EXPECT_EQ(breaches(*parse_threshold("rate>=1e12"), rows).size(), 1U);
}

TEST(threshold, is_breached_when_no_row_can_answer) {
  const row rows[] = {measured()};
  EXPECT_EQ(breaches(*parse_threshold("p50_ns<=1"), rows).size(), 1U);
}

} // namespace
