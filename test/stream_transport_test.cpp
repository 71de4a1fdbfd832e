// The two loops over real sockets: TCP on 127.0.0.1, local sockets, and the layers over TCP: one set of
// tests for all.
#include "support/ends.hpp"
#include "support/tls/certificates.hpp"

#include <troupe/runtime/acceptor.hpp>
#include <troupe/runtime/dialer.hpp>
#include <troupe/runtime/slab_pool.hpp>
#include <troupe/runtime/stream_transport.hpp>
#include <troupe/runtime/tls_context.hpp>
#include <troupe/runtime/unix_transport.hpp>

#include <gtest/gtest.h>

#include <dirent.h>

#include <algorithm>
#include <filesystem>
#include <thread>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;
using namespace std::chrono_literals;

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator{"/proc/self/fd"}) ++count;
  return count;
}

/// Two connected transports on one home.
class stream_transport_test : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    listen_at_ = GetParam() != "unix" ? GetParam() + "://127.0.0.1:0"
                                      : "unix://@troupe-test-" + std::to_string(::getpid()) + "-"
                                            + std::to_string(reinterpret_cast<std::uintptr_t>(this));
    if (GetParam() != "mqtts" && GetParam() != "wss") return;
    const certifier trusted;
    const credentials server = trusted.issue();
    server_tls_ = *tls_context::make(
        tls_role::server, {.cert_file = server.certificate, .key_file = server.key, .verify_peer = false});
    client_tls_ = *tls_context::make(tls_role::client, {.ca_file = trusted.certificate()});
  }
  void TearDown() override { close_all(); }

  home& where() { return stage_.inside()[0]; }

  void connect(transport_options options = {}) {
    std::promise<void> arrived;
    std::promise<std::error_code> answered;
    acceptor listener{where(), {.pipe = options, .tls = server_tls_}};
    auto bound = listener.listen(*parse_endpoint(listen_at_), [&](home&, transport_ptr came) {
      far_ = std::move(came);
      arrived.set_value();
    });
    ASSERT_TRUE(bound) << bound.error().message();
    auto caller = at(where(), [&] {
      return std::make_unique<dialer>(where(), dial_options{.pipe = options, .tls = client_tls_});
    });
    at(where(), [&] {
      caller->dial(*bound, [&](protocol::result<transport_ptr> got) {
        if (got) near_ = std::move(*got);
        answered.set_value(got.error());
      });
    });
    const auto error = answered.get_future().get();
    ASSERT_FALSE(error) << error.message();
    arrived.get_future().get();
    std::promise<void> closed;
    listener.close([&] { closed.set_value(); });
    closed.get_future().get();
    at(where(), [&] { caller.reset(); });
  }
  void start() {
    at(where(), [&] {
      near_->start(near_sink_);
      far_->start(far_sink_);
    });
  }
  void close_all() {
    at(where(), [&] {
      near_.reset();
      far_.reset();
    });
  }
  void let_run() { idle(where()); }

  stage stage_{{.workers = 1}};
  std::string listen_at_;
  std::shared_ptr<const tls_context> server_tls_;
  std::shared_ptr<const tls_context> client_tls_;
  recorder near_sink_;
  recorder far_sink_;
  transport_ptr near_;
  transport_ptr far_;
};

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
  far_sink_.when_read = [&](protocol::slice bytes) {
    // Borrowed: the slab that was read into is what is written.
    far_->out().borrow(bytes.bytes(), bytes.owner().get());
    far_->flush_later();
  };
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

TEST_P(stream_transport_test, makes_no_slab_once_warm) {
  connect();
  far_sink_.when_read = [&](protocol::slice bytes) {
    far_->out().borrow(bytes.bytes(), bytes.owner().get());
    far_->flush_later();
  };
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
