#include <troupe/bench/load/row_choice.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe::bench;

TEST(row_choice, leaves_long_rows_out_unless_asked) {
  row_choice choice;
  const auto few = choose_rows(choice);
  choice.full = true;
  const auto all = choose_rows(choice);
  EXPECT_LT(few.size(), all.size());
  EXPECT_EQ(all.size(), all_workloads().size());
  for (const workload& row : few) EXPECT_LE(row.payload, 8'192U);
}

TEST(row_choice, finds_long_rows_by_name) {
  row_choice choice;
  choice.filter = "*1MB";
  EXPECT_FALSE(choose_rows(choice).empty());
}

TEST(row_choice, joins_filters) {
  row_choice choice;
  choice.filter = "W4*";
  choice.transport = medium::tcp;
  choice.quality = troupe::protocol::qos::at_least_once;
  choice.payload = 10;
  choice.systems = 1;
  choice.scheduler = troupe::scheduler_kind::own;
  const auto rows = choose_rows(choice);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.front().id, "W42/burst/v5/tcp/qos1/10B");
}

TEST(row_choice, rearranges_rows_and_says_so) {
  row_choice choice;
  choice.filter = "W40*";
  choice.systems = 2;
  choice.scheduler = troupe::scheduler_kind::sharing;
  const auto rows = choose_rows(choice);
  ASSERT_EQ(rows.size(), 1U); // loopback does not reach into another system
  EXPECT_EQ(rows.front().id, "W40/burst/v5/tcp/qos0/10B/systems2/sharing");
  EXPECT_EQ(rows.front().systems, 2U);
}

TEST(row_choice, answers_nothing_when_nothing_fits) {
  row_choice choice;
  choice.filter = "no such row";
  EXPECT_TRUE(choose_rows(choice).empty());
}

} // namespace
