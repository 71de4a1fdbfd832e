// The load commands of troupe-bench, as a shell sees them: what they print and how they end.
#include <troupe/bench/load/child_process.hpp>
#include <troupe/bench/load/load_json.hpp>
#include <troupe/bench/load/scratch_file.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

namespace {

using troupe::bench::child_errors;
using troupe::bench::child_result;
using troupe::bench::run_child;
using troupe::bench::scratch_file;

child_result bench(std::vector<std::string> words) {
  words.insert(words.begin(), std::string{TROUPE_BIN_DIR} + "/troupe-bench");
  return run_child(words, child_errors::hidden);
}

nlohmann::json result_of(std::vector<std::string> words, int status = 0) {
  words.insert(words.end(), {"--quiet", "--format", "json"});
  const child_result ended = bench(words);
  EXPECT_EQ(ended.status, status);
  EXPECT_TRUE(troupe::bench::read_load_json(ended.output)) << ended.output;
  return nlohmann::json::parse(ended.output, nullptr, false);
}

std::string text_of(const scratch_file& one) {
  std::ifstream file{one.name()};
  return {std::istreambuf_iterator<char>{file}, {}};
}

class every_quality : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(every_quality, sends_as_many_as_were_asked_for_and_each_arrives_once) {
  const auto [broker, quality] = GetParam();
  const auto all = result_of({"run", "--broker", broker, "-q", quality, "--publishers", "3", "--subscribers",
                              "2", "-L", "1000", "--verify"});
  const auto& totals = all.at("totals");
  EXPECT_EQ(totals.at("sent"), 1'000);
  EXPECT_EQ(totals.at("acked"), 1'000);
  EXPECT_EQ(totals.at("received"), 2'000);
  EXPECT_EQ(totals.at("expected"), 2'000);
  for (const char* fault : {"lost", "duplicated", "reordered", "damaged", "foreign", "errors"})
    EXPECT_EQ(totals.at(fault), 0) << fault;
  EXPECT_EQ(all.at("latency").at("e2e").at("count"), 2'000);
  EXPECT_EQ(all.at("latency").at("ack").at("count"), 1'000);
  EXPECT_EQ(all.at("latency").at("connect.total").at("count"), 5);
}

INSTANTIATE_TEST_SUITE_P(load_program, every_quality,
                         testing::Combine(testing::Values("embedded", "embedded:tcp"),
                                          testing::Values("0", "1", "2")));

TEST(load_program, reaches_a_broker_of_its_own_by_every_door) {
  for (const char* broker : {"embedded:tls", "embedded:ws", "embedded:wss", "embedded:unix"}) {
    const auto all = result_of({"run", "--broker", broker, "-q", "1", "-L", "100", "--verify"});
    EXPECT_EQ(all.at("totals").at("received"), 100) << broker;
  }
}

TEST(load_program, sends_by_the_clock_and_shows_both_latencies) {
  for (const char* arrival : {"constant", "poisson"}) {
    const auto all =
        result_of({"run", "--broker", "embedded", "--rate", "10k", "-L", "500", "--arrival", arrival});
    EXPECT_EQ(all.at("totals").at("sent"), 500);
    EXPECT_EQ(all.at("totals").at("received"), 500);
    EXPECT_EQ(all.at("latency").at("e2e").at("count"), 500);
    EXPECT_EQ(all.at("latency").at("e2e.uncorrected").at("count"), 500);
    EXPECT_GE(all.at("latency").at("e2e").at("max_ns"), all.at("latency").at("e2e.uncorrected").at("max_ns"));
  }
}

TEST(load_program, does_not_wait_for_what_is_due_after_its_end) {
  const auto all = result_of({"run", "--broker", "embedded", "--rate-per-client", "0.0001", "--publishers",
                              "1", "-d", "1s", "--warmup", "0"});
  EXPECT_EQ(all.at("totals").at("sent"), 1); // the next one is due in hours
}

TEST(load_program, gives_each_message_of_a_group_to_one_member) {
  const auto all = result_of(
      {"run", "--broker", "embedded", "-q", "1", "--subscribers", "3", "--share", "g", "-L", "300"});
  EXPECT_EQ(all.at("totals").at("received"), 300);
}

TEST(load_program, carries_small_payloads_and_texts) {
  EXPECT_EQ(result_of({"run", "--broker", "embedded", "-s", "1", "-L", "300"}).at("totals").at("received"),
            300);
  EXPECT_EQ(result_of({"run", "--broker", "embedded", "-m", "x", "-L", "300"}).at("totals").at("received"),
            300);
  const auto numbered = result_of({"run", "--broker", "embedded", "-s", "8", "-L", "300", "--verify"});
  EXPECT_EQ(numbered.at("totals").at("lost"), 0);
  EXPECT_FALSE(numbered.at("latency").contains("e2e")); // no room for a time
}

TEST(load_program, sends_so_many_for_each_publisher) {
  const auto all = result_of({"pub", "--broker", "embedded", "-c", "4", "--messages", "25", "-q", "1"});
  EXPECT_EQ(all.at("totals").at("sent"), 100);
  EXPECT_EQ(all.at("totals").at("acked"), 100);
  EXPECT_EQ(all.at("totals").at("received"), 0);
}

TEST(load_program, asks_and_is_answered) {
  const auto all = result_of(
      {"rr", "--broker", "embedded:tcp", "-c", "2", "--responders", "2", "-L", "200", "-q", "1", "--verify"});
  EXPECT_EQ(all.at("totals").at("sent"), 200);
  EXPECT_EQ(all.at("totals").at("received"), 200);
  EXPECT_EQ(all.at("totals").at("lost"), 0);
  EXPECT_EQ(all.at("latency").at("e2e").at("count"), 200);
}

TEST(load_program, connects_as_many_as_were_asked_for) {
  const auto all = result_of({"conn", "--broker", "embedded:tcp", "-c", "50", "-V", "3.1.1"});
  EXPECT_EQ(all.at("totals").at("connected"), 50);
  EXPECT_EQ(all.at("totals").at("connect_failures"), 0);
  for (const char* phase : {"connect.dial", "connect.mqtt", "connect.total"})
    EXPECT_EQ(all.at("latency").at(phase).at("count"), 50) << phase;
}

TEST(load_program, ends_with_99_when_a_threshold_is_not_met) {
  const std::vector<std::string> run{"run", "--broker", "embedded", "-L", "100", "--threshold"};
  const auto with = [&run](const char* condition) {
    auto words = run;
    words.emplace_back(condition);
    return words;
  };
  EXPECT_FALSE(result_of(with("recv.rate>=1e12"), 99).at("thresholds").at(0).at("met"));
  EXPECT_TRUE(result_of(with("lost==0"), 0).at("thresholds").at(0).at("met"));
}

TEST(load_program, ends_with_2_when_it_is_used_wrongly) {
  EXPECT_EQ(bench({"run", "--no-such-option"}).status, 2);
  EXPECT_EQ(bench({"run", "--broker", "embedded", "--host", "x"}).status, 2);
  EXPECT_EQ(bench({"run", "--broker", "embedded", "--url", "mqtt://x"}).status, 2);
  EXPECT_EQ(bench({"run", "--rate", "1", "-I", "1"}).status, 2);
  EXPECT_EQ(bench({"run", "--broker", "embedded:carrier-pigeon"}).status, 2);
  EXPECT_EQ(bench({"rr", "--broker", "embedded", "-V", "3.1.1"}).status, 2);
  EXPECT_EQ(bench({"run", "--threshold", "speed>1"}).status, 2);
  EXPECT_EQ(bench({"nothing"}).status, 2);
}

TEST(load_program, ends_with_1_and_a_summary_when_there_is_no_broker) {
  const auto all = result_of({"run", "--url", "mqtt://127.0.0.1:1"}, 1);
  EXPECT_TRUE(all.at("failed").is_string());
  EXPECT_EQ(all.at("totals").at("sent"), 0);
}

TEST(load_program, prints_its_summary_when_it_is_interrupted) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const scratch_file line{"line"}; // standard error: the live line says when messages flow
    const child_result ended = run_child(
        {"sh", "-c",
         "env --default-signal=INT \"$0\" run --broker embedded -d 1h --progress 50ms --format json "
         "2>\"$1\" & pid=$!; until grep -q received \"$1\"; do sleep 0.05; done; kill -$2 $pid; wait $pid",
         std::string{TROUPE_BIN_DIR} + "/troupe-bench", line.name(), std::to_string(signal)},
        child_errors::hidden);
    EXPECT_EQ(ended.status, 128 + signal);
    const auto all = nlohmann::json::parse(ended.output, nullptr, false);
    ASSERT_TRUE(all.is_object()) << ended.output;
    EXPECT_EQ(all.at("interrupted_by"), signal);
    EXPECT_EQ(all.at("totals").at("received"), all.at("totals").at("sent"));
  }
}

TEST(load_program, writes_files_that_report_and_compare_read) {
  const scratch_file json{"run.json"};
  ASSERT_EQ(bench({"run", "--broker", "embedded", "-d", "1s", "--warmup", "0", "--quiet", "-o", json.name()})
                .status,
            0);
  EXPECT_EQ(bench({"compare", json.name(), json.name()}).status, 0);
  for (const char* format : {"text", "markdown", "csv", "html", "json"}) {
    const child_result shown = bench({"report", json.name(), "--format", format});
    EXPECT_EQ(shown.status, 0) << format;
    EXPECT_EQ(shown.output.find("nan"), std::string::npos) << format;
    EXPECT_NE(shown.output.find("received"), std::string::npos) << format;
  }
  EXPECT_EQ(bench({"report", json.name(), "--format", "json"}).output, text_of(json));
  EXPECT_EQ(bench({"report", "/nonexistent"}).status, 2);
  EXPECT_EQ(bench({"compare", json.name(), "/nonexistent"}).status, 2);
}

TEST(load_program, writes_slices_and_judges_against_a_baseline) {
  const scratch_file json{"base.json"};
  const scratch_file series{"series.csv"};
  const std::vector<std::string> run{"run",      "--broker", "embedded",         "--rate", "2k",
                                     "-d",       "1s",       "--warmup",         "0",      "--quiet",
                                     "--format", "csv",      "--max-regression", "1000000"};
  auto first = run;
  first.insert(first.end(), {"-o", json.name(), "--time-series", series.name()});
  ASSERT_EQ(bench(first).status, 0);
  EXPECT_EQ(text_of(series).rfind("end_s,sent_per_s,acked_per_s,received_per_s,p50_ns,p99_ns\n", 0), 0U);
  auto second = run;
  second.insert(second.end(), {"--baseline", json.name()});
  EXPECT_EQ(bench(second).status, 0);
  EXPECT_EQ(bench({"run", "--broker", "embedded", "-L", "1", "--baseline", series.name()}).status, 2);
  EXPECT_EQ(bench({"run", "--broker", "embedded", "-L", "1", "--baseline", json.name()}).status, 2);
}

TEST(load_program, judges_repeats_against_repeats) {
  const scratch_file json{"repeats.json"};
  const std::vector<std::string> run{"run", "--broker", "embedded", "-L", "100", "--repeat", "2", "--quiet"};
  auto first = run;
  first.insert(first.end(), {"-o", json.name()});
  ASSERT_EQ(bench(first).status, 0);
  auto second = run;
  second.insert(second.end(), {"--baseline", json.name(), "--max-regression", "1000000"});
  EXPECT_EQ(bench(second).status, 0);
}

TEST(load_program, refuses_to_compare_what_was_measured_otherwise) {
  const scratch_file a{"a.json"};
  const scratch_file b{"b.json"};
  ASSERT_EQ(bench({"run", "--broker", "embedded", "-L", "100", "--quiet", "-o", a.name()}).status, 0);
  ASSERT_EQ(bench({"run", "--broker", "embedded", "-L", "200", "--quiet", "-o", b.name()}).status, 0);
  EXPECT_EQ(bench({"compare", a.name(), b.name()}).status, 2);
  EXPECT_EQ(bench({"compare", a.name(), b.name(), "--force"}).status, 0);
}

TEST(load_program, says_everything_in_its_help) {
  for (const char* command :
       {"run", "pub", "sub", "conn", "rr", "sweep", "probe", "versus", "compare", "report"}) {
    const child_result help = bench({command, "--help"});
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_NE(help.output.find("--format"), std::string::npos) << command;
  }
}

} // namespace
