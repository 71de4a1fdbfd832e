// auth_dialogue: enhanced authentication and re-authentication, section 4.12, as a server has them.
#include "support/shard_rig.hpp"

#include <troupe/protocol/auth.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::property;
using protocol::reason_code;
using protocol::version;
using test::rig_client;
using test::seen;
using test::shard_rig;
using octets = std::vector<protocol::octet>;

constexpr auto goes_on = reason_code::continue_authentication;
constexpr auto again = reason_code::reauthenticate;

/// "1" is answered with "2"; "3" is right, and "4" is the last word; "at once" is right as well.
class counting final : public auth_dialogue {
public:
  auth_answer step(const identity&, std::optional<protocol::octets> data) override {
    const auto said = data ? protocol::as_text(*data) : std::string_view{};
    if (said == "1") return {goes_on, "2"};
    if (said == "3") return {reason_code::success, "4"};
    if (said == "at once") return {reason_code::success, ""};
    return {reason_code::not_authorized, "not heard by anybody"};
  }
};

class judge final : public authenticator {
public:
  std::optional<reason_code> prove(const identity&, std::optional<protocol::octets>, reply) override {
    ++asked_for_passwords;
    return reason_code::success;
  }
  std::unique_ptr<auth_dialogue> begin(const identity& who, std::string_view method) override {
    last_user = who.user_name.value_or("");
    if (method != "m") return nullptr;
    return std::make_unique<counting>();
  }

  int asked_for_passwords = 0;
  std::string last_user{};
};

struct auth_dialogue_test : testing::Test {
  static void hello(rig_client& who, std::string_view method, std::string_view data,
                    std::optional<std::string_view> user = {}) {
    protocol::property_block said;
    (void)said.set(property::authentication_method, method);
    if (!data.empty()) (void)said.set(property::authentication_data, protocol::as_octets(data));
    who.speak(version::v5_0);
    who.send_with([&](protocol::outbox& out) {
      (void)protocol::encode_connect(
          out, {.clean_start = true, .client_id = "c", .user_name = user, .properties = said.view()});
    });
  }
  static octets auth_bytes(rig_client& who, reason_code how, std::string_view data, std::string_view method) {
    protocol::property_block said;
    (void)said.set(property::authentication_method, method);
    if (!data.empty()) (void)said.set(property::authentication_data, protocol::as_octets(data));
    return who.bytes_of([&](protocol::outbox& out) {
      (void)protocol::encode_auth(out, {how, said.view()}, version::v5_0, protocol::role::client);
    });
  }
  static void say(rig_client& who, reason_code how, std::string_view data, std::string_view method = "m") {
    who.send(auth_bytes(who, how, data, method));
  }
  static bool contains(const octets& all, const octets& part) {
    return std::search(all.begin(), all.end(), part.begin(), part.end()) != all.end();
  }
  /// The one packet that it was told before it went.
  static seen last_word(rig_client& who) {
    EXPECT_TRUE(who.is_closed());
    who.reap();
    const auto all = who.hear();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? seen{} : all[0];
  }
  void come_in(rig_client& who) {
    hello(who, "m", "at once");
    EXPECT_EQ(who.hear(packet_type::connack).size(), 1U);
  }

  std::shared_ptr<judge> who_asks = std::make_shared<judge>();
  shard_rig rig{{.connect_timeout = 2s, .proof = who_asks}};
  rig_client client{rig};
};

TEST_F(auth_dialogue_test, asks_and_says_the_method_to_the_end_MQTT_4_12_0_2_MQTT_4_12_0_5) {
  hello(client, "m", "1", "somebody");
  EXPECT_EQ(client.pipe().take(), (octets{0xF0, 10, 0x18, 8, 0x15, 0, 1, 'm', 0x16, 0, 1, '2'}));
  say(client, goes_on, "3");
  const octets connack = client.pipe().take();
  ASSERT_GT(connack.size(), 4U);
  EXPECT_EQ(connack[0], 0x20);
  EXPECT_EQ(connack[3], 0); // success
  EXPECT_TRUE(contains(connack, {0x15, 0, 1, 'm'}));
  EXPECT_TRUE(contains(connack, {0x16, 0, 1, '4'}));
  EXPECT_EQ(who_asks->asked_for_passwords, 0);
  EXPECT_EQ(who_asks->last_user, "somebody");
  client.subscribe("t");
  client.publish("t", "x");
  EXPECT_EQ(client.payloads(), std::vector<std::string>{"x"});
}

TEST_F(auth_dialogue_test, may_need_one_step_only) {
  hello(client, "m", "at once");
  const octets connack = client.pipe().take();
  EXPECT_TRUE(contains(connack, {0x15, 0, 1, 'm'}));
  EXPECT_FALSE(contains(connack, {0x16, 0})); // no data
}

TEST_F(auth_dialogue_test, refuses_a_method_that_nobody_knows_MQTT_4_12_0_1) {
  hello(client, "n", "1");
  EXPECT_EQ(last_word(client).reason, reason_code::bad_authentication_method);
  shard_rig plain; // where nobody knows any
  rig_client other{plain};
  hello(other, "m", "1");
  const seen refusal = last_word(other);
  EXPECT_EQ(refusal.type, packet_type::connack);
  EXPECT_EQ(refusal.reason, reason_code::bad_authentication_method);
  EXPECT_EQ(plain.counts().sessions.value(), 0U);
  EXPECT_EQ(plain.counts().logins_refused.value(), 1U);
}

