// Several loads that belong together: repeats, sweeps; and what is written beside a report.
#include <troupe/bench/load/child_process.hpp>
#include <troupe/bench/load/load_series.hpp>
#include <troupe/bench/load/loopback_socket.hpp>
#include <troupe/bench/load/scratch_file.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace troupe::bench;
using json = nlohmann::json;

child_result bench(std::vector<std::string> words) {
  words.insert(words.begin(), std::string{TROUPE_BIN_DIR} + "/troupe-bench");
  return run_child(words, child_errors::hidden);
}

json json_of(std::vector<std::string> words, int status = 0) {
  words.insert(words.end(), {"--quiet", "--format", "json"});
  const child_result ended = bench(words);
  EXPECT_EQ(ended.status, status) << ended.output;
  return json::parse(ended.output, nullptr, false);
}

std::string text_of(const std::string& name) {
  std::ifstream file{name};
  return {std::istreambuf_iterator<char>{file}, {}};
}

load_result result_with(std::uint64_t sent) {
  load_result result;
  result.counts.sent = sent;
  result.sent_rate = static_cast<double>(sent);
  return result;
}

TEST(load_series, is_read_as_it_was_written) {
  std::vector<load_result> runs;
  runs.push_back(result_with(3));
  EXPECT_EQ(read_load_series(load_series_json(runs))->size(), 1U);
  runs.push_back(result_with(5));
  const auto read = read_load_series(load_series_json(runs));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ(read->back().counts.sent, 5U);
  for (const char* other : {"", "{}", "[]", "{\"kind\":\"loads\"}", "{\"kind\":\"loads\",\"runs\":[{}]}",
                            "{\"kind\":\"loads\",\"runs\":[]}", "{\"kind\":\"loads\",\"runs\":7}"})
    EXPECT_FALSE(read_load_series(other)) << other;
}

TEST(load_series, writes_percentiles_as_hdr_histogram_does) {
  load_result result;
  result.latencies.emplace_back().name = "ack";
  for (int i = 1; i <= 4; ++i) result.latencies.back().values.record(std::chrono::milliseconds{i});
  std::ostringstream out;
  write_hdr(out, result);
  const std::string text = out.str();
  EXPECT_EQ(text.find("       Value     Percentile TotalCount 1/(1-Percentile)"), 0U);
  EXPECT_NE(text.find("0.500000000000          2           2.00"), std::string::npos) << text;
  EXPECT_NE(text.find("1.000000000000          4\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Total count    =            4]"), std::string::npos) << text;
}

TEST(repeats, are_all_kept_and_compared) {
  const scratch_file a{"repeats"};
  const std::string file = a.name() + ".json";
  ASSERT_EQ(
      bench({"run", "--broker", "embedded", "-L", "200", "--repeat", "5", "--quiet", "-o", file}).status, 0);
  EXPECT_EQ(json::parse(text_of(file)).at("runs").size(), 5U);
  EXPECT_EQ(bench({"compare", file, file}).status, 0);
  for (const char* format : {"text", "markdown", "html", "csv", "json"})
    EXPECT_EQ(bench({"report", file, "--format", format}).status, 0) << format;
  const std::string text =
      bench({"run", "--broker", "embedded", "-L", "50", "--repeat", "2", "--quiet"}).output;
  EXPECT_NE(text.find("2 runs"), std::string::npos);
  std::remove(file.c_str());
}

TEST(extras, are_written_where_they_are_wanted) {
  const scratch_file hdr{"hdr"};
  const scratch_file raw{"raw"};
  ASSERT_EQ(
      bench({"run", "--broker", "embedded", "-L", "100", "--quiet", "--hdr", hdr.name(), "--raw", raw.name()})
          .status,
      0);
  EXPECT_NE(text_of(hdr.name()).find("#[Max"), std::string::npos);
  const std::string events = text_of(raw.name());
  EXPECT_EQ(events.find("publisher,number,due_ns,sent_ns,received_ns\n"), 0U);
  EXPECT_EQ(std::count(events.begin(), events.end(), '\n'), 101);
  EXPECT_EQ(bench({"run", "--broker", "embedded", "-L", "1", "--quiet", "--hdr", "/nonexistent/x"}).status,
            1);
}

TEST(sweep, does_each_in_turn) {
  const json all =
      json_of({"sweep", "--over", "size=8,64", "run", "--broker", "embedded", "-L", "100", "--verify"});
  ASSERT_EQ(all.at("runs").size(), 2U);
  EXPECT_EQ(all.at("runs").at(0).at("plan").at("size"), "8");
  EXPECT_EQ(all.at("runs").at(1).at("plan").at("label.sweep"), "size=64");
  const std::string text = bench({"sweep", "--over", "qos=0,1,2", "--quiet", "scenario", "fan-in",
                                  "--publishers", "3", "--broker", "embedded", "-L", "30"})
                               .output;
  EXPECT_NE(text.find("of asked"), std::string::npos) << text;
  EXPECT_NE(text.find("##"), std::string::npos) << text;
}

