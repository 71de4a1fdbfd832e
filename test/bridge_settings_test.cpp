#include "support/sample.hpp"
#include "support/scratch_folder.hpp"

#include <troupe/config/broker_settings.hpp>

#include <fstream>
#include <gtest/gtest.h>

using namespace troupe::config;

namespace {

/// What is wrong with a file of these lines, each with its line.
std::string judgement(const std::string& text, broker_settings& settings) {
  const troupe::test::scratch_file path{"broker.toml"};
  std::ofstream(path.path()) << text;
  std::string all;
  for (problem& each : load(settings, {.file = path.path()}).problems) {
    if (!each.source.empty()) each.source = "file";
    all += to_string(each) + '\n';
  }
  return all;
}

std::string judgement(const std::string& text) {
  broker_settings settings;
  return judgement(text, settings);
}

const std::string one = "[[bridge]]\nurl = \"mqtt://far:1883\"\n";

} // namespace

TEST(bridge_settings, are_read_with_the_maps_of_each_bridge) {
  broker_settings settings;
  EXPECT_EQ(judgement("[[bridge]]\nname = \"a\"\nurl = \"mqtts://far:8883\"\ntls.ca_file = \"ca\"\n"
                      "[[bridge.map]]\nfilter = \"x/#\"\n[[bridge.map]]\ndirection = \"in\"\nmax_qos = 1\n"
                      "[[bridge]]\nmax_inflight = 7\nmap = [{filter = \"y\", remote_prefix = \"z/\"}]\n"
                      "keep_session = true\n"
                      "[[bridge]]\nwhen_full = \"drop_oldest\"\n",
                      settings),
            "");
  ASSERT_EQ(settings.bridges.size(), 3U);
  const bridge_settings& first = settings.bridges[0];
  EXPECT_EQ(first.remote.broker, "mqtts://far:8883");
  EXPECT_EQ(first.remote.tls.ca_file, "ca");
  EXPECT_EQ(first.maps,
            (std::vector<bridge_map_settings>{{.filter = "x/#"}, {.direction = "in", .max_qos = 1}}));
  EXPECT_EQ(settings.bridges[1].max_inflight, 7);
  EXPECT_TRUE(settings.bridges[1].keep_session);
  EXPECT_EQ(settings.bridges[1].maps,
            (std::vector<bridge_map_settings>{{.filter = "y", .remote_prefix = "z/"}}));
  EXPECT_TRUE(settings.bridges[2].maps.empty());
  EXPECT_EQ(name_of(settings.bridges, 0), "a");
  EXPECT_EQ(name_of(settings.bridges, 2), "3");
}

TEST(bridge_settings, printed_read_back_as_the_same) {
  broker_settings some;
  some.bridges = {{.name = "a", .maps = {{.filter = "x"}, {.direction = "both"}}},
                  {.maps = {{.local_prefix = "here/"}}, .notice_topic = "n"},
                  {}};
  some.bridges[1].remote.broker = "ws://far/mqtt";
  some.bridges[1].remote.clean_start = false;
  broker_settings again;
  EXPECT_EQ(judgement(print(some.describe()), again), "");
  EXPECT_TRUE(again == some) << print(again.describe());
}

TEST(bridge_settings, of_the_command_line_carry_everything_out) {
  broker_settings settings;
  EXPECT_TRUE(load(settings, {.arguments = {"--bridge", "mqtt://far:1883"}}).is_good());
  ASSERT_EQ(settings.bridges.size(), 1U);
  EXPECT_EQ(settings.bridges[0].remote.broker, "mqtt://far:1883");
  EXPECT_TRUE(settings.bridges[0].maps.empty());
}

TEST(bridge_settings, that_cannot_be_read_are_named_with_their_line) {
  EXPECT_EQ(judgement(one + "[[bridge.map]]\ndirection = \"up\"\n"),
            "file:4: bridge.map.direction: wants out | in | both, not 'up'\n");
  EXPECT_EQ(judgement(one + "max_inflight = 0\n"),
            "file:3: bridge.max_inflight: wants a number from 1 to 65535, not '0'\n");
  EXPECT_EQ(judgement(one + "[[bridge.road]]\nfilter = \"a\"\n"), "file:3: bridge.road: unknown table\n");
  EXPECT_EQ(judgement("[[listener]]\n[[listener.map]]\n"), "file:2: listener.map: unknown table\n");
  EXPECT_EQ(judgement("[[bridge.map]]\nfilter = \"a\"\n"), "file:1: bridge.map: unknown table\n");
  for (const char* not_for_bridges :
       {"session_file = \"a\"", "dial_at_once = false", "will.topic = \"a\"", "runtime.workers = 1"})
    EXPECT_NE(judgement(one + not_for_bridges + '\n').find("unknown key"), std::string::npos);
}

TEST(bridge_settings, that_cannot_work_are_refused) {
  const std::string map = one + "version = \"3.1.1\"\n[[bridge.map]]\n";
  EXPECT_EQ(
      judgement(map + "direction = \"both\"\n"),
      "bridge.map: of '1': both directions cannot be had in MQTT 3.1.1, where a broker hands back whatever"
      " it is told\n");
  EXPECT_EQ(judgement(map + "filter = \"a/#/b\"\n"), "bridge.map: of '1': 'a/#/b' is no topic filter\n");
  EXPECT_EQ(judgement(map + "local_prefix = \"+/\"\n"),
            "bridge.map: of '1': a prefix has no wildcards, not '+/'\n");
  EXPECT_EQ(judgement(map + "filter = \"$share/g/a\"\n"),
            "bridge.map: of '1': '$share/g/a' is shared: a bridge would be one member of many\n");
  EXPECT_EQ(judgement(one + "notice_topic = \"#\"\n"), "bridge.notice_topic: of '1': '#' is no topic\n");
  EXPECT_EQ(judgement("[[bridge]]\nurl = \"mqtt://\"\n"), "bridge.url: of '1': names no host in 'mqtt://'\n");
  EXPECT_EQ(judgement(one + "name = \"2\"\n" + one), "bridge.name: of '2': another bridge has it\n");
  EXPECT_EQ(
      judgement("allow_anonymous = false\npassword_file = \"x\"\n" + one),
      "bridge.local_user_name: of '1': is missing: allow_anonymous is off, and the bridge would not come"
      " in\n");
}
