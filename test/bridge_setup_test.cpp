// From [[bridge]] tables to bridges, and the program that has some.
#include "support/bridge.hpp"
#include "support/child.hpp"
#include "support/scratch_folder.hpp"

#include <troupe/broker/bridge_setup.hpp>

#include <csignal>
#include <fstream>

namespace troupe {
namespace {

using test::somebody;

TEST(bridge_setup, obeys_every_setting) {
  std::vector<config::bridge_settings> all(2);
  all[1].remote.broker = "mqtt://far:1883";
  all[1].remote.client_id = "works";
  all[1].remote.clean_start = false;
  all[1].remote.version = "3.1.1";
  all[1].max_queued_messages = 3;
  all[1].max_queued_bytes = {4};
  all[1].when_full = "drop_oldest";
  all[1].max_inflight = 5;
  all[1].keep_session = true;
  all[1].local_user_name = "bridges";
  all[1].notice_topic = "there";
  all[1].maps = {
      {.filter = "a", .direction = "in", .max_qos = 1, .local_prefix = "l/", .remote_prefix = "r/"},
      {.direction = "both"}};
  const bridge_options some = brokerage::bridge_options_of(all, 1);
  EXPECT_EQ(some.name, "2");
  EXPECT_EQ(some.remote.broker, "mqtt://far:1883");
  EXPECT_EQ(some.remote.client_id, "works");
  EXPECT_FALSE(some.remote.clean_start);
  EXPECT_EQ(some.remote.version, version::v3_1_1);
  EXPECT_EQ(some.max_queued_messages, 3U);
  EXPECT_EQ(some.max_queued_bytes, 4U);
  EXPECT_EQ(some.when_full, bridge_overflow::drop_oldest);
  EXPECT_EQ(some.max_inflight, 5U);
  EXPECT_TRUE(some.keep_session);
  EXPECT_EQ(some.local_user_name, "bridges");
  EXPECT_EQ(some.local_password, std::nullopt);
  EXPECT_EQ(some.notice_topic, "there");
  ASSERT_EQ(some.maps.size(), 2U);
  EXPECT_EQ(some.maps[0].filter, "a");
  EXPECT_EQ(some.maps[0].direction, bridge_direction::in);
  EXPECT_EQ(some.maps[0].maximum, qos::at_least_once);
  EXPECT_EQ(some.maps[0].local_prefix, "l/");
  EXPECT_EQ(some.maps[0].remote_prefix, "r/");
  EXPECT_EQ(some.maps[1].direction, bridge_direction::both);
}

TEST(bridge_setup, carries_everything_out_where_no_map_says_less) {
  const bridge_options plain = brokerage::bridge_options_of(std::vector<config::bridge_settings>(1), 0);
  EXPECT_EQ(plain.name, "1");
  EXPECT_EQ(plain.when_full, bridge_options{}.when_full);
  EXPECT_EQ(plain.max_queued_bytes, bridge_options{}.max_queued_bytes);
  ASSERT_EQ(plain.maps.size(), 1U);
  EXPECT_EQ(plain.maps[0].filter, "#");
  EXPECT_EQ(plain.maps[0].direction, bridge_direction::out);
}

struct bridge_program_test : testing::Test {
  /// The program with these settings besides a port.
  test::child start(const std::string& text) const {
    std::ofstream{settings} << text;
    return test::child{{std::string{TROUPE_BIN_DIR} + "/troupe-broker", "--port", "0", "--config", settings}};
  }

  test::scratch_folder folder{};
  std::string settings = folder.file("broker.toml");
};

TEST_F(bridge_program_test, joins_the_program_to_another_broker) {
  stage where;
  broker far{where};
  const std::string far_url = far.listen("mqtt://127.0.0.1:0").value();
  ASSERT_TRUE(far.publish("orders/1", "kept", qos::at_least_once, true));
  somebody there{where, far_url, "there", "works/#"};
  auto program = start("[[bridge]]\nname = \"head\"\nurl = \"" + far_url
                       + "\"\n[[bridge.map]]\nfilter = \"machines/#\"\nremote_prefix = \"works/\"\n"
                         "[[bridge.map]]\nfilter = \"orders/#\"\ndirection = \"in\"\n");
  const std::string line = program.line();
  ASSERT_TRUE(line.starts_with("listening on mqtt://127.0.0.1:")) << line;
  ASSERT_EQ(program.line(), "bridge head is open");
  somebody here{where, line.substr(line.find("mqtt:")), "here", "orders/#"};
  EXPECT_EQ(here.next(), "orders/1 kept");
  here.say("machines/7", "runs", qos::exactly_once);
  EXPECT_EQ(there.next(), "works/machines/7 runs");
  there.say("orders/2", "new", qos::exactly_once);
  EXPECT_EQ(here.next(), "orders/2 new");
  program.signal(SIGTERM);
  EXPECT_EQ(program.exit_status(), 0);
}

TEST_F(bridge_program_test, ends_in_order_while_the_other_brokers_are_away) {
  const test::port_holder nobody{-1};
  const std::string one = "[[bridge]]\nurl = \"" + nobody.url() + "\"\ndisconnect_timeout = \"50ms\"\n";
  auto program = start(one + one);
  EXPECT_TRUE(program.line().starts_with("listening on "));
  EXPECT_EQ(program.line(), "bridge 1 is open");
  EXPECT_EQ(program.line(), "bridge 2 is open");
  program.signal(SIGTERM);
  EXPECT_EQ(program.exit_status(), 0);
}

TEST_F(bridge_program_test, says_what_it_cannot_do_and_ends) {
  EXPECT_EQ(start("[[bridge]]\nurl = \"mqtt://\"\n").exit_status(), 2);
  EXPECT_EQ(
      start("acl_default = \"deny\"\n[[acl]]\ntopic = \"a\"\n[[bridge]]\nurl = \"mqtt://127.0.0.1:1\"\n")
          .exit_status(),
      1);
}

} // namespace
} // namespace troupe
