// Two ends in memory: on one home, and on two.
#include "support/ends.hpp"

#include <troupe/runtime/loopback_transport.hpp>
#include <troupe/runtime/slab_pool.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;
using namespace std::chrono_literals;

class loopback_transport_test : public testing::TestWithParam<std::size_t> {
protected:
  void TearDown() override { close_all(); }

  home& here() { return stage_.inside()[0]; }
  home& there() { return stage_.inside()[GetParam() - 1]; }

  void connect(transport_options options = {}, loopback_faults faults = {}) {
    auto ends = make_loopback({here(), options, faults}, {there(), options, faults}, "loopback://test");
    near_ = std::move(ends.first);
    far_ = std::move(ends.second);
  }
  void start() {
    at(here(), [&] { near_->start(near_sink_); });
    at(there(), [&] { far_->start(far_sink_); });
  }
  void close_all() {
    at(here(), [&] { near_.reset(); });
    at(there(), [&] { far_.reset(); });
  }
  void let_run() {
    for (int i = 0; i < 2; ++i) {
      idle(here());
      idle(there());
    }
  }
  void echo() {
    far_sink_.when_read = [&](protocol::slice bytes) {
      far_->out().borrow(bytes.bytes(), bytes.owner().get());
      far_->flush_later();
    };
  }

  stage stage_{{.workers = GetParam()}};
  recorder near_sink_;
  recorder far_sink_;
  transport_ptr near_;
  transport_ptr far_;
};

INSTANTIATE_TEST_SUITE_P(homes, loopback_transport_test, testing::Values(1, 2));

TEST_P(loopback_transport_test, carries_octets_both_ways_by_reference) {
  connect();
  start();
  at(here(), [&] { put(*near_, "ping"); });
  ASSERT_TRUE(far_sink_.wait_for_octets(4));
  at(there(), [&] { put(*far_, "pong"); });
  ASSERT_TRUE(near_sink_.wait_for_octets(4));
  EXPECT_EQ(far_sink_.received(), "ping");
  EXPECT_EQ(near_sink_.received(), "pong");
  EXPECT_EQ(near_->peer_name(), "loopback://test");
}

