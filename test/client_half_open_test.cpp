// A peer that stands still behind every kind of layer: TLS, WebSocket, both. The client's clock finds out.
#include <troupe/actors/client.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/runtime/acceptor.hpp>
#include <troupe/runtime/clock.hpp>
#include <troupe/runtime/tls_context.hpp>

#include "support/ends.hpp"
#include "support/tls/certificates.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;
using namespace std::chrono_literals;
using protocol::errc;

/// A server that lets the test say what is said, over any scheme.
class standing_server {
public:
  standing_server(const std::string& scheme, const credentials& mine) {
    accept_options how;
    how.tls = *tls_context::make(tls_role::server, {.cert_file = mine.certificate, .key_file = mine.key});
    listener_.emplace(where(), how);
    auto bound =
        listener_->listen(*parse_endpoint(scheme + "://127.0.0.1:0"), [this](home&, transport_ptr came) {
          far_ = std::move(came);
          far_->start(heard);
          arrived_.set_value();
        });
    EXPECT_TRUE(bound) << bound.error().message();
    url = to_string(*bound);
  }
  ~standing_server() {
    at(where(), [&] { far_.reset(); });
    std::promise<void> closed;
    listener_->close([&] { closed.set_value(); });
    closed.get_future().get();
  }
  void wait_for_caller() { arrived_.get_future().get(); }
  void say(std::string_view octets) {
    at(where(), [&] { put(*far_, octets); });
  }
  /// Neither reads nor writes any more; the system still holds the connection open.
  void stand_still() {
    at(where(), [&] { far_->pause(); });
  }
  recorder heard;
  std::string url;

private:
  home& where() { return stage_.inside()[0]; }
  stage stage_;
  std::optional<acceptor> listener_;
  transport_ptr far_;
  std::promise<void> arrived_;
};

class half_open : public testing::TestWithParam<const char*> {
protected:
  client_options options(const standing_server& server) const {
    client_options result;
    result.broker = server.url;
    result.client_id = "c";
    result.tls.ca_file = trusted.certificate();
    result.keep_alive = 10s;
    result.ping_timeout = 5s;
    result.reconnect = false;
    return result;
  }

  const certifier trusted{};
  manual_clock time;
  stage own{{.time = &time}};
};

TEST_P(half_open, links_are_given_up_after_one_and_a_half_keep_alives) {
  standing_server server{GetParam(), trusted.issue()};
  client c{own, options(server)};
  server.wait_for_caller();
  const std::string hello{"\x10\x0E\x00\x04MQTT\x05\x02\x00\x0A\x00\x00\x01"
                          "c",
                          16};
  ASSERT_TRUE(server.heard.wait_for_octets(hello.size()));
  EXPECT_EQ(server.heard.received(), hello);
  server.say({"\x20\x03\x00\x00\x00", 5});
  ASSERT_TRUE(c.connected().get().ok());
  auto open = c.publish("t", "x", qos::at_least_once);
  ASSERT_TRUE(server.heard.wait_for_octets(hello.size() + 9));
  time.settle();
  server.stand_still();
  time.advance(10s); // PINGREQ goes to somebody who does not read
  EXPECT_EQ(c.state(), client_state::connected);
  time.advance(4'999ms);
  EXPECT_EQ(c.state(), client_state::connected);
  time.advance(1ms);
  EXPECT_EQ(c.state(), client_state::faulted);
  EXPECT_EQ(c.last_error(), errc::ping_timeout);
  EXPECT_EQ(open.get().error(), errc::ping_timeout);
}

TEST_P(half_open, handshakes_are_given_up_when_connack_does_not_come) {
  standing_server server{GetParam(), trusted.issue()};
  auto mine = options(server);
  mine.connack_timeout = 5s;
  client c{own, mine};
  server.wait_for_caller();
  ASSERT_TRUE(server.heard.wait_for_octets(16));
  time.settle();
  server.stand_still();
  time.advance(4'999ms);
  EXPECT_EQ(c.state(), client_state::handshaking);
  time.advance(1ms);
  EXPECT_EQ(c.last_error(), errc::connack_timeout);
}

INSTANTIATE_TEST_SUITE_P(over, half_open, testing::Values("mqtt", "mqtts", "ws", "wss"),
                         [](const auto& which) { return std::string{which.param}; });

} // namespace
