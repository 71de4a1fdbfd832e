// TLS between two of our ends, and between one of ours and a peer that does not play by the rules.
#include "support/ends.hpp"
#include "support/plain_peer.hpp"
#include "support/tls/certificates.hpp"

#include <troupe/runtime/acceptor.hpp>
#include <troupe/runtime/dialer.hpp>
#include <troupe/runtime/tls_context.hpp>
#include <troupe/runtime/tls_error.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe;
using namespace troupe::runtime;
using namespace troupe::test;
using namespace std::chrono_literals;
using protocol::result;

class tls_context_test : public testing::Test {
protected:
  void TearDown() override {
    at(where(), [&] {
      dialer_.reset();
      near_.reset();
      far_.reset();
    });
    if (!listener_) return;
    std::promise<void> closed;
    listener_->close([&] { closed.set_value(); });
    closed.get_future().get();
  }
  home& where() { return stage_.inside()[0]; }

  void listen(tls_options options, const std::string& url = "mqtts://127.0.0.1:0") {
    auto made = tls_context::make(tls_role::server, std::move(options));
    ASSERT_TRUE(made) << made.error().message();
    listener_ = std::make_unique<acceptor>(where(), accept_options{.tls = *made});
    auto bound = listener_->listen(*parse_endpoint(url), [&](home&, transport_ptr came) {
      far_ = std::move(came);
      arrived_.set_value();
    });
    ASSERT_TRUE(bound) << bound.error().message();
    at_ = *bound;
  }
  void listen() { listen({.cert_file = server_.certificate, .key_file = server_.key, .verify_peer = false}); }

  void dial(const endpoint& to, tls_options options) {
    auto made = tls_context::make(tls_role::client, std::move(options));
    ASSERT_TRUE(made) << made.error().message();
    answer_ = {};
    at(where(), [&] {
      dialer_ = std::make_unique<dialer>(where(), dial_options{.tls = *made});
      dialer_->dial(to, [&](result<transport_ptr> got) {
        if (got) near_ = std::move(*got);
        answer_.set_value(got.error());
      });
    });
  }
  std::error_code wait() { return answer_.get_future().get(); }
  std::error_code dial_and_wait(tls_options options) {
    dial(at_, std::move(options));
    return wait();
  }
  void start() {
    arrived_.get_future().get();
    at(where(), [&] {
      near_->start(near_sink_);
      far_->start(far_sink_);
    });
  }
  /// Waits until `condition`, asked on the thread of the home, holds.
  template <class Condition>
  void await(Condition condition) {
    while (!at(where(), condition)) idle(where()); // or the test's time is over
  }
  endpoint plain(std::uint16_t port) const {
    endpoint to = *parse_endpoint("mqtts://127.0.0.1");
    to.port = port;
    return to;
  }

  manual_clock time_;
  stage stage_{{.workers = 1, .time = &time_}};
  certifier trusted_;
  credentials server_ = trusted_.issue();
  std::unique_ptr<acceptor> listener_;
  std::unique_ptr<dialer> dialer_;
  endpoint at_;
  transport_ptr near_;
  transport_ptr far_;
  recorder near_sink_;
  recorder far_sink_;
  std::promise<void> arrived_;
  std::promise<std::error_code> answer_;
};

TEST_F(tls_context_test, speaks_both_versions) {
  for (const tls_version which : {tls_version::v1_2, tls_version::v1_3}) {
    arrived_ = {};
    recorder near;
    recorder far;
    listen();
    ASSERT_FALSE(dial_and_wait({.ca_file = trusted_.certificate(), .least = which, .most = which}));
    arrived_.get_future().get();
    at(where(), [&] {
      near_->start(near);
      far_->start(far);
      put(*near_, "ping");
    });
    ASSERT_TRUE(far.wait_for_octets(4));
    at(where(), [&] { put(*far_, "pong"); });
    ASSERT_TRUE(near.wait_for_octets(4));
    at(where(), [&] { near_->close(); });
    ASSERT_TRUE(near.wait_for_close());
    ASSERT_TRUE(far.wait_for_close());
    EXPECT_FALSE(near.why());
    EXPECT_FALSE(far.why());
    at(where(), [&] {
      near_.reset();
      far_.reset();
    });
  }
}

TEST_F(tls_context_test, agrees_on_no_version_with_a_peer_of_another_one) {
  listen({.cert_file = server_.certificate,
          .key_file = server_.key,
          .verify_peer = false,
          .least = tls_version::v1_3});
  EXPECT_EQ(dial_and_wait({.ca_file = trusted_.certificate(), .most = tls_version::v1_2}),
            tls_errc::no_common_version);
  await([&] { return listener_->turned_away() == 1; });
}

TEST_F(tls_context_test, trusts_no_unknown_authority) {
  listen();
  const certifier other{"another one"};
  EXPECT_EQ(dial_and_wait({.ca_file = other.certificate()}), tls_errc::unknown_authority);
  EXPECT_EQ(dial_and_wait({}), tls_errc::unknown_authority) << "nor does the system know it";
  EXPECT_FALSE(dial_and_wait({.verify_peer = false}));
}