TEST_F(auth_dialogue_test, refuses_at_any_step_MQTT_4_12_0_4) {
  hello(client, "m", "wrong");
  EXPECT_EQ(last_word(client).reason, reason_code::not_authorized);
  rig_client later{rig};
  hello(later, "m", "1");
  later.hear();
  say(later, goes_on, "wrong");
  const seen refusal = last_word(later);
  EXPECT_EQ(refusal.type, packet_type::connack);
  EXPECT_EQ(refusal.reason, reason_code::not_authorized);
  EXPECT_EQ(rig.counts().logins_refused.value(), 2U);
  EXPECT_EQ(rig.counts().sessions.value(), 0U);
}

TEST_F(auth_dialogue_test, says_nothing_of_it_to_who_names_no_method_MQTT_4_12_0_6_MQTT_4_12_0_7) {
  client.connect({.id = "c"});
  EXPECT_FALSE(contains(client.pipe().take(), {0x15, 0}));
  EXPECT_EQ(who_asks->asked_for_passwords, 1);
  say(client, again, "1");
  EXPECT_EQ(last_word(client).reason, reason_code::protocol_error);
}

TEST_F(auth_dialogue_test, takes_answers_alone_before_connack_MQTT_3_1_2_30) {
  hello(client, "m", "1");
  client.hear();
  client.publish("t", "x");
  const seen refusal = last_word(client);
  EXPECT_EQ(refusal.type, packet_type::connack);
  EXPECT_EQ(refusal.reason, reason_code::protocol_error);
  rig_client leaving{rig};
  hello(leaving, "m", "1");
  leaving.hear();
  leaving.disconnect();
  EXPECT_TRUE(leaving.is_closed());
  EXPECT_EQ(rig.counts().sessions.value(), 0U);
}

TEST_F(auth_dialogue_test, keeps_what_comes_behind_the_last_answer) {
  hello(client, "m", "1");
  client.hear();
  octets together = auth_bytes(client, goes_on, "3", "m");
  const octets more = client.publish_bytes("t", "x", {.quality = protocol::qos::at_least_once});
  together.insert(together.end(), more.begin(), more.end());
  client.send(together);
  const auto all = client.hear();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].type, packet_type::connack);
  EXPECT_EQ(all[1].type, packet_type::puback);
}

TEST_F(auth_dialogue_test, wants_the_method_of_the_connect_MQTT_4_12_1_1) {
  hello(client, "m", "1");
  client.hear();
  say(client, goes_on, "3", "n");
  EXPECT_EQ(last_word(client).reason, reason_code::bad_authentication_method);
  rig_client later{rig};
  come_in(later);
  say(later, again, "1", "n");
  const seen refusal = last_word(later);
  EXPECT_EQ(refusal.type, packet_type::disconnect);
  EXPECT_EQ(refusal.reason, reason_code::bad_authentication_method);
}

TEST_F(auth_dialogue_test, is_repeated_while_all_else_goes_on_section_4_12_1) {
  come_in(client);
  client.subscribe("t");
  client.hear();
  say(client, again, "1");
  EXPECT_EQ(client.pipe().take(), (octets{0xF0, 10, 0x18, 8, 0x15, 0, 1, 'm', 0x16, 0, 1, '2'}));
  client.publish("t", "meanwhile");
  EXPECT_EQ(client.payloads(), std::vector<std::string>{"meanwhile"});
  say(client, goes_on, "3");
  EXPECT_EQ(client.pipe().take(), (octets{0xF0, 10, 0x00, 8, 0x15, 0, 1, 'm', 0x16, 0, 1, '4'}));
  say(client, again, "at once"); // and once more, in one step
  EXPECT_EQ(client.pipe().take(), (octets{0xF0, 6, 0x00, 4, 0x15, 0, 1, 'm'}));
  EXPECT_FALSE(client.is_closed());
}

TEST_F(auth_dialogue_test, ends_the_connection_when_it_fails_later_MQTT_4_12_1_2) {
  come_in(client);
  say(client, again, "1");
  client.hear();
  say(client, goes_on, "wrong");
  const seen last = last_word(client);
  EXPECT_EQ(last.type, packet_type::disconnect);
  EXPECT_EQ(last.reason, reason_code::not_authorized);
}

TEST_F(auth_dialogue_test, takes_no_answer_that_nobody_asked_for) {
  come_in(client);
  say(client, goes_on, "3");
  EXPECT_EQ(last_word(client).reason, reason_code::protocol_error);
  rig_client eager{rig};
  come_in(eager);
  say(eager, again, "1");
  eager.hear();
  say(eager, again, "1"); // the first is not over
  EXPECT_EQ(last_word(eager).reason, reason_code::protocol_error);
  rig_client early{rig};
  hello(early, "m", "1");
  early.hear();
  say(early, again, "1"); // who is not in cannot do it again
  EXPECT_EQ(last_word(early).reason, reason_code::protocol_error);
}

TEST_F(auth_dialogue_test, has_the_time_of_a_connect) {
  hello(client, "m", "1");
  client.hear();
  rig.advance(1900ms);
  EXPECT_FALSE(client.is_closed());
  rig.advance(200ms);
  EXPECT_TRUE(client.is_closed());
}

TEST_F(auth_dialogue_test, hears_that_the_broker_stops) {
  hello(client, "m", "1");
  client.hear();
  rig[0].stop();
  const seen last = last_word(client);
  EXPECT_EQ(last.type, packet_type::connack);
  EXPECT_EQ(last.reason, reason_code::server_unavailable);
}

} // namespace
} // namespace troupe
