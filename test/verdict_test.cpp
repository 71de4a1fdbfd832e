#include <troupe/bench/load/verdict.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe::bench;
using troupe::protocol::version;

row timed(version which, double time) {
  row r;
  r.work.version = which;
  r.work.id = "row";
  r.ours = {{time - 1, time, time + 1, time - 1, time, time + 1}};
  return r;
}

TEST(verdict, pairs_rows_that_differ_in_the_version_alone) {
  row other = timed(version::v3_1_1, 100);
  other.work.payload = 1'024;
  const row rows[] = {timed(version::v5_0, 100), other, timed(version::v3_1_1, 98)};
  const version_verdict v = compare_versions(rows);
  ASSERT_EQ(v.pairs.size(), 1U);
  EXPECT_NEAR(v.mean_ratio, 0.98, 1e-9);
  EXPECT_EQ(v.behind, 0U);
}

TEST(verdict, names_rows_that_fall_behind_significantly) {
  const row rows[] = {timed(version::v5_0, 200), timed(version::v3_1_1, 100)};
  const version_verdict v = compare_versions(rows);
  EXPECT_EQ(v.behind, 1U);
  EXPECT_NE(sentence(v).find("behind: row"), std::string::npos);
}

TEST(verdict, has_nothing_to_say_without_pairs) {
  const row rows[] = {timed(version::v5_0, 200)};
  EXPECT_TRUE(sentence(compare_versions(rows)).empty());
}

TEST(verdict, puts_failure_before_loss) {
  row failed = timed(version::v5_0, 1);
  failed.failure = "reason";
  row astray = timed(version::v5_0, 1);
  astray.found.reordered = 1;
  const row clean[] = {timed(version::v5_0, 1)};
  const row lossy[] = {timed(version::v5_0, 1), astray};
  const row both[] = {astray, failed};
  EXPECT_EQ(state_of(clean), run_state::clean);
  EXPECT_EQ(state_of(lossy), run_state::astray);
  EXPECT_EQ(state_of(both), run_state::failed);
}

} // namespace