TEST_F(tls_context_test, takes_a_certificate_for_no_other_name) {
  server_ = trusted_.issue({.common_name = "127.0.0.1", .names = {"DNS:a.example", "DNS:*.b.example"}});
  listen();
  const std::string ca = trusted_.certificate();
  EXPECT_EQ(dial_and_wait({.ca_file = ca}), tls_errc::wrong_name) << "the common name is no address";
  EXPECT_FALSE(dial_and_wait({.ca_file = ca, .server_name = "a.example"}));
  EXPECT_FALSE(dial_and_wait({.ca_file = ca, .server_name = "A.example."}));
  EXPECT_FALSE(dial_and_wait({.ca_file = ca, .server_name = "x.b.example"}));
  EXPECT_EQ(dial_and_wait({.ca_file = ca, .server_name = "x.y.b.example"}), tls_errc::wrong_name);
  EXPECT_EQ(dial_and_wait({.ca_file = ca, .server_name = "b.example"}), tls_errc::wrong_name);
}

TEST_F(tls_context_test, checks_addresses_of_both_families) {
  listen({.cert_file = server_.certificate, .key_file = server_.key, .verify_peer = false},
         "mqtts://[::1]:0");
  EXPECT_FALSE(dial_and_wait({.ca_file = trusted_.certificate()}));
}

TEST_F(tls_context_test, looks_at_the_days_of_a_certificate) {
  server_ = trusted_.issue({.valid_from = -5, .valid_to = -1});
  listen();
  EXPECT_EQ(dial_and_wait({.ca_file = trusted_.certificate()}), tls_errc::expired);
  std::promise<void> closed;
  listener_->close([&] { closed.set_value(); });
  closed.get_future().get();
  server_ = trusted_.issue({.valid_from = 2, .valid_to = 5});
  listen();
  EXPECT_EQ(dial_and_wait({.ca_file = trusted_.certificate()}), tls_errc::not_yet_valid);
}

TEST_F(tls_context_test, lets_in_nobody_without_the_certificate_it_asks_for) {
  const certifier stranger{"a stranger"};
  const credentials known = trusted_.issue({.common_name = "sensor 7", .names = {}});
  const credentials unknown = stranger.issue({.common_name = "sensor 8", .names = {}});
  listen({.ca_file = trusted_.certificate(),
          .cert_file = server_.certificate,
          .key_file = server_.key,
          .name_is_user = true});
  const std::string ca = trusted_.certificate();
  // In TLS 1.2 the server looks at it within the handshake, in 1.3 the client hears of it later.
  EXPECT_EQ(dial_and_wait({.ca_file = ca, .most = tls_version::v1_2}), tls_errc::handshake_refused);
  EXPECT_EQ(dial_and_wait({.ca_file = ca,
                           .cert_file = unknown.certificate,
                           .key_file = unknown.key,
                           .most = tls_version::v1_2}),
            tls_errc::refused_by_peer);
  ASSERT_FALSE(dial_and_wait({.ca_file = ca}));
  at(where(), [&] { near_->start(near_sink_); });
  ASSERT_TRUE(near_sink_.wait_for_close());
  EXPECT_EQ(near_sink_.why(), tls_errc::certificate_required_by_peer);
  await([&] { return listener_->turned_away() == 3; });
  EXPECT_EQ(far_, nullptr);
  ASSERT_FALSE(dial_and_wait({.ca_file = ca, .cert_file = known.certificate, .key_file = known.key}));
  arrived_.get_future().get();
  EXPECT_EQ(at(where(), [&] { return far_->certified_name(); }), "sensor 7");
}

TEST_F(tls_context_test, keeps_to_its_pins) {
  listen();
  const std::string ca = trusted_.certificate();
  const credentials other = trusted_.issue();
  EXPECT_FALSE(dial_and_wait({.ca_file = ca, .pins = {"spki:" + server_.key_sha256}}));
  EXPECT_FALSE(dial_and_wait({.verify_peer = false, .pins = {"cert:" + server_.sha256}}));
  EXPECT_FALSE(
      dial_and_wait({.ca_file = ca, .pins = {"cert:" + other.sha256, "spki:" + server_.key_sha256}}));
  EXPECT_EQ(dial_and_wait({.ca_file = ca, .pins = {"spki:" + other.key_sha256}}), tls_errc::pin_mismatch);
  EXPECT_EQ(dial_and_wait({.verify_peer = false, .pins = {"spki:" + server_.sha256}}),
            tls_errc::pin_mismatch);
}

TEST_F(tls_context_test, gives_the_program_the_last_word) {
  listen();
  std::string seen;
  const auto check = [&](bool verdict) {
    return [&seen, verdict](const tls_peer& peer) {
      seen = std::string{peer.host} + ' ' + std::string{peer.common_name} + ' '
             + std::to_string(peer.certificate_der.empty());
      return verdict;
    };
  };
  EXPECT_FALSE(dial_and_wait({.ca_file = trusted_.certificate(), .check = check(true)}));
  EXPECT_EQ(seen, "127.0.0.1 localhost 0");
  EXPECT_EQ(dial_and_wait({.verify_peer = false, .check = check(false)}), tls_errc::refused_by_check);
}

