// The two loops over real sockets: TCP on 127.0.0.1, local sockets, and the layers over TCP: one set of
// tests for all. Here: how octets are carried; stream_transport_end_test.cpp: how it ends.
#include "support/stream_transport_test.hpp"
#include "support/echo_to.hpp"

#include <troupe/runtime/slab_pool.hpp>
#include <troupe/runtime/stream_transport.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;

INSTANTIATE_TEST_SUITE_P(sockets, stream_transport_test, testing::Values("tcp", "unix", "mqtts", "ws", "wss"),
                         [](const auto& which) { return which.param; });

TEST_P(stream_transport_test, carries_octets_both_ways) {
  connect();
  start();
  at(where(), [&] { put(*near_, "ping"); });
  ASSERT_TRUE(far_sink_.wait_for_octets(4));
  at(where(), [&] { put(*far_, "pong"); });
  ASSERT_TRUE(near_sink_.wait_for_octets(4));
  EXPECT_EQ(far_sink_.received(), "ping");
  EXPECT_EQ(near_sink_.received(), "pong");
  EXPECT_EQ(at(where(), [&] { return near_->backlog(); }), 0U);
  EXPECT_FALSE(near_->peer_name().empty());
}

TEST_P(stream_transport_test, writes_once_for_everything_appended_in_one_go) {
  connect();
  start();
  at(where(), [&] {
    for (int i = 0; i < 1000; ++i) put(*near_, "0123456789012345678901234");
    EXPECT_EQ(near_->backlog(), 25'000U);
  });
  ASSERT_TRUE(far_sink_.wait_for_octets(25'000));
  EXPECT_EQ(near_sink_.writables(), 1) << "one write, so told once";
}

TEST_P(stream_transport_test, echoes_megabytes_through_tiny_system_buffers) {
  connect({.send_buffer = 4096});
  const std::string sent = pattern(1'500'000);
  far_sink_.when_read = echo_to(far_);
  start();
  at(where(), [&] { put(*near_, sent); });
  ASSERT_TRUE(near_sink_.wait_for_octets(sent.size()));
  EXPECT_EQ(near_sink_.received(), sent);
}

TEST_P(stream_transport_test,
       gives_a_reader_on_the_same_home_a_chance_before_it_fills_the_system_with_octets) {
  connect();
  const std::size_t size = std::size_t{8} << 20U;
  std::size_t read = 0;
  std::size_t most_between = 0;
  far_sink_.when_read = [&](protocol::slice bytes) {
    most_between = std::max(most_between, size - near_->backlog() - read);
    read += bytes.size();
  };
  start();
  at(where(), [&] { put(*near_, pattern(size)); });
  ASSERT_TRUE(far_sink_.wait_for_octets(size));
  EXPECT_LE(at(where(), [&] { return most_between; }), std::size_t{1} << 20U);
}

TEST_P(stream_transport_test, bounds_what_a_peer_that_never_reads_can_make_us_keep) {
  const transport_options options{
      .high_mark = 100'000, .low_mark = 20'000, .send_buffer = 16'384, .receive_buffer = 65'536};
  connect(options);
  at(where(), [&] { near_->start(near_sink_); }); // the far side is never started
  std::size_t produced = 0;
  // Layers and the system take some of it now and then, so it is full when it is so after an idle point.
  for (bool is_full = false; !is_full; is_full = at(where(), [&] { return near_->is_congested(); })) {
    at(where(), [&] {
      while (!near_->is_congested()) {
        put(*near_, pattern(1000));
        produced += 1000;
      }
    });
    let_run();
  }
  EXPECT_LE(at(where(), [&] { return near_->backlog(); }), 102'000U);
  at(where(), [&] { far_->start(far_sink_); });
  ASSERT_TRUE(far_sink_.wait_for_octets(produced));
  EXPECT_FALSE(at(where(), [&] { return near_->is_congested(); }));
  EXPECT_GT(near_sink_.writables(), 0);
}

TEST_P(stream_transport_test, reads_nothing_while_paused) {
  connect({.send_buffer = 16'384, .receive_buffer = 65'536});
  start();
  at(where(), [&] {
    far_->pause();
    put(*near_, pattern(900'000));
  });
  let_run();
  EXPECT_EQ(far_sink_.octets(), 0U);
  EXPECT_GT(at(where(), [&] { return near_->backlog(); }), 100'000U) << "the peer feels it";
  // Pause again from inside each call, as somebody whose mailbox is full does.
  far_sink_.when_read = [&](protocol::slice) {
    far_->pause();
    where().post([&] {
      if (far_) far_->resume();
    });
  };
  at(where(), [&] { far_->resume(); });
  ASSERT_TRUE(far_sink_.wait_for_octets(900'000));
  EXPECT_EQ(far_sink_.received(), pattern(900'000));
}

TEST_P(stream_transport_test, fills_what_the_sink_wants_before_anything_else) {
  connect();
  const std::string sent = pattern(3 << 20);
  far_sink_.wants = 1 << 20;
  start();
  at(where(), [&] { put(*near_, sent); });
  ASSERT_TRUE(far_sink_.wait_for_octets(sent.size()));
  EXPECT_EQ(far_sink_.received(), sent);
  EXPECT_EQ(far_sink_.filled(), std::size_t{1} << 20U);
}

TEST_P(stream_transport_test, hands_over_nothing_after_a_pause_from_inside_on_filled) {
  connect();
  far_sink_.wants = 10;
  start();
  // The first read fills the wanted octets and brings more behind them.
  struct pausing final : transport_sink {
    explicit pausing(recorder& inner) : inner_{inner} {}
    std::span<protocol::octet> wanted() noexcept override { return inner_.wanted(); }
    void on_filled(std::size_t count) override {
      inner_.on_filled(count);
      pipe->pause();
      is_paused = true;
    }
    void on_read(protocol::slice bytes) override {
      EXPECT_FALSE(is_paused);
      inner_.on_read(std::move(bytes));
    }
    void on_writable() override {}
    void on_closed(std::error_code why) override { inner_.on_closed(why); }
    transport* pipe = nullptr;
    bool is_paused = false;
    recorder& inner_;
  } sink{far_sink_};
  at(where(), [&] {
    far_->start(sink);
    sink.pipe = far_.get();
    put(*near_, "0123456789abcdef");
  });
  ASSERT_TRUE(far_sink_.wait_for_octets(10));
  let_run();
  EXPECT_EQ(far_sink_.octets(), 10U);
  at(where(), [&] {
    sink.is_paused = false;
    far_->resume();
  });
  ASSERT_TRUE(far_sink_.wait_for_octets(16));
  EXPECT_EQ(far_sink_.received(), "0123456789abcdef");
  close_all();
}

TEST_P(stream_transport_test, makes_no_slab_once_warm) {
  connect();
  far_sink_.when_read = echo_to(far_);
  start();
  std::size_t expected = 0;
  const auto round = [&] {
    expected += 200'000;
    at(where(), [&] { put(*near_, pattern(200'000)); });
    ASSERT_TRUE(near_sink_.wait_for_octets(expected));
  };
  for (int i = 0; i < 20; ++i) round();
  const auto made = at(where(), [&] { return where().slabs().made(); });
  for (int i = 0; i < 20; ++i) round();
  EXPECT_LE(at(where(), [&] { return where().slabs().made(); }), made + 2);
}

} // namespace
