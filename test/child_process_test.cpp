#include <troupe/bench/load/child_process.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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

TEST(background_process, hears_the_word_that_it_waits_for) {
  background_process child{{"sh", "-c", "echo one; echo it is running >&2; cat"}, child_errors::collected};
  EXPECT_TRUE(child.says(" running", std::chrono::minutes{1})); // cat ends at once: there is nothing to read
  EXPECT_FALSE(child.says(" running", std::chrono::minutes{1}));
  EXPECT_EQ(child.wait(), 0);
}

TEST(background_process, does_not_hear_an_interrupt_at_the_terminal) {
  const char* leads_its_group = "read pid name state parent group rest < /proc/$$/stat; test $pid = $group";
  EXPECT_EQ(run_child({"sh", "-c", leads_its_group}, child_errors::hidden).status, 0);
}

TEST(background_process, is_over_at_once_when_it_cannot_be_executed) {
  background_process child{{"/nonexistent"}, child_errors::collected};
  EXPECT_FALSE(child.says("anything", std::chrono::minutes{1}));
  EXPECT_EQ(child.wait(), 127);
}

TEST(background_process, ends_with_the_thread_that_started_it) {
  std::optional<background_process> child;
  std::thread{[&child] {
    child.emplace(std::vector<std::string>{"sh", "-c", "echo here; exec sleep 600"});
    EXPECT_EQ(child->first_line(), "here");
  }}.join();
  EXPECT_EQ(child->wait(), 128 + SIGTERM);
}

} // namespace
