#include <troupe/bench/load/child_process.hpp>

#include <gtest/gtest.h>

#include <csignal>

namespace {

using namespace troupe::bench;

TEST(child_process, collects_what_is_said_and_how_it_ended) {
  const child_result ended = run_child({"sh", "-c", "echo one; echo two >&2; exit 7"}, child_errors::hidden);
  EXPECT_EQ(ended.output, "one\n");
  EXPECT_EQ(ended.status, 7);
  EXPECT_EQ(run_child({"/nonexistent"}, child_errors::hidden).status, 127);
}

TEST(child_process, can_be_ended_though_we_hold_signals_back) {
  sigset_t held;
  sigset_t before;
  sigemptyset(&held);
  sigaddset(&held, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  const child_result ended = run_child({"sh", "-c", "kill -TERM $$; exit 0"}, child_errors::hidden);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(ended.status, 128 + SIGTERM);
}

} // namespace
