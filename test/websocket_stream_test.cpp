// WebSockets between one of our ends and a peer in the hands of the test, octet by octet.
#include "support/ends.hpp"
#include "support/plain_peer.hpp"

#include <troupe/runtime/acceptor.hpp>
#include <troupe/runtime/dialer.hpp>
#include <troupe/runtime/web_error.hpp>
#include <troupe/runtime/websocket_dialogue.hpp>
#include <troupe/runtime/websocket_frames.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;
using namespace std::chrono_literals;
using protocol::result;

const std::string request = "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mqtt\r\n"
                            "Sec-WebSocket-Version: 13\r\n\r\n";

/// A client's frame whose mask is nothing, so that its octets can be read here.
std::string frame(unsigned first, std::string_view payload) {
  return std::string{static_cast<char>(first), static_cast<char>(0x80U | payload.size()), 0, 0, 0, 0}
         + std::string{payload};
}

class websocket_stream_test : public testing::Test {
protected:
  void SetUp() override {
    auto bound = listener_.listen(*parse_endpoint("ws://127.0.0.1:0"), [&](home&, transport_ptr came) {
      far_ = std::move(came);
      far_->start(sink_);
      arrived_.set_value();
    });
    ASSERT_TRUE(bound);
    at_ = *bound;
  }
  void TearDown() override {
    at(where(), [&] {
      dialer_.reset();
      near_.reset();
      far_.reset();
    });
    std::promise<void> closed;
    listener_.close([&] { closed.set_value(); });
    closed.get_future().get();
  }
  home& where() { return stage_.inside()[0]; }
  /// A client that has been upgraded, with `more` right behind its request.
  plain_peer client(const std::string& more = {}) {
    auto peer = plain_peer::dial(at_.port);
    peer.say(request + more);
    EXPECT_TRUE(peer.hear_until("\r\n\r\n").starts_with("HTTP/1.1 101 "));
    arrived_.get_future().get();
    return peer;
  }
  void dial(dial_options options, const std::string& to) {
    at(where(), [&] {
      dialer_ = std::make_unique<dialer>(where(), std::move(options));
      dialer_->dial(*parse_endpoint(to), [&](result<transport_ptr> got) {
        if (got) near_ = std::move(*got);
        answer_.set_value(got.error());
      });
    });
  }
  std::error_code wait() { return answer_.get_future().get(); }

  manual_clock time_;
  stage stage_{{.workers = 1, .time = &time_}};
  acceptor listener_{where()};
  endpoint at_;
  recorder sink_;
  recorder near_sink_;
  transport_ptr far_;
  std::promise<void> arrived_;
  std::unique_ptr<dialer> dialer_;
  transport_ptr near_;
  std::promise<std::error_code> answer_;
};

TEST_F(websocket_stream_test, takes_packets_framed_in_any_way) {
  auto peer = client(frame(0x82, "first frame behind the request"));
  ASSERT_TRUE(sink_.wait_for_octets(30));
  peer.say(frame(0x82, "a") + frame(0x82, "") + frame(0x02, "b") + frame(0x00, "c") + frame(0x80, "d"));
  ASSERT_TRUE(sink_.wait_for_octets(34));
  for (const char each : frame(0x82, "byte by byte")) peer.say({&each, 1});
  ASSERT_TRUE(sink_.wait_for_octets(46));
  EXPECT_EQ(sink_.received(), "first frame behind the requestabcdbyte by byte");
  at(where(), [&] {
    put(*far_, "one ");
    put(*far_, "frame");
  });
  EXPECT_EQ(peer.hear(11), "\x82\x09one frame");
}

TEST_F(websocket_stream_test, answers_pings_and_close) {
  auto peer = client();
  peer.say(frame(0x89, "there?"));
  EXPECT_EQ(peer.hear(8), "\x8a\x06there?");
  peer.say(frame(0x82, "last") + frame(0x88, "\x03\xe8"));
  EXPECT_EQ(peer.hear_all(), "\x88\x02\x03\xe8");
  ASSERT_TRUE(sink_.wait_for_close());
  EXPECT_FALSE(sink_.why());
  EXPECT_EQ(sink_.received(), "last");
}

TEST_F(websocket_stream_test, closes_in_order) {
  auto peer = client();
  at(where(), [&] {
    put(*far_, "bye");
    far_->close();
  });
  EXPECT_EQ(peer.hear(9), "\x82\x03"
                          "bye\x88\x02\x03\xe8");
  peer.say(frame(0x88, "\x03\xe8"));
  EXPECT_EQ(peer.hear_all(), "");
  ASSERT_TRUE(sink_.wait_for_close());
  EXPECT_FALSE(sink_.why());
}

TEST_F(websocket_stream_test, refuses_text) { // [MQTT-6.0.0-1]
  auto peer = client();
  peer.say(frame(0x81, "hello"));
  EXPECT_EQ(peer.hear_all(), "\x88\x02\x03\xeb");
  ASSERT_TRUE(sink_.wait_for_close());
  EXPECT_EQ(sink_.why(), web_errc::text_frame);
  EXPECT_EQ(sink_.received(), "");
}

