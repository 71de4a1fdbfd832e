// The two loops over real sockets: how a connection ends, and what stays of it.
#include "support/stream_transport_test.hpp"

#include <troupe/runtime/stream_transport.hpp>
#include <troupe/runtime/unix_transport.hpp>

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;
using namespace std::chrono_literals;

TEST_P(stream_transport_test, writes_what_is_left_before_it_closes) {
  connect({.send_buffer = 16'384, .receive_buffer = 65'536});
  start();
  const std::string last = pattern(400'000);
  at(where(), [&] {
    put(*near_, last);
    near_->close();
    near_->close(); // again does nothing
  });
  ASSERT_TRUE(far_sink_.wait_for_close());
  ASSERT_TRUE(near_sink_.wait_for_close());
  EXPECT_EQ(far_sink_.received(), last);
  EXPECT_FALSE(far_sink_.why()) << far_sink_.why().message();
  EXPECT_FALSE(near_sink_.why()) << near_sink_.why().message();
}

TEST_P(stream_transport_test, delivers_its_last_words_though_the_peer_is_still_talking) {
  connect();
  near_sink_.when_read = [&](protocol::slice) {
    put(*near_, "no");
    near_->close();
  };
  start();
  at(where(), [&] { put(*far_, pattern(300'000)); });
  ASSERT_TRUE(far_sink_.wait_for_close());
  ASSERT_TRUE(near_sink_.wait_for_close());
  EXPECT_EQ(far_sink_.received(), "no");
}

TEST_P(stream_transport_test, is_told_of_the_end_once_and_not_from_inside_a_call) {
  connect();
  bool is_inside = false;
  near_sink_.when_read = [&](protocol::slice) {
    is_inside = true;
    near_->abort();
    near_->close();
    near_->abort();
    is_inside = false;
  };
  near_sink_.when_closed = [&](std::error_code) { EXPECT_FALSE(is_inside); };
  start();
  at(where(), [&] { put(*far_, "x"); });
  ASSERT_TRUE(near_sink_.wait_for_close());
  ASSERT_TRUE(far_sink_.wait_for_close());
  let_run();
  EXPECT_EQ(near_sink_.closes(), 1);
  EXPECT_EQ(far_sink_.closes(), 1);
}

TEST_P(stream_transport_test, may_be_dropped_from_inside_any_call_of_its_sink) {
  for (int moment = 0; moment < 3; ++moment) {
    connect();
    recorder sink;
    sink.when_read = [&](protocol::slice) {
      if (moment == 0) near_.reset();
    };
    sink.when_writable = [&] {
      if (moment == 1) near_.reset();
    };
    sink.when_closed = [&](std::error_code) { near_.reset(); };
    recorder other;
    at(where(), [&] {
      near_->start(sink);
      far_->start(other);
      put(*near_, "x");
      put(*far_, "y");
      if (moment == 2) far_->close();
    });
    ASSERT_TRUE(other.wait_for_close()) << moment;
    close_all();
  }
}

TEST_P(stream_transport_test, reports_a_peer_that_resets) {
  connect();
  start();
  // A socket closed with unread octets resets its peer; a local one just ends.
  at(where(), [&] {
    far_->pause();
    put(*near_, "never read");
  });
  let_run();
  at(where(), [&] { far_->abort(); });
  ASSERT_TRUE(near_sink_.wait_for_close());
  if (GetParam() == "tcp") {
    EXPECT_EQ(near_sink_.why(), std::errc::connection_reset);
  }
}

TEST_P(stream_transport_test, hands_over_the_last_octets_of_a_peer_that_can_not_be_written_to) {
  connect();
  at(where(), [&] { far_->start(far_sink_); });
  at(where(), [&] {
    put(*far_, "reason");
    far_->close();
  });
  let_run();
  at(where(), [&] {
    near_->start(near_sink_);
    put(*near_, "late");
  });
  ASSERT_TRUE(near_sink_.wait_for_close());
  EXPECT_EQ(near_sink_.received(), "reason");
}

TEST_P(stream_transport_test, gives_up_lingering_when_its_time_is_over) {
  manual_clock time;
  stage other{{.workers = 1, .time = &time}};
  home& there = other.inside()[0];
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  recorder sink;
  transport_ptr pipe;
  at(there, [&] {
    boost::asio::local::stream_protocol::socket socket{there.io(), boost::asio::local::stream_protocol{},
                                                       ends[0]};
    pipe = make_unix_transport(there, std::move(socket), "pair", {.linger = 500ms, .send_buffer = 4096});
    pipe->start(sink);
    put(*pipe, pattern(1'000'000)); // nobody reads it
    pipe->close();
  });
  time.advance(499ms);
  EXPECT_EQ(sink.closes(), 0);
  time.advance(1ms);
  EXPECT_EQ(sink.closes(), 1);
  EXPECT_EQ(sink.why(), std::errc::timed_out);
  at(there, [&] { pipe.reset(); });
  ::close(ends[1]);
}

TEST_P(stream_transport_test, can_be_closed_before_it_is_started) {
  connect();
  at(where(), [&] {
    put(*near_, "hello");
    near_->close();
    far_->start(far_sink_);
  });
  ASSERT_TRUE(far_sink_.wait_for_close());
  EXPECT_EQ(far_sink_.received(), "hello");
  at(where(), [&] { near_->start(near_sink_); });
  ASSERT_TRUE(near_sink_.wait_for_close());
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator{"/proc/self/fd"}) ++count;
  return count;
}

TEST_P(stream_transport_test, leaks_no_descriptor) {
  connect();
  close_all();
  let_run();
  const auto before = open_descriptors();
  for (int i = 0; i < 200; ++i) {
    connect();
    recorder sink;
    at(where(), [&] {
      near_->start(sink);
      put(*far_, "x");
      if (i % 3 == 0) near_->close();
      if (i % 3 == 1) far_->abort();
    });
    close_all();
  }
  let_run();
  EXPECT_LE(open_descriptors(), before + 1);
}

} // namespace