TEST(sweep, ends_where_a_broker_is_saturated) {
  // Nobody does a thousand million a second; each run ends after so many messages.
  const json all =
      json_of({"sweep", "--over", "rate=1000M,2000M", "pub", "--broker", "embedded", "-L", "2000"});
  EXPECT_TRUE(all.contains("totals")); // one run alone
  const json both = json_of(
      {"sweep", "--over", "rate=1000M,2000M", "--keep-going", "pub", "--broker", "embedded", "-L", "2000"});
  EXPECT_EQ(both.at("runs").size(), 2U);
}

TEST(sweep, says_what_it_does_not_understand) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"sweep", "run"},
                                             {"sweep", "--over", "rate", "run"},
                                             {"sweep", "--over", "rate=1"},
                                             {"sweep", "--over", "rate=1", "sing"},
                                             {"sweep", "--over", "rate=fast", "run", "--broker", "embedded"},
                                             {"sweep", "--over", "color=red", "run", "--broker", "embedded"},
                                             {"sweep", "--over", "rate=1", "scenario", "none"}})
    EXPECT_EQ(bench(words).status, 2) << words.back();
  EXPECT_EQ(bench({"sweep", "--help"}).status, 0);
  EXPECT_EQ(
      bench({"sweep", "--over", "qos=1", "--quiet", "pub", "--url", "mqtt://127.0.0.1:1", "-L", "1"}).status,
      1);
}

TEST(probe, asks_an_embedded_broker_everything) {
  const json all = json_of({"probe", "--broker", "embedded:tcp"});
  ASSERT_EQ(all.at("findings").size(), 10U);
  for (const json& each : all.at("findings")) EXPECT_EQ(each.at("answer"), "works") << each;
}

TEST(probe, measures_the_tool_against_a_broker_that_does_nothing) {
  const json all = json_of({"probe", "--self", "-L", "500", "-q", "1", "--verify"});
  EXPECT_EQ(all.at("totals").at("received"), 500);
  EXPECT_NE(all.at("notes").dump().find("what the tool itself can do"), std::string::npos);
}

TEST(probe, ends_with_1_without_a_broker) {
  EXPECT_EQ(bench({"probe", "--url", "mqtt://127.0.0.1:1"}).status, 1);
  EXPECT_EQ(bench({"probe", "--url", "carrier://pigeon"}).status, 2);
}

TEST(options, do_what_they_say) {
  const auto plan = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "--broker", "embedded", "--dry-run"});
    const child_result ended = bench(words);
    EXPECT_EQ(ended.status, 0) << words.back();
    return ended.output;
  };
  const auto has = [](const std::string& text, const std::string& key, const std::string& value) {
    const auto at = text.find("  " + key + ' ');
    return at != std::string::npos
           && text.find(value + '\n', at) == text.find_first_not_of(' ', at + key.size() + 2);
  };
  EXPECT_TRUE(has(plan({"--ramp", "0..10k/30s"}), "ramp", "0..10000/30s"));
  EXPECT_TRUE(has(plan({"--burst", "100/2s"}), "rate", "50"));
  EXPECT_TRUE(has(plan({"--cooldown", "2s"}), "cooldown", "2s"));
  EXPECT_TRUE(has(plan({"--label", "why=this"}), "label.why", "this"));
  EXPECT_TRUE(has(plan({"--user-property", "a=b"}), "user-property", "a=b"));
  EXPECT_TRUE(has(plan({"-q", "1", "-q", "2"}), "qos", "2"));
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--ramp", "10k"},
                                             {"--burst", "0/1s"},
                                             {"--label", "x"},
                                             {"--arrival", "poisson"},
                                             {"--user-property", "a=b", "-V", "3.1.1"},
                                             {"-m", "@/nonexistent"},
                                             {"--repeat", "0"}}) {
    auto words = wrong;
    words.insert(words.begin(), {"run", "--broker", "embedded", "--dry-run"});
    EXPECT_EQ(bench(words).status, 2) << wrong.front();
  }
  EXPECT_NE(bench({"run", "--ws", "-h", "x", "--dry-run"}).output.find("ws://x:80/mqtt"), std::string::npos);
  EXPECT_NE(bench({"run", "--ws", "-S", "-h", "x", "-p", "9", "--path", "a", "--dry-run"})
                .output.find("wss://x:9/a"),
            std::string::npos);
}

