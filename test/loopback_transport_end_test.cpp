// Two ends in memory: how they end, in order, by force, and both at the same moment.
#include "support/loopback_transport_test.hpp"

#include <gtest/gtest.h>

#include <future>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;
using namespace std::chrono_literals;

TEST_P(loopback_transport_test, hands_over_what_is_left_before_it_closes) {
  connect();
  start();
  const std::string last = pattern(700'000);
  at(here(), [&] {
    put(*near_, last);
    near_->close();
    near_->close();
  });
  ASSERT_TRUE(far_sink_.wait_for_close());
  ASSERT_TRUE(near_sink_.wait_for_close());
  EXPECT_EQ(far_sink_.received(), last);
  EXPECT_FALSE(far_sink_.why());
  EXPECT_FALSE(near_sink_.why());
}

TEST_P(loopback_transport_test, gives_up_lingering_when_its_time_is_over) {
  connect({.linger = 0ms});
  start();
  at(there(), [&] { far_->pause(); });
  at(here(), [&] {
    put(*near_, pattern(2'000'000));
    near_->close();
  });
  ASSERT_TRUE(near_sink_.wait_for_close());
  EXPECT_EQ(near_sink_.why(), std::errc::timed_out);
  at(there(), [&] { far_->resume(); });
  ASSERT_TRUE(far_sink_.wait_for_close());
  EXPECT_EQ(far_sink_.why(), std::errc::connection_reset);
}

TEST_P(loopback_transport_test, shows_an_end_that_was_dropped_as_a_reset) {
  connect();
  start();
  at(here(), [&] { put(*near_, "last"); });
  ASSERT_TRUE(far_sink_.wait_for_octets(4));
  at(here(), [&] { near_.reset(); });
  ASSERT_TRUE(far_sink_.wait_for_close());
  EXPECT_EQ(far_sink_.why(), std::errc::connection_reset);
  EXPECT_EQ(near_sink_.closes(), 0);
}

TEST_P(loopback_transport_test, tells_of_the_end_once_and_not_from_inside_a_call) {
  connect();
  bool is_inside = false;
  far_sink_.when_read = [&](protocol::slice) {
    is_inside = true;
    far_->abort();
    far_->close();
    far_->abort();
    is_inside = false;
  };
  far_sink_.when_closed = [&](std::error_code) { EXPECT_FALSE(is_inside); };
  start();
  at(here(), [&] { put(*near_, pattern(300'000)); });
  ASSERT_TRUE(far_sink_.wait_for_close());
  ASSERT_TRUE(near_sink_.wait_for_close());
  EXPECT_EQ(near_sink_.why(), std::errc::connection_reset);
  let_run();
  EXPECT_EQ(near_sink_.closes(), 1);
  EXPECT_EQ(far_sink_.closes(), 1);
}

TEST_P(loopback_transport_test, may_be_dropped_from_inside_any_call_of_its_sink) {
  for (int moment = 0; moment < 4; ++moment) {
    connect();
    recorder near;
    recorder far;
    far.when_read = [&](protocol::slice) {
      if (moment == 0) far_.reset();
    };
    far.when_writable = [&] {
      if (moment == 1) far_.reset();
    };
    far.when_closed = [&](std::error_code) { far_.reset(); };
    if (moment == 3) far.wants = 10;
    at(here(), [&] {
      near_->start(near);
      put(*near_, pattern(100'000));
      if (moment >= 2) near_->close();
    });
    at(there(), [&] {
      far_->start(far);
      put(*far_, "y");
    });
    ASSERT_TRUE(near.wait_for_close()) << moment;
    close_all();
  }
}

TEST_P(loopback_transport_test, survives_ends_that_go_at_the_same_moment) {
  for (int round = 0; round < 300; ++round) {
    connect();
    recorder near;
    recorder far;
    at(here(), [&] { near_->start(near); });
    at(there(), [&] { far_->start(far); });
    std::promise<void> gone;
    here().post([&] {
      put(*near_, pattern(70'000));
      if (round % 2 == 0) near_->close();
      if (round % 3 == 0) near_.reset();
    });
    there().post([&] {
      put(*far_, pattern(70'000));
      if (round % 5 == 0) far_->abort();
      far_.reset();
      gone.set_value();
    });
    gone.get_future().get();
    close_all();
    for (recorder* each : {&near, &far}) {
      EXPECT_TRUE(pattern(70'000).starts_with(each->received())) << round;
      EXPECT_LE(each->closes(), 1) << round;
    }
  }
}

} // namespace
