#include "support/sample.hpp"
#include "support/scratch_folder.hpp"

#include <troupe/config/broker_settings.hpp>

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace troupe::config;

namespace {

const std::string sample = TROUPE_SOURCE_DIR "/config/broker.toml";

std::string judgement(const broker_settings& settings) { return support::all_of(settings.check()); }

} // namespace

TEST(broker_settings, the_sample_shows_the_defaults) {
  support::expect_sample_shows_the_defaults<broker_settings>(sample);
}

TEST(broker_settings, the_examples_in_the_sample_work) {
  const troupe::test::scratch_file path{"broker.toml"};
  std::ofstream(path.path()) << support::with_examples(sample);
  broker_settings settings;
  auto result = load(settings, {.file = path.path()});
  EXPECT_EQ(support::all_of(result.problems), "");
  ASSERT_EQ(settings.listeners.size(), 3U);
  EXPECT_EQ(settings.listeners[1].url, "mqtts://0.0.0.0:8883");
  EXPECT_EQ(settings.listeners[1].tls.key_file, "/etc/troupe/server.key");
  EXPECT_EQ(settings.listeners[2].url, "ws://0.0.0.0:8080/mqtt");
  ASSERT_EQ(settings.acl.size(), 1U);
  EXPECT_EQ(settings.acl[0].topic, "devices/%c/#");
  ASSERT_EQ(settings.bridges.size(), 1U);
  EXPECT_EQ(settings.bridges[0].remote.broker, "mqtts://head.example:8883");
  ASSERT_EQ(settings.bridges[0].maps.size(), 2U);
  EXPECT_EQ(settings.bridges[0].maps[1].direction, "in");
}

TEST(broker_settings, every_promised_key_is_there) {
  broker_settings settings;
  auto all = settings.describe();
  for (auto key :
       {"allow_anonymous", "password_file", "max_keep_alive", "receive_maximum", "maximum_packet_size",
        "topic_alias_maximum", "max_inflight", "retain_available", "persistence", "host", "port"})
    EXPECT_TRUE(std::ranges::any_of(all.fields, [key](const field& each) { return each.key == key; })) << key;
  EXPECT_EQ(all.tables[0].key, "listener");
  EXPECT_EQ(all.tables[1].key, "acl");
  EXPECT_EQ(all.tables[2].key, "bridge");
}

TEST(broker_settings, printed_they_read_back_as_the_same) {
  broker_settings some;
  some.max_inflight = 7;
  some.when_full = "disconnect";
  some.sys_interval = std::chrono::minutes{2};
  some.listeners = {{.url = "mqtt://127.0.0.1:0"}, {.url = "ws://127.0.0.1:0/a \"b\""}};
  some.acl = {{.user = "", .topic = "devices/%c/#", .may = "no_publish"}};
  for (broker_settings each : {broker_settings{}, some}) {
    const troupe::test::scratch_file path{"broker.toml"};
    std::ofstream(path.path()) << print(each.describe());
    broker_settings again;
    const auto result = load(again.describe(), {.file = path.path()});
    EXPECT_EQ(support::all_of(result.problems), "");
    EXPECT_TRUE(again == each) << print(again.describe());
  }
}

TEST(broker_settings, are_all_on_the_manual_page) {
  std::ifstream file{TROUPE_SOURCE_DIR "/broker/troupe-broker.1"};
  std::string page{std::istreambuf_iterator<char>{file}, {}};
  std::erase(page, '\\');
  broker_settings settings;
  const auto all = settings.describe();
  const auto is_there = [&page](std::string key) {
    for (char& c : key)
      if (c == '_' || c == '.') c = '-';
    return page.find("--" + key) != std::string::npos;
  };
  for (const field& each : all.fields) EXPECT_TRUE(is_there(each.key)) << each.key;
  for (const table& each : all.tables) EXPECT_TRUE(is_there(each.key)) << each.key;
}

TEST(broker_settings, without_a_listener_host_and_port_are_one) {
  EXPECT_EQ(broker_settings{}.endpoints().at(0).url, "mqtt://127.0.0.1:1883");
  EXPECT_EQ((broker_settings{.host = "::1", .port = 0}.endpoints().at(0).url), "mqtt://[::1]:0");
  EXPECT_EQ((broker_settings{.listeners = {{.url = "loopback://x"}}}.endpoints().at(0).url), "loopback://x");
}

TEST(broker_settings, listeners_that_cannot_work_are_refused) {
  EXPECT_EQ(judgement({.listeners = {{.url = "mqtts://a:1"}}}),
            "listener.tls: mqtts://a:1 needs cert_file and key_file\n");
  EXPECT_EQ(judgement({.listeners = {{.url = "mqtt://a:1", .tls = {.cert_file = "x"}}}}),
            "listener.tls: mqtt://a:1 does not use it; mqtts:// or wss:// would\n");
  const tls_settings complete{.cert_file = "x", .key_file = "y", .verify_peer = false};
  EXPECT_EQ(judgement({.listeners = {{.url = "wss://a:1/mqtt", .tls = complete}}}), "");
  EXPECT_EQ(judgement({.listeners = {{.url = "ssl://a:1", .tls = complete, .name_is_user = true}}}),
            "listener.tls: name_is_user needs verify_peer\n");
  tls_settings asking = complete;
  asking.verify_peer = true;
  EXPECT_EQ(judgement({.listeners = {{.url = "mqtts://a:1", .tls = asking}}}),
            "listener.tls: verify_peer needs a ca_file: whom to trust for clients\n");
  EXPECT_NE(judgement({.listeners = {{.url = "127.0.0.1:1883"}}}), "");
  EXPECT_NE(judgement({.listeners = {{.url = "mqtt://"}}}), "");
}

TEST(broker_settings, a_door_that_nobody_can_pass_is_refused) {
  EXPECT_NE(judgement({.allow_anonymous = false}), "");
  EXPECT_EQ(judgement({.allow_anonymous = false, .password_file = "x"}), "");
}
