#include <troupe/bench/load/config_words.hpp>
#include <troupe/bench/load/scratch_file.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using troupe::bench::scratch_file;
using troupe::bench::with_config;
using words = std::vector<std::string>;

TEST(config_words, stand_before_what_is_said) {
  const scratch_file file{"test", "broker = \"embedded\"\nqos = 1\nverify = true\nretain = false\n"
                                  "threshold = [\"lost==0\", \"e2e.p99<1s\"]\n"};
  const auto all = with_config({"run", "-q", "2", "--config", file.name(), "-L", "5"});
  EXPECT_EQ(all.problem, "");
  EXPECT_EQ(all.words, (words{"run", "--broker", "embedded", "--qos", "1", "--verify", "--threshold",
                              "lost==0", "--threshold", "e2e.p99<1s", "-q", "2", "-L", "5"}));
  EXPECT_EQ(with_config({"scenario", "p2p", "--config=" + file.name()}).words.at(2), "--broker");
}

TEST(config_words, of_another_command_are_left_out) {
  const scratch_file file{"test", "[pub]\nrate = \"5k\"\n[sub]\nclients = 3\n"};
  EXPECT_EQ(with_config({"pub", "--config", file.name()}).words, (words{"pub", "--rate", "5k"}));
  EXPECT_EQ(with_config({"conn", "--config", file.name()}).words, words{"conn"});
}

TEST(config_words, say_what_is_wrong) {
  const scratch_file file{"test", "rate = \n"};
  EXPECT_NE(with_config({"run", "--config", file.name()}).problem, "");
  EXPECT_NE(with_config({"run", "--config", "/nonexistent"}).problem, "");
  EXPECT_NE(with_config({"run", "--config"}).problem, "");
  EXPECT_EQ(with_config({}).problem, "");
}

} // namespace
