// A bridge between the home of a socket and an actor elsewhere: here the test's own thread.
#include "support/ends.hpp"

#include <troupe/runtime/bridge_transport.hpp>
#include <troupe/runtime/loopback_transport.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;

/// Stands for an actor on a stock scheduler: runs when rung, on the test's thread.
class elsewhere final : public bell {
public:
  explicit elsewhere(home& where) : papers{where, *this, false} {}

  void ring() noexcept override {
    const std::lock_guard lock{mutex_};
    is_rung_ = true;
    changed_.notify_all();
  }
  void retain() noexcept override {}
  void release() noexcept override {}

  /// Runs whenever rung, until `condition` holds.
  template <class Condition>
  [[nodiscard]] bool run_until(Condition condition) {
    while (!condition()) {
      std::unique_lock lock{mutex_};
      if (!changed_.wait_for(lock, patience, [this] { return is_rung_; })) return false;
      is_rung_ = false;
      lock.unlock();
      papers.run();
    }
    return true;
  }

  desk papers;

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_rung_ = false;
};

class bridge_transport_test : public testing::Test {
protected:
  void TearDown() override {
    actor_.papers.close();
    near_.reset();
    at(where(), [&] { far_.reset(); });
    idle(where());
  }
  home& where() { return stage_.inside()[0]; }

  void connect(transport_options options = {}) {
    at(where(), [&] {
      auto ends = make_loopback({where(), options}, {where(), options}, "loopback://test");
      near_ = bridge(actor_.papers.line(), std::move(ends.first), options);
      far_ = std::move(ends.second);
    });
  }
  void start() {
    near_->start(near_sink_);
    at(where(), [&] { far_->start(far_sink_); });
  }

  stage stage_{{.workers = 1}};
  elsewhere actor_{where()};
  recorder near_sink_;
  recorder far_sink_;
  transport_ptr near_;
  transport_ptr far_;
};

TEST_F(bridge_transport_test, is_no_bridge_where_the_actor_is_at_home) {
  desk at_home{where(), actor_, true};
  at(where(), [&] {
    auto ends = make_loopback({where()}, {where()}, "x");
    const transport* const real = ends.first.get();
    auto same = bridge(at_home.line(), std::move(ends.first));
    EXPECT_EQ(same.get(), real);
  });
}

TEST_F(bridge_transport_test, carries_octets_both_ways_in_runs_of_the_actor) {
  connect();
  const auto here = std::this_thread::get_id();
  near_sink_.when_read = [&](protocol::slice) { EXPECT_EQ(std::this_thread::get_id(), here); };
  start();
  put(*near_, "ping");
  ASSERT_TRUE(actor_.run_until([&] { return near_sink_.writables() != 0; }));
  ASSERT_TRUE(far_sink_.wait_for_octets(4));
  at(where(), [&] { put(*far_, "pong"); });
  ASSERT_TRUE(actor_.run_until([&] { return near_sink_.octets() == 4; }));
  EXPECT_EQ(near_sink_.received(), "pong");
  EXPECT_EQ(far_sink_.received(), "ping");
  EXPECT_EQ(near_->backlog(), 0U);
  EXPECT_EQ(near_->peer_name(), "loopback://test");
}

TEST_F(bridge_transport_test, echoes_megabytes_in_order) {
  connect();
  const std::string sent = pattern(3'000'000);
  near_sink_.when_read = [&](protocol::slice bytes) {
    near_->out().borrow(bytes.bytes(), bytes.owner().get());
    near_->flush_later();
  };
  start();
  at(where(), [&] { put(*far_, sent); });
  ASSERT_TRUE(actor_.run_until([&] { return near_sink_.octets() == sent.size() && near_->backlog() == 0; }));
  ASSERT_TRUE(far_sink_.wait_for_octets(sent.size()));
  EXPECT_EQ(far_sink_.received(), sent);
}

TEST_F(bridge_transport_test, stops_the_socket_when_too_much_waits_for_the_actor) {
  connect({.high_mark = 50'000, .low_mark = 10'000});
  start();
  const std::string sent = pattern(2'000'000);
  at(where(), [&] { put(*far_, sent); });
  idle(where());
  EXPECT_GT(at(where(), [&] { return far_->backlog(); }), 1'000'000U) << "the actor has not run";
  ASSERT_TRUE(actor_.run_until([&] { return near_sink_.octets() == sent.size(); }));
  EXPECT_EQ(near_sink_.received(), sent);
}

