#include <troupe/actors/handler_gate.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

namespace {

using troupe::actors::handler_gate;

TEST(handler_gates, let_runs_in_until_they_are_closed) {
  handler_gate gate;
  EXPECT_TRUE(gate.enter());
  gate.leave();
  gate.close();
  EXPECT_TRUE(gate.is_closed());
  EXPECT_FALSE(gate.enter());
}

TEST(handler_gates, closing_waits_for_the_run_that_goes_on) {
  handler_gate gate;
  std::atomic<bool> is_over{false};
  std::latch inside{1};
  std::latch may_leave{1};
  std::thread runner{[&] {
    ASSERT_TRUE(gate.enter());
    inside.count_down();
    may_leave.wait();
    is_over = true;
    gate.leave();
  }};
  inside.wait();
  std::thread releaser{[&] { may_leave.count_down(); }};
  gate.close();
  EXPECT_TRUE(is_over);
  runner.join();
  releaser.join();
}

TEST(handler_gates, can_be_closed_from_inside) {
  handler_gate gate;
  ASSERT_TRUE(gate.enter());
  gate.close();
  EXPECT_TRUE(gate.is_closed());
  gate.leave();
  EXPECT_FALSE(gate.enter());
}

TEST(handler_gates, can_be_shut_without_waiting) {
  handler_gate gate;
  ASSERT_TRUE(gate.enter());
  std::thread{[&] { gate.shut(); }}.join();
  EXPECT_TRUE(gate.is_closed());
  gate.leave();
}

} // namespace
