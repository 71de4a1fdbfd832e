#include <troupe/bench/load/row.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe::bench;

TEST(row, takes_the_fastest_arrangement_for_the_raw_limit) {
  row r;
  r.ours = {{200, 200}, {200, 200}};
  r.raw[0] = {{150, 150}};
  r.raw[1] = {{100, 100}};
  const auto f = figures_of(r);
  ASSERT_TRUE(f && f->raw);
  EXPECT_EQ(f->raw->threads, 2U);
  EXPECT_DOUBLE_EQ(*f->ratio, 0.5);
}

TEST(row, has_no_ratio_without_a_raw_limit) {
  row r;
  r.ours = {{200}};
  ASSERT_TRUE(figures_of(r));
  EXPECT_FALSE(figures_of(r)->ratio);
}

TEST(row, has_no_figures_when_it_failed) {
  row r;
  r.ours = {{200}};
  r.failure = "30 s passed";
  EXPECT_FALSE(figures_of(r));
}

TEST(row, compares_latencies_by_their_medians) {
  row r;
  r.work.kind = workload_kind::ping;
  r.ours = {{100, 100, 100, 900}};
  r.raw[1] = {{50, 50, 50, 50}};
  const auto f = figures_of(r);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->p50, 100);
  EXPECT_NEAR(f->p99, 900, 9);
  EXPECT_DOUBLE_EQ(*f->ratio, 0.5);
}

} // namespace