TEST_F(bridge_transport_test, delivers_nothing_while_paused) {
  connect();
  start();
  near_->pause();
  at(where(), [&] { put(*far_, pattern(500'000)); });
  idle(where());
  actor_.papers.run();
  EXPECT_EQ(near_sink_.octets(), 0U);
  near_->resume();
  ASSERT_TRUE(actor_.run_until([&] { return near_sink_.octets() == 500'000; }));
}

TEST_F(bridge_transport_test, is_congested_until_the_peer_has_taken_enough) {
  connect({.high_mark = 50'000, .low_mark = 10'000});
  near_->start(near_sink_);
  std::size_t produced = 0;
  while (!near_->is_congested() || produced < 1'000'000) {
    put(*near_, pattern(10'000));
    produced += 10'000;
  }
  at(where(), [&] { far_->start(far_sink_); });
  ASSERT_TRUE(actor_.run_until([&] { return near_->backlog() == 0; }));
  ASSERT_TRUE(far_sink_.wait_for_octets(produced));
  EXPECT_FALSE(near_->is_congested());
}

TEST_F(bridge_transport_test, hands_over_what_is_left_before_it_closes) {
  connect();
  start();
  put(*near_, pattern(700'000));
  near_->close();
  ASSERT_TRUE(actor_.run_until([&] { return near_sink_.closes() != 0; }));
  ASSERT_TRUE(far_sink_.wait_for_close());
  EXPECT_EQ(far_sink_.received(), pattern(700'000));
  EXPECT_FALSE(near_sink_.why());
}

TEST_F(bridge_transport_test, tells_of_the_end_once_after_everything_that_came_before) {
  connect();
  start();
  at(where(), [&] {
    put(*far_, "last");
    far_->close();
  });
  ASSERT_TRUE(actor_.run_until([&] { return near_sink_.closes() != 0; }));
  EXPECT_EQ(near_sink_.received(), "last");
  near_->abort();
  near_->close();
  idle(where());
  actor_.papers.run();
  EXPECT_EQ(near_sink_.closes(), 1);
}

TEST_F(bridge_transport_test, tells_of_the_end_to_one_who_paused_and_leaves) {
  connect();
  start();
  near_->pause();
  at(where(), [&] {
    put(*far_, "unread");
    far_->close();
  });
  idle(where());
  actor_.papers.run();
  EXPECT_EQ(near_sink_.closes(), 0) << "something came before the end";
  near_->close();
  ASSERT_TRUE(actor_.run_until([&] { return near_sink_.closes() != 0; }));
  EXPECT_EQ(near_sink_.received(), "");
}

TEST_F(bridge_transport_test, lets_one_go_on_who_paused_until_his_output_had_left) {
  connect({.high_mark = 50'000, .low_mark = 10'000});
  near_->start(near_sink_); // the other end never takes anything
  put(*near_, pattern(1'000'000));
  near_->pause();
  near_sink_.when_writable = [&] {
    if (near_->backlog() == 0) near_->resume();
  };
  at(where(), [&] {
    put(*far_, "last");
    far_->close();
  });
  ASSERT_TRUE(actor_.run_until([&] { return near_sink_.closes() != 0; }));
  EXPECT_EQ(near_sink_.received(), "last");
}

TEST_F(bridge_transport_test, may_be_dropped_from_inside_any_call_of_its_sink) {
  for (int moment = 0; moment < 3; ++moment) {
    connect();
    recorder near;
    recorder far;
    near.when_read = [&](protocol::slice) {
      if (moment == 0) near_.reset();
    };
    near.when_writable = [&] {
      if (moment == 1) near_.reset();
    };
    near.when_closed = [&](std::error_code) { near_.reset(); };
    near_->start(near);
    put(*near_, "x");
    at(where(), [&] {
      far_->start(far);
      put(*far_, pattern(100'000));
      if (moment == 2) far_->close();
    });
    ASSERT_TRUE(actor_.run_until([&] { return near_ == nullptr; })) << moment;
    ASSERT_TRUE(far.wait_for_close());
  }
}

TEST_F(bridge_transport_test, aborts_the_real_one_when_it_gets_lost_on_its_way) {
  connect();
  at(where(), [&] { far_->start(far_sink_); });
  near_.reset();
  ASSERT_TRUE(far_sink_.wait_for_close());
  EXPECT_EQ(far_sink_.why(), std::errc::connection_reset);
}

TEST_F(bridge_transport_test, makes_no_call_once_its_desk_has_closed) {
  connect();
  start();
  actor_.papers.close();
  at(where(), [&] { put(*far_, "unheard"); });
  idle(where());
  actor_.papers.run();
  EXPECT_EQ(near_sink_.octets(), 0U);
}

} // namespace
