// The program and what it reads again on SIGHUP, and a broker whose rules change while clients are there.
#include "support/child.hpp"
#include "support/raw_client.hpp"
#include "support/scratch_folder.hpp"
#include "support/shard_rig.hpp"
#include "support/tls/certificates.hpp"

#include <troupe/actors/client.hpp>
#include <troupe/broker/access_rules.hpp>
#include <troupe/broker/broker_setup.hpp>
#include <troupe/broker/password_file.hpp>
#include <troupe/broker/reload.hpp>
#include <troupe/runtime/stage.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace troupe::brokerage {
namespace {

using protocol::packet_type;
using protocol::reason_code;
using test::child;
using test::raw_client;

password_hash hash_of(std::string_view password) {
  return *password_hash::make(protocol::as_octets(password), {.log_n = 4, .r = 1, .p = 1});
}

struct reload_test : testing::Test {
  test::scratch_folder folder{};
  std::string users = folder.file("users");
  std::string settings = folder.file("broker.toml");

  void write(const std::string& text) const { std::ofstream{settings} << text; }
  std::string base() const { return "allow_anonymous = false\npassword_file = \"" + users + "\"\n"; }
};

reason_code greet(const std::string& endpoint, const std::optional<std::string>& user,
                  const std::string& password = {}) {
  raw_client one{endpoint};
  return one.say_hello({.user = user, .password = password}).reason;
}

TEST_F(reload_test, changes_passwords_and_rules_or_nothing) {
  ASSERT_FALSE(set_password(users, "ann", hash_of("a")));
  write(base());
  config::broker_settings first;
  ASSERT_TRUE(load(first, {.file = settings}).is_good());
  stage where;
  const auto passwords = std::make_shared<password_check>(read_passwords(users).table);
  auto options = options_of(first);
  options.proof = passwords;
  broker our{where, std::move(options)};
  const auto bound = our.listen("mqtt://127.0.0.1:0");
  ASSERT_TRUE(bound);
  reload again{our, first, passwords, {*bound}};
  EXPECT_EQ(greet(*bound, "ann", "a"), reason_code::success);
  EXPECT_EQ(greet(*bound, "ann", "b"), reason_code::bad_user_name_or_password);
  EXPECT_EQ(greet(*bound, {}), reason_code::not_authorized);

  ASSERT_FALSE(set_password(users, "ann", hash_of("b")));
  write(base() + "max_inflight = 7\n[[acl]]\ntopic = \"open/#\"\n");
  const auto said = again.again({.file = settings});
  EXPECT_TRUE(said.problems.empty());
  EXPECT_NE(said.notes.back().find("after a restart"), std::string::npos);
  EXPECT_EQ(greet(*bound, "ann", "a"), reason_code::bad_user_name_or_password);
  raw_client ann{*bound};
  ASSERT_EQ(ann.say_hello({.id = "ann", .user = "ann", .password = "b"}).reason, reason_code::success);
  ann.subscribe("closed");
  EXPECT_EQ(ann.next(packet_type::suback).codes, std::vector{reason_code::not_authorized});

  write(base() + "[[acl]]\ntopic = \"#\"\nmay = \"everything\"\n");
  EXPECT_FALSE(again.again({.file = settings}).problems.empty());
  write(base());
  std::ofstream{users} << "nonsense\n";
  EXPECT_FALSE(again.again({.file = settings}).problems.empty());
  EXPECT_EQ(greet(*bound, "ann", "b"), reason_code::success); // as before
  ann.subscribe("closed");
  EXPECT_EQ(ann.next(packet_type::suback).codes, std::vector{reason_code::not_authorized});
}

TEST_F(reload_test, of_the_program_comes_with_a_signal) {
  ASSERT_EQ((child{{std::string{TROUPE_BIN_DIR} + "/troupe-broker", "passwd", users, "ann", "typed"}}
                 .exit_status()),
            2);
  ASSERT_FALSE(set_password(users, "ann", hash_of("a")));
  write(base());
  child program{{std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--port", "0", "--config", settings}};
  const std::string line = program.line();
  ASSERT_TRUE(line.starts_with("listening on mqtt://127.0.0.1:")) << line;
  const std::string endpoint = line.substr(line.find("mqtt:"));
  EXPECT_EQ(greet(endpoint, "ann", "a"), reason_code::success);
  EXPECT_EQ(greet(endpoint, "ann", "b"), reason_code::bad_user_name_or_password);
  ASSERT_FALSE(set_password(users, "ann", hash_of("b")));
  program.signal(SIGHUP);
  // the signal is taken in its own time: the old password is right until then
  while (greet(endpoint, "ann", "b") != reason_code::success) ASSERT_TRUE(program.is_running());
  EXPECT_EQ(greet(endpoint, "ann", "a"), reason_code::bad_user_name_or_password);
  program.signal(SIGTERM);
  EXPECT_EQ(program.exit_status(), 0);
  std::ofstream{users} << "nonsense\n";
  EXPECT_EQ((child{{std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--port", "0", "--config", settings}}
                 .exit_status()),
            2);
}

TEST(renewed_tls, greets_newcomers_with_the_new_certificate) {
  const test::certifier trusted;
  const auto first = trusted.issue();
  const auto second = trusted.issue();
  stage where;
  broker our{where};
  const auto bound =
      our.listen("mqtts://127.0.0.1:0", {.tls = {.cert_file = first.certificate, .key_file = first.key}});
  ASSERT_TRUE(bound);
  const auto plain = our.listen("mqtt://127.0.0.1:0");
  ASSERT_TRUE(plain);
  const tls_options next{.cert_file = second.certificate, .key_file = second.key};
  EXPECT_TRUE(our.renew_tls(*bound, next));
  EXPECT_FALSE(our.renew_tls(*bound, {.cert_file = first.certificate, .key_file = second.key}));
  EXPECT_FALSE(our.renew_tls(*plain, next));
  EXPECT_FALSE(our.renew_tls("mqtts://127.0.0.1:1", next));
  for (const auto& [pin, is_new] : {std::pair{second.sha256, true}, std::pair{first.sha256, false}}) {
    client_options how;
    how.broker = *bound;
    how.reconnect = false;
    how.tls.ca_file = trusted.certificate();
    how.tls.pins = {"cert:" + pin};
    client one{where, std::move(how)};
    EXPECT_EQ(one.connected().get().ok(), is_new);
  }
}

// -- rules that change ----------------------------------------------------------------------------------

std::shared_ptr<const access> only(const std::string& topic) {
  return std::make_shared<access_rules>(
      true, std::vector<access_rule>{{.topic = topic, .may_publish = true, .may_subscribe = true}});
}

TEST(changed_access, holds_for_topics_that_were_allowed_before) {
  test::shard_rig rig{{.may = only("#")}};
  test::rig_client one{rig};
  one.connect();
  one.publish("t", "x", {.quality = protocol::qos::at_least_once});
  one.hear();
  rig[0].set_access(only("other"));
  one.publish("t", "x", {.quality = protocol::qos::at_least_once});
  const auto acks = one.hear(packet_type::puback);
  ASSERT_EQ(acks.size(), 1U);
  EXPECT_EQ(acks[0].reason, reason_code::not_authorized);
}

TEST(changed_access, ends_subscriptions_that_are_not_granted_any_more) {
  test::shard_rig rig{{}, 2};
  test::rig_client one{rig};
  test::rig_client away{rig, 1};
  test::rig_client publisher{rig, 1};
  one.connect({.id = "one"});
  one.subscribe({{.filter = "a"}, {.filter = "$share/g/b"}, {.filter = "c"}});
  away.connect({.id = "away", .clean = false, .expiry = 60});
  away.subscribe({{.filter = "a"}, {.filter = "c"}});
  away.hang_up();
  rig[0].set_access(only("c"));
  rig[1].set_access(only("c"));
  rig.settle();
  rig[1].set_access(nullptr); // the publisher may still say what it likes
  one.hear();
  publisher.connect({.id = "publisher"});
  for (const char* topic : {"a", "b", "c"}) publisher.publish(topic, topic);
  EXPECT_EQ(one.payloads(), std::vector<std::string>{"c"});
  rig[1].set_access(only("c"));
  test::rig_client back{rig, 1};
  back.connect({.id = "away", .clean = false, .expiry = 60});
  back.hear();
  rig[1].set_access(nullptr);
  for (const char* topic : {"a", "c"}) publisher.publish(topic, topic);
  EXPECT_EQ(back.payloads(), std::vector<std::string>{"c"});
  EXPECT_EQ(rig.counts(0).subscriptions.value() + rig.counts(1).subscriptions.value(), 2U);
}

} // namespace
} // namespace troupe::brokerage
