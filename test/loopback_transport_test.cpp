// Two ends in memory, on one home and on two: how octets are carried. loopback_transport_end_test.cpp: how
// it ends.
#include "support/loopback_transport_test.hpp"
#include "support/echo_to.hpp"

#include <troupe/runtime/slab_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;

/// Counts who holds it, on whatever thread.
class shared_keeper final : public protocol::keeper {
public:
  void retain(std::uint32_t count) noexcept override { held += count; }
  void release(std::uint32_t count) noexcept override { held -= count; }
  std::atomic<std::uint32_t> held{0};
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
  far_sink_.when_read = echo_to(far_);
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
    far.when_read = echo_to(far_);
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
  shared_keeper keeper;
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
  shared_keeper keeper;
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

TEST_P(loopback_transport_test, makes_no_slab_once_warm) {
  connect();
  far_sink_.when_read = echo_to(far_);
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
