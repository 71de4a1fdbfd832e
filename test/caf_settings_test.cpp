// A client's settings as options of a CAF program: command line, file and code.
#include <troupe/actors/caf_settings.hpp>

#include "support/sample.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace {

using troupe::client_config;
using troupe::config::client_settings;
using namespace std::chrono_literals;

/// A program's configuration after its start.
struct program : client_config {
  program(std::vector<std::string> arguments, const std::string& file = {}) {
    std::istringstream text{file};
    EXPECT_FALSE(parse(std::move(arguments), text));
  }
};

TEST(caf_settings, come_from_the_command_line) {
  const program started{{"--mqtt.broker=mqtts://b:1", "--mqtt.client-id=me", "--mqtt.keep-alive=10s",
                         "--mqtt.clean-start=false", "--mqtt.receive-maximum=20", "--mqtt.tls-ca-file=ca.pem",
                         "--mqtt.pending-octets=64KiB", "--mqtt.session-file=s.db",
                         "--mqtt.user-properties=[\"site: north\"]", "--mqtt.redirects-limit=0"}};
  client_settings mqtt;
  EXPECT_EQ(support::all_of(troupe::read_client_settings(started, mqtt)), "");
  EXPECT_EQ(mqtt.broker, "mqtts://b:1");
  EXPECT_EQ(mqtt.client_id, "me");
  EXPECT_EQ(mqtt.keep_alive, 10s);
  EXPECT_FALSE(mqtt.clean_start);
  EXPECT_EQ(mqtt.receive_maximum, 20);
  EXPECT_EQ(mqtt.tls.ca_file, "ca.pem");
  EXPECT_EQ(mqtt.pending_octets.value, 64U * 1024);
  EXPECT_EQ(mqtt.session_file, "s.db");
  EXPECT_EQ(mqtt.user_properties, std::vector<std::string>{"site: north"});
  EXPECT_EQ(mqtt.redirects_limit, 0);
  EXPECT_EQ(troupe::client_options_of(mqtt).keep_alive, 10s);
}

TEST(caf_settings, come_from_a_file_and_the_command_line_wins) {
  const program started{{"--mqtt.client-id=mine"},
                        "[mqtt]\nclient-id=\"theirs\"\nmore-brokers=[\"mqtt://a\",\"mqtt://b\"]\n"
                        "reconnect=false\nattempts-limit=3\nsocket-family=\"v4\"\n"};
  client_settings mqtt;
  EXPECT_EQ(support::all_of(troupe::read_client_settings(started, mqtt)), "");
  EXPECT_EQ(mqtt.client_id, "mine");
  EXPECT_EQ(mqtt.more_brokers, (std::vector<std::string>{"mqtt://a", "mqtt://b"}));
  EXPECT_FALSE(mqtt.reconnect);
  EXPECT_EQ(mqtt.attempts_limit, 3U);
  EXPECT_EQ(mqtt.socket.family, "v4");
}

TEST(caf_settings, come_from_code_under_the_same_names) {
  program started{std::vector<std::string>{}};
  started.set("mqtt.client-id", std::string{"coded"});
  client_settings mqtt;
  EXPECT_EQ(support::all_of(troupe::read_client_settings(started, mqtt)), "");
  EXPECT_EQ(mqtt.client_id, "coded");
}

TEST(caf_settings, that_are_not_said_keep_their_defaults) {
  const program started{std::vector<std::string>{}};
  client_settings mqtt;
  EXPECT_EQ(support::all_of(troupe::read_client_settings(started, mqtt)), "");
  EXPECT_TRUE(mqtt == client_settings{});
}

TEST(caf_settings, that_are_wrong_are_told_together_by_their_names) {
  const program started{{"--mqtt.keep-alive=soon", "--mqtt.version=4", "--mqtt.tls-cert-file=a"}};
  client_settings mqtt;
  const auto wrong = troupe::read_client_settings(started, mqtt);
  ASSERT_EQ(wrong.size(), 3U) << support::all_of(wrong);
  EXPECT_EQ(wrong[0].key, "mqtt.version");
  EXPECT_EQ(wrong[1].key, "mqtt.keep-alive");
  EXPECT_EQ(wrong[2].key, "mqtt.tls");
}

TEST(caf_settings, know_every_key_but_those_of_a_stage) {
  struct open : client_config {
    const caf::config_option_set& options() const { return custom_options_; }
  };
  const open config;
  client_settings settings;
  std::size_t count = 0;
  for (const auto& each : settings.describe().fields) count += each.key.starts_with("runtime.") ? 0U : 1U;
  std::size_t ours = 0;
  for (const caf::config_option& each : config.options()) ours += each.category() == "mqtt" ? 1U : 0U;
  EXPECT_EQ(ours, count);
}

} // namespace
