// The scenarios of troupe-bench, small, as a shell sees them.
#include <troupe/bench/load/child_process.hpp>
#include <troupe/bench/load/load_json.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using troupe::bench::child_errors;
using troupe::bench::child_result;
using troupe::bench::run_child;

child_result bench(std::vector<std::string> words) {
  words.insert(words.begin(), std::string{TROUPE_BIN_DIR} + "/troupe-bench");
  return run_child(words, child_errors::hidden);
}

nlohmann::json result_of(const std::string& scenario, std::vector<std::string> words) {
  words.insert(words.begin(), {"scenario", scenario});
  words.insert(words.end(), {"--quiet", "--format", "json"});
  const child_result ended = bench(words);
  EXPECT_EQ(ended.status, 0) << scenario << ended.output;
  EXPECT_TRUE(troupe::bench::read_load_json(ended.output)) << ended.output;
  return nlohmann::json::parse(ended.output, nullptr, false);
}

class everywhere : public testing::TestWithParam<const char*> {
protected:
  nlohmann::json of(const std::string& scenario, std::vector<std::string> words) const {
    words.insert(words.end(), {"--broker", GetParam()});
    return result_of(scenario, words);
  }
};

INSTANTIATE_TEST_SUITE_P(scenario, everywhere, testing::Values("embedded", "embedded:tcp"));

TEST_P(everywhere, p2p_gives_each_subscriber_its_own) {
  const auto all = of("p2p", {"-c", "5", "-L", "100", "--rate", "10k", "--verify"});
  EXPECT_EQ(all.at("plan").at("subscribers"), "5");
  EXPECT_EQ(all.at("totals").at("received"), 100);
}

TEST_P(everywhere, fan_out_gives_everybody_everything) {
  const auto all =
      of("fan-out", {"--publishers", "2", "--subscribers", "7", "-L", "100", "--rate", "10k", "--verify"});
  EXPECT_EQ(all.at("totals").at("received"), 700);
}

TEST_P(everywhere, fan_in_gives_each_message_to_one) {
  const auto all = of("fan-in", {"--publishers", "7", "--subscribers", "2", "-L", "100", "-F", "10"});
  EXPECT_EQ(all.at("plan").at("loop"), "closed");
  EXPECT_EQ(all.at("totals").at("received"), 100);
}

TEST_P(everywhere, connection_storm_connects_all) {
  EXPECT_EQ(of("connection-storm", {"-c", "40"}).at("totals").at("connected"), 40);
}

TEST_P(everywhere, churn_loses_nothing_of_the_others) {
  const auto all = of("churn", {"--publishers", "2", "--subscribers", "2", "--churn", "200/s", "--churners",
                                "4", "--rate", "200", "-L", "100", "--verify"});
  EXPECT_EQ(all.at("totals").at("received"), 100);
  EXPECT_GE(all.at("latency").at("reconnect").at("count"), 1);
}

TEST_P(everywhere, reconnect_storm_brings_everybody_back_and_loses_nothing) {
  for (const char* quality : {"1", "2"}) {
    const auto all =
        of("reconnect-storm", {"-q", quality, "--subscribers", "6", "-L", "400", "--rate", "1k", "--verify"});
    EXPECT_EQ(all.at("totals").at("lost"), 0);
    EXPECT_GE(all.at("totals").at("received"), 2'400);
    EXPECT_EQ(all.at("latency").at("reconnect").at("count"), 6);
  }
}

TEST_P(everywhere, takeover_ends_the_first_and_keeps_the_second) {
  const auto all = of("takeover", {"-c", "20"});
  EXPECT_EQ(all.at("totals").at("connected"), 40);
  EXPECT_EQ(all.at("latency").at("takeover").at("count"), 20);
  // A busy machine is a note, too.
  const auto& notes = all.at("notes");
  EXPECT_EQ(std::count(notes.begin(), notes.end(),
                       "20 of 20 clients whose sessions were taken lost their connections"),
            1);
}

TEST_P(everywhere, a_slow_consumer_holds_nobody_up) {
  const auto all = of("slow-consumer",
                      {"--subscribers", "3", "--slow-pause", "5ms", "--rate", "2k", "-L", "200", "--verify"});
  EXPECT_EQ(all.at("totals").at("expected"), 400);
  EXPECT_EQ(all.at("totals").at("received"), 400);
  EXPECT_GE(all.at("latency").at("slow.e2e").at("count"), 1);
}

TEST_P(everywhere, a_slow_consumer_does_not_hold_up_the_end) {
  const auto all = of("slow-consumer",
                      {"--subscribers", "2", "--slow-pause", "1h", "--rate", "2k", "-L", "50", "--verify"});
  EXPECT_EQ(all.at("totals").at("received"), 50);
}

TEST_P(everywhere, retained_burst_gives_everybody_what_was_kept) {
  const auto all = of("retained-burst", {"-L", "50", "--subscribers", "4", "--verify"});
  EXPECT_EQ(all.at("totals").at("received"), 200);
  EXPECT_EQ(all.at("latency").at("stored.all").at("count"), 4);
  EXPECT_EQ(all.at("latency").at("stored.first").at("count"), 4);
}

TEST_P(everywhere, session_resume_gives_everybody_what_was_kept) {
  for (const char* quality : {"1", "2"}) {
    const auto all = of("session-resume", {"-q", quality, "-L", "50", "--subscribers", "4", "--verify"});
    EXPECT_EQ(all.at("totals").at("received"), 200);
    EXPECT_EQ(all.at("latency").at("stored.all").at("count"), 4);
  }
}

TEST(scenario_program, lists_them_and_teaches) {
  const std::string list = bench({"scenario", "--list"}).output;
  for (const char* name : {"p2p", "fan-out", "fan-in", "connection-storm", "churn", "reconnect-storm",
                           "takeover", "slow-consumer", "retained-burst", "session-resume"}) {
    EXPECT_NE(list.find(name), std::string::npos) << name;
    EXPECT_EQ(bench({"scenario", name, "--help"}).status, 0) << name;
    EXPECT_EQ(bench({"scenario", name, "--dry-run"}).status, 0) << name;
  }
  EXPECT_EQ(bench({"scenario"}).status, 2);
  EXPECT_EQ(bench({"scenario", "no-such"}).status, 2);
}

TEST(scenario_program, says_what_does_not_fit_together) {
  EXPECT_EQ(bench({"scenario", "session-resume", "-q", "0"}).status, 2);
  EXPECT_EQ(bench({"scenario", "session-resume", "-V", "3.1.1"}).status, 2);
  EXPECT_EQ(bench({"scenario", "retained-burst", "-t", "a/b"}).status, 2);
  EXPECT_EQ(bench({"scenario", "slow-consumer", "--slow", "11"}).status, 2);
  EXPECT_EQ(bench({"run", "-t", "a/x%s"}).status, 2);
}

TEST(scenario_program, ends_with_1_without_a_broker) {
  EXPECT_EQ(bench({"scenario", "takeover", "--url", "mqtt://127.0.0.1:1", "--quiet"}).status, 1);
}

} // namespace