TEST_F(tls_context_test, says_what_is_wrong_with_its_settings) {
  const credentials other = trusted_.issue();
  const auto wrong = [](tls_role role, tls_options options) {
    return tls_context::make(role, std::move(options)).error();
  };
  const std::string& certificate = server_.certificate;
  EXPECT_EQ(wrong(tls_role::server, {}), tls_errc::missing_certificate_file);
  EXPECT_EQ(wrong(tls_role::client, {.cert_file = certificate}), tls_errc::missing_certificate_file);
  EXPECT_EQ(wrong(tls_role::client, {.ca_file = "/no/such/file"}), tls_errc::bad_authorities);
  EXPECT_EQ(wrong(tls_role::client, {.cert_file = "/no", .key_file = server_.key}),
            tls_errc::bad_certificate_file);
  EXPECT_EQ(wrong(tls_role::client, {.cert_file = certificate, .key_file = certificate}),
            tls_errc::bad_key_file);
  EXPECT_EQ(wrong(tls_role::client, {.cert_file = certificate, .key_file = other.key}),
            tls_errc::key_does_not_fit);
  EXPECT_EQ(
      wrong(tls_role::client,
            {.cert_file = certificate, .key_file = locked(server_.key, "right"), .key_password = "wrong"}),
      tls_errc::bad_key_file);
  EXPECT_FALSE(
      wrong(tls_role::client,
            {.cert_file = certificate, .key_file = locked(server_.key, "right"), .key_password = "right"}));
  EXPECT_EQ(wrong(tls_role::client, {.ciphers = "NO-SUCH-CIPHER"}), tls_errc::bad_ciphers);
  EXPECT_EQ(wrong(tls_role::client, {.least = tls_version::v1_3, .most = tls_version::v1_2}),
            tls_errc::bad_versions);
  for (const std::string pin : {"", "spki:", "spki:12", "key:00"})
    EXPECT_EQ(wrong(tls_role::client, {.pins = {pin}}), tls_errc::bad_pin) << pin;
  EXPECT_EQ(wrong(tls_role::client, {.alpn = {""}}), tls_errc::bad_protocol_name);
}

TEST_F(tls_context_test, turns_plain_octets_away) {
  listen();
  auto peer = plain_peer::dial(at_.port);
  peer.say(std::string{"\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00", 14});
  peer.hear_all(); // an alert, then the end
  await([&] { return listener_->turned_away() == 1; });
  EXPECT_EQ(far_, nullptr);
  const plain_listener server;
  dial(plain(server.port()), {.verify_peer = false});
  auto their = server.accept();
  their.say(std::string{"\x20\x02\x00\x00 and more", 13});
  EXPECT_EQ(wait(), tls_errc::not_tls);
}

TEST_F(tls_context_test, notices_a_peer_that_leaves_within_the_handshake) {
  const plain_listener server;
  dial(plain(server.port()), {.verify_peer = false});
  server.accept().hear(5);
  const auto why = wait();
  EXPECT_TRUE(why == tls_errc::closed_in_handshake || why == std::errc::connection_reset) << why.message();
}

TEST_F(tls_context_test, gives_a_silent_peer_no_longer_than_the_limit) {
  listen();
  auto silent = plain_peer::dial(at_.port);
  silent.say("\x16\x03\x01"); // begins, and stops
  await([&] { return !where().time().is_empty(); });
  time_.advance(9'999ms);
  EXPECT_EQ(listener_->turned_away(), 0U);
  time_.advance(1ms);
  EXPECT_EQ(silent.hear_all(), "");
  EXPECT_EQ(listener_->turned_away(), 1U);
  const plain_listener server;
  dial(plain(server.port()), {.verify_peer = false});
  auto mute = server.accept();
  mute.hear(5); // the greeting has begun
  time_.advance(10s);
  EXPECT_EQ(wait(), std::errc::timed_out);
}

TEST_F(tls_context_test, forgets_who_is_greeting_when_it_stops_listening) {
  listen();
  auto greeting = plain_peer::dial(at_.port);
  greeting.say("\x16\x03\x01");
  await([&] { return !where().time().is_empty(); });
  std::promise<void> closed;
  listener_->close([&] { closed.set_value(); });
  closed.get_future().get();
  EXPECT_EQ(greeting.hear_all(), "");
  EXPECT_EQ(far_, nullptr);
}

TEST_F(tls_context_test, tells_an_end_from_a_cut) {
  listen();
  ASSERT_FALSE(dial_and_wait({.ca_file = trusted_.certificate()}));
  start();
  at(where(), [&] { near_->abort(); }); // no close_notify
  ASSERT_TRUE(far_sink_.wait_for_close());
  EXPECT_TRUE(far_sink_.why() == tls_errc::truncated || far_sink_.why() == std::errc::connection_reset)
      << far_sink_.why().message();
}

} // namespace