TEST_P(loopback_transport_test, hands_over_once_for_everything_appended_in_one_go) {
  connect();
  start();
  at(here(), [&] {
    for (int i = 0; i < 1000; ++i) put(*near_, "0123456789012345678901234");
    EXPECT_EQ(near_->backlog(), 25'000U);
  });
  ASSERT_TRUE(far_sink_.wait_for_octets(25'000));
  EXPECT_LE(far_sink_.reads(), 3) << "slabs, not messages";
}

TEST_P(loopback_transport_test, keeps_what_was_written_before_the_other_end_started) {
  connect();
  at(here(), [&] { put(*near_, "early"); });
  let_run();
  start();
  ASSERT_TRUE(far_sink_.wait_for_octets(5));
  EXPECT_EQ(far_sink_.received(), "early");
}

TEST_P(loopback_transport_test, echoes_megabytes_in_order) {
  connect();
  const std::string sent = pattern(3'000'000);
  echo();
  start();
  at(here(), [&] { put(*near_, sent); });
  ASSERT_TRUE(near_sink_.wait_for_octets(sent.size()));
  EXPECT_EQ(near_sink_.received(), sent);
}

TEST_P(loopback_transport_test, echoes_the_same_when_every_hand_over_is_cut) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    connect({}, {.seed = seed, .largest_piece = 1 + 50 * (seed - 1)});
    recorder far;
    recorder near;
    far.when_read = [&](protocol::slice bytes) {
      far_->out().borrow(bytes.bytes(), bytes.owner().get());
      far_->flush_later();
    };
    const std::string sent = pattern(20'000, static_cast<unsigned>(seed));
    at(here(), [&] { near_->start(near); });
    at(there(), [&] { far_->start(far); });
    at(here(), [&] { put(*near_, sent); });
    ASSERT_TRUE(near.wait_for_octets(sent.size()));
    EXPECT_EQ(near.received(), sent);
    EXPECT_EQ(far.received(), sent);
    if (seed == 1) {
      EXPECT_EQ(far.reads(), 20'000);
    }
    close_all();
  }
}

TEST_P(loopback_transport_test, brings_borrowed_payloads_straight_to_where_they_are_wanted) {
  class owner final : public protocol::keeper {
  public:
    void retain(std::uint32_t count) noexcept override { held += count; }
    void release(std::uint32_t count) noexcept override { held -= count; }
    std::atomic<std::uint32_t> held{0};
  } keeper;
  connect();
  // Exactly as large as its memory: one octet read behind it is an error AddressSanitizer sees.
  const std::vector<protocol::octet> payload(1 << 20, 7);
  far_sink_.wants = payload.size();
  start();
  at(here(), [&] {
    near_->out().borrow(payload, &keeper);
    near_->out().borrow(payload, &keeper);
    near_->flush_later();
  });
  ASSERT_TRUE(far_sink_.wait_for_octets(2 * payload.size()));
  EXPECT_EQ(far_sink_.filled(), payload.size());
  EXPECT_EQ(far_sink_.received(), std::string(2 * payload.size(), 7));
  let_run();
  EXPECT_EQ(keeper.held.load(), 0U);
}

TEST_P(loopback_transport_test, brings_a_borrowed_payload_together_with_its_header) {
  class owner final : public protocol::keeper {
  public:
    void retain(std::uint32_t count) noexcept override { held += count; }
    void release(std::uint32_t count) noexcept override { held -= count; }
    std::atomic<std::uint32_t> held{0};
  } keeper;
  connect();
  start();
  std::size_t expected = 0;
  for (const std::size_t size : {std::size_t{10'000}, std::size_t{1} << 20U}) {
    const std::vector<protocol::octet> payload(size, 7);
    const int before = far_sink_.reads();
    at(here(), [&] {
      for (int i = 0; i < 3; ++i) {
        put(*near_, "head");
        near_->out().borrow(payload, &keeper);
      }
      near_->flush_later();
    });
    expected += 3 * (4 + size);
    ASSERT_TRUE(far_sink_.wait_for_octets(expected));
    EXPECT_EQ(far_sink_.reads() - before, size == 10'000 ? 1 : 3);
    EXPECT_TRUE(far_sink_.received().ends_with("head" + std::string(size, 7)));
  }
  let_run();
  EXPECT_EQ(keeper.held.load(), 0U);
}

TEST_P(loopback_transport_test, bounds_what_an_end_that_never_reads_can_make_us_keep) {
  connect({.high_mark = 100'000, .low_mark = 20'000});
  at(here(), [&] { near_->start(near_sink_); });
  std::size_t produced = 0;
  const auto fill = [&] {
    while (!near_->is_congested()) {
      put(*near_, pattern(1000));
      produced += 1000;
    }
  };
  for (int i = 0; i < 10; ++i) {
    at(here(), fill);
    let_run();
  }
  EXPECT_TRUE(at(here(), [&] { return near_->is_congested(); }));
  EXPECT_LE(produced, loopback_window + 70'000 + 102'000);
  const int before = near_sink_.writables();
  at(there(), [&] { far_->start(far_sink_); });
  ASSERT_TRUE(far_sink_.wait_for_octets(produced));
  let_run();
  EXPECT_FALSE(at(here(), [&] { return near_->is_congested(); }));
  EXPECT_GT(near_sink_.writables(), before);
}

TEST_P(loopback_transport_test, delivers_nothing_while_paused) {
  connect();
  start();
  at(there(), [&] { far_->pause(); });
  at(here(), [&] { put(*near_, pattern(900'000)); });
  let_run();
  EXPECT_EQ(far_sink_.octets(), 0U);
  EXPECT_GT(at(here(), [&] { return near_->backlog(); }), 500'000U) << "the other end feels it";
  far_sink_.when_read = [&](protocol::slice) {
    far_->pause();
    there().post([&] {
      if (far_) far_->resume();
    });
  };
  at(there(), [&] { far_->resume(); });
  ASSERT_TRUE(far_sink_.wait_for_octets(900'000));
  EXPECT_EQ(far_sink_.received(), pattern(900'000));
}

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
  }
}

TEST_P(loopback_transport_test, makes_no_slab_once_warm) {
  connect();
  echo();
  start();
  std::size_t expected = 0;
  const auto round = [&] {
    expected += 200'000;
    at(here(), [&] { put(*near_, pattern(200'000)); });
    ASSERT_TRUE(near_sink_.wait_for_octets(expected));
  };
  const auto made = [&] {
    return at(here(), [&] { return here().slabs().made(); })
           + at(there(), [&] { return there().slabs().made(); });
  };
  for (int i = 0; i < 20; ++i) round();
  const auto warm = made();
  for (int i = 0; i < 20; ++i) round();
  EXPECT_LE(made(), warm + 4);
}

} // namespace
