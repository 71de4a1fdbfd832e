// Clients of ours at the doors of our broker: TLS, mutual TLS, WebSocket and both at once.
#include "support/inbox.hpp"
#include "support/plain_peer.hpp"
#include "support/tls/certificates.hpp"

#include <troupe/actors/client.hpp>
#include <troupe/broker/broker.hpp>
#include <troupe/runtime/clock.hpp>
#include <troupe/runtime/tls_error.hpp>
#include <troupe/runtime/web_error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace troupe {
namespace {

using runtime::tls_errc;
using test::certifier;
using test::credentials;
using test::inbox;
using namespace std::chrono_literals;

constexpr qos qualities[] = {qos::at_most_once, qos::at_least_once, qos::exactly_once};

struct doors_test : testing::Test {
  stage where{};
  certifier trusted{};
  credentials server = trusted.issue();
  broker our{where};

  std::string listen(const std::string& at) {
    const auto bound = our.listen(at, {.tls = {.cert_file = server.certificate, .key_file = server.key}});
    EXPECT_TRUE(bound) << bound.error().message();
    return bound ? *bound : std::string{};
  }
  client_options options(const std::string& at, const std::string& id) const {
    client_options result;
    result.broker = at;
    result.client_id = id;
    result.tls.ca_file = trusted.certificate();
    return result;
  }
  /// Every quality, 10 octets and a megabyte, from one client to another.
  void exchange(client_options first, client_options second) {
    client publisher{where, std::move(first)};
    client subscriber{where, std::move(second)};
    inbox box;
    auto mine = subscriber.subscribe("d/+", qos::exactly_once, box.handler());
    ASSERT_TRUE(mine.granted().get().ok()) << mine.granted().get().text();
    std::string large(1U << 20U, 'x');
    for (std::size_t i = 0; i < large.size(); i += 97) large[i] = static_cast<char>('a' + i / 97 % 26);
    for (const qos quality : qualities) {
      EXPECT_TRUE(publisher.publish("d/1", "ten octets", quality).get().ok());
      EXPECT_TRUE(publisher.publish("d/2", large, quality).get().ok());
      const auto small = box.next();
      EXPECT_EQ(small.text, "ten octets");
      EXPECT_EQ(small.quality, quality);
      EXPECT_TRUE(box.next().text == large);
    }
    std::vector<pending<outcome>> ends;
    for (int i = 0; i < 1'000; ++i)
      ends.push_back(publisher.publish("d/3", std::to_string(i), qos::at_least_once));
    for (int i = 0; i < 1'000; ++i) ASSERT_EQ(box.next().text, std::to_string(i));
    for (auto& each : ends) EXPECT_TRUE(each.get().ok());
    EXPECT_TRUE(publisher.disconnect().get().ok());
    EXPECT_TRUE(subscriber.disconnect().get().ok());
  }
  /// The error with which a client's only attempt ends.
  std::error_code refusal(client_options how) {
    how.reconnect = false;
    client one{where, std::move(how)};
    return one.connected().get().error();
  }
};

TEST_F(doors_test, every_door_carries_every_quality) {
  for (const std::string at : {"mqtts://127.0.0.1:0", "ws://127.0.0.1:0/mqtt", "wss://127.0.0.1:0"}) {
    SCOPED_TRACE(at);
    const std::string bound = listen(at);
    for (const version spoken : {version::v5_0, version::v3_1_1}) {
      client_options first = options(bound, "first");
      client_options second = options(bound, "second");
      first.version = second.version = spoken;
      exchange(first, second);
    }
  }
}

TEST_F(doors_test, both_versions_of_tls_meet_at_one_door) {
  const std::string bound = listen("mqtts://127.0.0.1:0");
  client_options older = options(bound, "older");
  client_options newer = options(bound, "newer");
  older.tls.most = tls_version::v1_2;
  newer.tls.least = tls_version::v1_3;
  exchange(older, newer);
}

TEST_F(doors_test, clients_at_different_doors_hear_each_other) {
  exchange(options(listen("mqtts://127.0.0.1:0"), "secret"), options(listen("ws://127.0.0.1:0"), "web"));
  exchange(options(listen("wss://127.0.0.1:0"), "both"), options(listen("loopback://doors"), "inside"));
}

/// Lets in whom certificates name, and lets each write below its own name only.
class named_only final : public access {
public:
  protocol::reason_code may_connect(const identity& who, std::optional<protocol::octets>) const override {
    return who.user_name && *who.user_name == "sensor 7" ? protocol::reason_code::success
                                                         : protocol::reason_code::not_authorized;
  }
  protocol::reason_code may_publish(const identity& who, std::string_view topic) const override {
    return topic.starts_with(*who.user_name) ? protocol::reason_code::success
                                             : protocol::reason_code::not_authorized;
  }
  protocol::reason_code may_subscribe(const identity&, std::string_view) const override {
    return protocol::reason_code::success;
  }
};

TEST_F(doors_test, a_certificate_says_who_its_client_is) {
  broker strict{where, {.may = std::make_shared<named_only>()}};
  const auto bound = strict.listen("mqtts://127.0.0.1:0", {.tls = {.ca_file = trusted.certificate(),
                                                                   .cert_file = server.certificate,
                                                                   .key_file = server.key,
                                                                   .name_is_user = true}});
  ASSERT_TRUE(bound) << bound.error().message();
  const credentials seven = trusted.issue({.common_name = "sensor 7", .names = {}});
  const credentials eight = trusted.issue({.common_name = "sensor 8", .names = {}});
  client_options known = options(*bound, "known");
  known.tls.cert_file = seven.certificate;
  known.tls.key_file = seven.key;
  known.user_name = "somebody else"; // the certificate is believed, not this
  client one{where, known};
  ASSERT_TRUE(one.connected().get().ok());
  EXPECT_TRUE(one.publish("sensor 7/t", "x", qos::at_least_once).get().ok());
  EXPECT_EQ(one.publish("somebody else/t", "x", qos::at_least_once).get().reason(),
            protocol::reason_code::not_authorized);
  client_options other = options(*bound, "other");
  other.tls.cert_file = eight.certificate;
  other.tls.key_file = eight.key;
  other.user_name = "sensor 7";
  client two{where, other};
  EXPECT_FALSE(two.connected().get().ok());
  EXPECT_EQ(two.state(), client_state::faulted);
  EXPECT_EQ(refusal(options(*bound, "bare")), tls_errc::certificate_required_by_peer);
}

TEST_F(doors_test, what_is_wrong_with_a_certificate_reaches_the_asker) {
  const std::string bound = listen("mqtts://127.0.0.1:0");
  client_options trusting = options(bound, "a");
  trusting.tls.server_name = "other.example";
  EXPECT_EQ(refusal(trusting), tls_errc::wrong_name);
  EXPECT_EQ(refusal([&] {
              client_options one = options(bound, "b");
              one.tls.ca_file = certifier{"stranger"}.certificate();
              return one;
            }()),
            tls_errc::unknown_authority);
  client_options pinned = options(bound, "c");
  pinned.tls.pins = {"spki:" + trusted.issue().key_sha256};
  EXPECT_EQ(refusal(pinned), tls_errc::pin_mismatch);
  pinned.tls.pins = {"spki:" + server.key_sha256};
  pinned.tls.ca_file.clear();
  pinned.tls.verify_peer = false;
  client one{where, pinned};
  EXPECT_TRUE(one.connected().get().ok());
  while (our.statistics().greetings_failed < 2) std::this_thread::yield();
}

TEST_F(doors_test, settings_that_can_not_work_are_told_at_once) {
  client_options wrong = options("mqtts://127.0.0.1:1", "x");
  wrong.tls.ca_file = "/no/such/file";
  EXPECT_EQ(client::make(where, wrong).error(), tls_errc::bad_authorities);
  client one{where, wrong};
  EXPECT_EQ(one.connected().get().error(), tls_errc::bad_authorities);
  EXPECT_EQ(one.state(), client_state::faulted);
  wrong = options("ws://127.0.0.1:1", "x");
  wrong.web_headers = {{"X", "a\r\nb"}};
  EXPECT_EQ(client::make(where, wrong).error(), runtime::web_errc::bad_header);
  wrong = options("mqtt://127.0.0.1:1", "x");
  wrong.proxy = "ftp://proxy";
  EXPECT_TRUE(client::make(where, wrong).error());
  EXPECT_EQ(our.listen("mqtts://127.0.0.1:0").error(), tls_errc::missing_certificate_file);
  EXPECT_EQ(
      our.listen("wss://127.0.0.1:0", {.tls = {.cert_file = server.certificate, .key_file = "/no"}}).error(),
      tls_errc::bad_key_file);
}

TEST_F(doors_test, a_client_comes_back_through_the_same_door) {
  const std::string bound = listen("wss://127.0.0.1:0/mqtt");
  client_options how = options(bound, "back");
  how.backoff_first = 1ms;
  client one{where, how};
  inbox box;
  auto mine = one.subscribe("b", qos::at_least_once, box.handler());
  ASSERT_TRUE(mine.granted().get().ok());
  our.stop();
  broker next{where};
  ASSERT_TRUE(next.listen(bound, {.tls = {.cert_file = server.certificate, .key_file = server.key}}));
  while (next.statistics().subscriptions == 0) std::this_thread::yield();
  EXPECT_TRUE(one.publish("b", "here again", qos::at_least_once).get().ok());
  EXPECT_EQ(box.next().text, "here again");
}

TEST_F(doors_test, stopping_ends_those_who_are_still_greeting) {
  const std::string secure = listen("mqtts://127.0.0.1:0");
  const std::string web = listen("ws://127.0.0.1:0");
  std::vector<test::plain_peer> peers;
  for (const std::string& at : {secure, web}) {
    const auto port = static_cast<std::uint16_t>(std::stoi(at.substr(at.find(':', 6) + 1)));
    peers.push_back(test::plain_peer::dial(port));
    peers.back().say(at == secure ? "\x16\x03\x01" : "GET / ");
  }
  client one{where, options(secure, "one")};
  ASSERT_TRUE(one.connected().get().ok());
  our.stop();
  for (auto& each : peers) EXPECT_EQ(each.hear_all(), "");
}

TEST_F(doors_test, a_server_that_never_answers_the_upgrade_is_given_up) {
  runtime::manual_clock time;
  stage timed{{.workers = 1, .time = &time}};
  const test::plain_listener hole;
  client_options how = options("ws://127.0.0.1:" + std::to_string(hole.port()), "quiet");
  how.reconnect = false;
  how.connect_timeout = 5s;
  client one{timed, how};
  auto end = one.connected();
  auto peer = hole.accept();
  peer.hear_until("\r\n\r\n"); // and never answers
  time.advance(5s);
  EXPECT_EQ(end.get().error(), protocol::errc::connect_timeout);
}

} // namespace
} // namespace troupe
