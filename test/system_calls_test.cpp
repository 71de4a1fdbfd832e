#include <troupe/bench/load/child_process.hpp>
#include <troupe/bench/load/system_calls.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe::bench;

TEST(system_calls, reads_the_total_of_a_summary) {
  EXPECT_EQ(
      total_of_summary("    calls syscall\n--------- ----------------\n        3 read\n       12 write\n"
                       "--------- ----------------\n       15 total\n"),
      15U);
  EXPECT_FALSE(total_of_summary("strace: not found"));
  EXPECT_FALSE(total_of_summary(""));
}

TEST(child_process, collects_output_and_status) {
  const child_result good = run_child({"sh", "-c", "echo out; exit 7"}, child_errors::hidden);
  EXPECT_EQ(good.output, "out\n");
  EXPECT_EQ(good.status, 7);
  EXPECT_EQ(run_child({"/no/such/program"}, child_errors::hidden).status, 127);
  EXPECT_EQ(run_child({}, child_errors::hidden).status, 127);
}

TEST(child_process, knows_its_own_program) { EXPECT_NE(own_program().find("_tests"), std::string::npos); }

} // namespace
