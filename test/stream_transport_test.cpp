// The two loops over real sockets: TCP on 127.0.0.1, local sockets, and the layers over TCP: one set of
// tests for all. Here: how octets are carried; stream_transport_end_test.cpp: how it ends.
#include "support/stream_transport_test.hpp"
#include "support/echo_to.hpp"

#include <troupe/runtime/octet_stream.hpp>
#include <troupe/runtime/slab_pool.hpp>
#include <troupe/runtime/stream_transport.hpp>

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <memory>

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

/// Takes whatever is written, so that nothing but the transport decides when to rest.
class bottomless_stream final : public octet_stream {
public:
  explicit bottomless_stream(std::function<void(std::size_t)> took) : took_{std::move(took)} {}
  step read(std::span<iovec>) noexcept override {
    return {0, std::make_error_code(std::errc::operation_would_block)};
  }
  step write(std::span<iovec> from) noexcept override {
    std::size_t count = 0;
    for (const iovec& each : from) count += each.iov_len;
    took_(count);
    return {count, {}};
  }
  void wait(readiness_handler, readiness) override {} // never ready
  void end_writing() noexcept override {}
  void close() noexcept override {}
  std::string peer_name() const override { return "nobody"; }

private:
  std::function<void(std::size_t)> took_;
};

/// Somebody else on the home whose socket can be read whenever the home looks.
class neighbour final : public flushable {
public:
  neighbour(home& where, std::function<void()> looked)
      : home_{where}, looked_{std::move(looked)}, mine_{where.io()}, other_{where.io()} {
    boost::asio::local::connect_pair(mine_, other_);
    other_.write_some(boost::asio::buffer("x", 1));
  }
  void flush() override {
    mine_.async_wait(boost::asio::socket_base::wait_read, [this](const boost::system::error_code& error) {
      if (error) return; // and gone
      looked_();
      home_.flush_later(*this);
    });
  }

private:
  home& home_;
  std::function<void()> looked_;
  boost::asio::local::stream_protocol::socket mine_;
  boost::asio::local::stream_protocol::socket other_;
};

TEST(stream_transports, give_a_reader_on_the_same_home_a_chance_before_they_fill_the_system_with_octets) {
  stage one{{.workers = 1}};
  home& where = one.inside()[0];
  const std::size_t size = std::size_t{8} << 20U;
  std::size_t written = 0;
  std::size_t since_look = 0;
  std::size_t most_between = 0;
  std::promise<void> done;
  std::unique_ptr<neighbour> reader;
  transport_ptr writer;
  recorder sink;
  at(where, [&] {
    reader = std::make_unique<neighbour>(where, [&] { since_look = 0; });
    writer = make_stream_transport(where, std::make_unique<bottomless_stream>([&](std::size_t count) {
                                     written += count;
                                     since_look += count;
                                     most_between = std::max(most_between, since_look);
                                     if (written == size) done.set_value();
                                   }),
                                   {});
    writer->start(sink);
    where.flush_later(*reader);
    put(*writer, pattern(size));
  });
  done.get_future().get();
  at(where, [&] {
    writer.reset();
    reader.reset();
  });
  // A write, and one more in the pass in which the neighbour begins to wait again.
  EXPECT_LE(most_between, std::size_t{512} << 10U);
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