TEST(options, of_percentiles_choose_what_is_shown_and_judged) {
  const scratch_file file{"percentiles.json"};
  const scratch_file table{"percentiles.csv"};
  const child_result ended =
      bench({"run", "--broker", "embedded", "-L", "100", "--percentiles", "50,95", "--threshold",
             "e2e.p95<100s", "--progress", "off", "-o", file.name(), "-o", table.name()});
  EXPECT_EQ(ended.status, 0);
  EXPECT_NE(ended.output.find(" p95 "), std::string::npos);
  EXPECT_EQ(ended.output.find(" p99 "), std::string::npos);
  EXPECT_NE(text_of(table.name()).find("\ne2e.p95,"), std::string::npos);
  EXPECT_EQ(text_of(table.name()).find("\ne2e.p99,"), std::string::npos);
  const json all = json::parse(text_of(file.name()), nullptr, false);
  EXPECT_EQ(all.at("percentiles"), json({50, 95}));
  for (const char* key : {"p50_ns", "p95_ns", "p99_ns", "p99_9_ns"}) // the usual ones are always there
    EXPECT_TRUE(all.at("latency").at("e2e").contains(key)) << key;
  EXPECT_NE(bench({"report", file.name()}).output.find(" p95 "), std::string::npos);
  EXPECT_NE(bench({"report", file.name(), "--percentiles", "99.999"}).output.find(" p99.999 "),
            std::string::npos);
  EXPECT_EQ(bench({"report", file.name(), "--percentiles", "100"}).status, 2);
  EXPECT_EQ(bench({"run", "--percentiles", "p50", "--dry-run"}).status, 2);
}

TEST(options, of_addresses_are_dialled_from_by_turns) {
  const int door = listen_loopback(0);
  background_process caller{{std::string{TROUPE_BIN_DIR} + "/troupe-bench", "conn", "-c", "4", "-h",
                             "127.0.0.1", "-p", std::to_string(port_of(door)), "--ifaddr",
                             "127.0.0.2,127.0.0.3", "--quiet"}};
  std::map<std::string, int> callers;
  for (int i = 0; i != 4; ++i) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const int caught = ::accept(door, reinterpret_cast<sockaddr*>(&from), &size);
    ASSERT_GE(caught, 0);
    std::array<char, INET_ADDRSTRLEN> text{};
    ++callers[::inet_ntop(AF_INET, &from.sin_addr, text.data(), text.size())];
    ::close(caught);
  }
  ::close(door);
  EXPECT_EQ(callers, (std::map<std::string, int>{{"127.0.0.2", 2}, {"127.0.0.3", 2}}));
  EXPECT_EQ(caller.wait(), 1); // nobody answered
  EXPECT_EQ(bench({"run", "--ifaddr", "localhost", "--dry-run"}).status, 2);
  EXPECT_EQ(bench({"run", "--ifaddr", "127.0.0.2", "--broker", "embedded", "--dry-run"}).status, 2);
}

TEST(options, come_from_a_file_and_go_into_one) {
  const scratch_file file{"config", "broker = \"embedded\"\nlimit = 7\n[run]\nqos = 1\n"};
  const json all = json_of({"run", "--config", file.name(), "-L", "9"});
  EXPECT_EQ(all.at("totals").at("sent"), 9);
  EXPECT_EQ(all.at("plan").at("qos"), "1");
  const std::string said = bench({"run", "--config", file.name(), "--threshold", "lost==0", "--threshold",
                                  "errors==0", "--verify", "--print-config"})
                               .output;
  const scratch_file again{"config", said};
  EXPECT_EQ(bench({"run", "--config", again.name(), "--print-config"}).output, said);
  EXPECT_EQ(json_of({"run", "--config", again.name()}).at("thresholds").size(), 2U);
  EXPECT_EQ(bench({"pub", "--no-clean", "--print-config"}).output, "no-clean = true\n");
  EXPECT_EQ(bench({"run", "--config", "/nonexistent"}).status, 2);
  const scratch_file unknown{"config", "no-such-key = 1\n"};
  EXPECT_EQ(bench({"run", "--config", unknown.name()}).status, 2);
}

TEST(options, of_time_end_a_run_that_takes_too_long) {
  const json all =
      json_of({"run", "--broker", "embedded", "-d", "1h", "--timeout", "1s", "--drain", "0s"}, 1);
  EXPECT_EQ(all.at("failed"), "not done within --timeout");
}

TEST(options, of_clients_reach_the_broker) {
  const json all = json_of({"conn", "--broker", "embedded", "-c", "3", "--client-id", "me%i", "--will-topic",
                            "w/%i", "--will-message", "gone", "--will-qos", "1", "--reconnect", "backoff"});
  EXPECT_EQ(all.at("totals").at("connected"), 3);
  EXPECT_EQ(json_of({"pub", "--broker", "embedded", "-t", "a/%i/%s", "--user-property", "k=v", "-L", "5",
                     "-q", "1"})
                .at("totals")
                .at("acked"),
            5);
  EXPECT_EQ(
      json_of({"run", "--broker", "embedded", "--rate", "5k", "-F", "2", "-q", "1", "-L", "200", "--verify"})
          .at("totals")
          .at("received"),
      200);
}

} // namespace