TEST_F(websocket_stream_test, refuses_frames_without_a_mask) {
  auto peer = client();
  peer.say(frame(0x82, "good")
           + "\x82\x03"
             "bad");
  EXPECT_EQ(peer.hear_all(), "\x88\x02\x03\xea");
  ASSERT_TRUE(sink_.wait_for_close());
  EXPECT_EQ(sink_.why(), web_errc::bad_mask);
  EXPECT_EQ(sink_.received(), "good");
}

TEST_F(websocket_stream_test, tells_a_cut_from_an_end) {
  auto peer = client();
  peer.close();
  ASSERT_TRUE(sink_.wait_for_close());
  EXPECT_EQ(sink_.why(), web_errc::truncated);
}

TEST_F(websocket_stream_test, lets_nobody_in_who_asks_for_something_else) {
  auto browser = plain_peer::dial(at_.port);
  browser.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(browser.hear_all().starts_with("HTTP/1.1 426 "));
  auto plain = plain_peer::dial(at_.port);
  plain.say(std::string{"\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00", 14});
  EXPECT_EQ(plain.hear_all(), "");
  auto slow = plain_peer::dial(at_.port);
  slow.say("GET / HT");
  while (at(where(), [&] { return where().time().is_empty(); })) {}
  time_.advance(10s);
  EXPECT_EQ(slow.hear_all(), "");
  EXPECT_EQ(listener_.turned_away(), 3U);
  EXPECT_EQ(far_, nullptr);
}

TEST_F(websocket_stream_test, goes_through_an_http_proxy) {
  const plain_listener proxy;
  dial({.proxy = parse_proxy("http://127.0.0.1:" + std::to_string(proxy.port())).value()},
       "ws://broker.example/mqtt");
  auto middle = proxy.accept();
  EXPECT_TRUE(middle.hear_until("\r\n\r\n").starts_with("CONNECT broker.example:80 HTTP/1.1\r\n"));
  middle.say("HTTP/1.1 200 OK\r\n\r\n");
  const std::string asked = middle.hear_until("\r\n\r\n");
  EXPECT_TRUE(asked.starts_with("GET /mqtt HTTP/1.1\r\nHost: broker.example\r\n")) << asked;
  const auto key = asked.find("Sec-WebSocket-Key: ") + 19;
  middle.say(
      "HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: mqtt\r\n"
      "Sec-WebSocket-Accept: "
      + websocket_accept_key(asked.substr(key, asked.find('\r', key) - key)) + "\r\n\r\n\x82\x05hello");
  ASSERT_FALSE(wait());
  at(where(), [&] { near_->start(near_sink_); });
  ASSERT_TRUE(near_sink_.wait_for_octets(5)) << "what came along with the answer";
  EXPECT_EQ(near_sink_.received(), "hello");
}

TEST_F(websocket_stream_test, goes_through_a_socks_proxy_to_plain_mqtt) {
  const plain_listener proxy;
  dial({.proxy = parse_proxy("socks5://127.0.0.1:" + std::to_string(proxy.port())).value()},
       "mqtt://broker.example");
  auto middle = proxy.accept();
  EXPECT_EQ(middle.hear(3), std::string("\x05\x01\x00", 3));
  middle.say({"\x05\x00", 2});
  EXPECT_EQ(middle.hear(21).size(), 21U);
  middle.say({"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00 hi", 13});
  ASSERT_FALSE(wait());
  at(where(), [&] {
    near_->start(near_sink_);
    put(*near_, "there");
  });
  EXPECT_EQ(middle.hear(5), "there");
  ASSERT_TRUE(near_sink_.wait_for_octets(3));
}

TEST_F(websocket_stream_test, says_what_a_proxy_does_wrong) {
  const plain_listener proxy;
  const std::string at_proxy = "127.0.0.1:" + std::to_string(proxy.port());
  const auto answer = [&](const std::string& scheme, const std::string& says) {
    answer_ = {};
    dial({.proxy = parse_proxy(scheme + at_proxy).value()}, "mqtt://broker.example");
    auto middle = proxy.accept();
    middle.hear(3);
    middle.say(says);
    middle.end_writing();
    return wait();
  };
  EXPECT_EQ(answer("http://", "HTTP/1.1 407 No\r\n\r\n"), http_status(407));
  EXPECT_EQ(answer("http://", "HTTP/1.1 200"), std::errc::connection_aborted);
  EXPECT_EQ(answer("socks5://", "\x05\xff"), web_errc::proxy_needs_other_login);
  answer_ = {};
  dial({.proxy = parse_proxy("http://" + at_proxy).value()}, "mqtt://broker.example");
  auto mute = proxy.accept();
  mute.hear_until("\r\n\r\n");
  time_.advance(10s);
  EXPECT_EQ(wait(), std::errc::timed_out);
  EXPECT_EQ(mute.hear_all(), "");
}

} // namespace
