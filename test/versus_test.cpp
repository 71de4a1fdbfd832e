// The comparison with other libraries and brokers, very small.
#include <troupe/bench/load/child_process.hpp>
#include <troupe/bench/load/versus_report.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace troupe::bench;
using json = nlohmann::json;

child_result versus(std::vector<std::string> words) {
  words.insert(words.begin(), {std::string{TROUPE_BIN_DIR} + "/troupe-bench", "versus"});
  return run_child(words, child_errors::hidden);
}

TEST(versus_program, has_every_library_do_every_case) {
  const child_result ended =
      versus({"--scale", "0.001", "--repeats", "1", "--clients-only", "--quiet", "--format", "json"});
  ASSERT_EQ(ended.status, 0) << ended.output;
  const json all = json::parse(ended.output);
  std::set<std::string> ids;
  for (const json& row : all.at("rows")) {
    ids.insert(row.at("id").get<std::string>().substr(0, 3));
    EXPECT_EQ(row.at("failure"), "") << row;
    EXPECT_EQ(row.at("runs").size(), 1U) << row;
    EXPECT_GT(row.at("runs").at(0).at("time_ns").get<double>(), 0) << row;
  }
  EXPECT_EQ(ids, (std::set<std::string>{"W70", "W71", "W72", "W73", "W74", "V01", "V02"}));
  EXPECT_EQ(all.at("rows").size(), all_peer_cases().size() * peer_names().size());
}

TEST(versus_program, sees_that_we_keep_to_the_brokers_window) {
  const child_result ended = versus({"--filter", "W70/sustained/out_of_the_box", "--scale", "0.05",
                                     "--repeats", "1", "--quiet", "--format", "json"});
  ASSERT_EQ(ended.status, 0) << ended.output;
  const json all = json::parse(ended.output);
  ASSERT_EQ(all.at("windows").size(), peer_names().size());
  const json& ours = all.at("windows").at(0);
  EXPECT_EQ(ours.at("peer"), "troupe");
  EXPECT_EQ(ours.at("announced"), 20); // mosquitto's default
  EXPECT_TRUE(ours.at("kept"));
  EXPECT_GE(ours.at("most_in_flight"), 2);
}

TEST(versus_program, loads_three_brokers_alike) {
  const child_result ended = versus(
      {"--filter", "V02/passage/qos0/*", "--scale", "0.02", "--repeats", "1", "--quiet", "--format", "json"});
  ASSERT_EQ(ended.status, 0) << ended.output;
  const json all = json::parse(ended.output);
  EXPECT_EQ(all.at("brokers").size(), 3 * (peer_names().size() > 1 ? 2 : 1)) << all;
  for (const json& row : all.at("brokers")) EXPECT_EQ(row.at("time_ns").size(), 1U) << row;
}

TEST(versus_program, teaches_and_complains) {
  EXPECT_EQ(versus({"--help"}).status, 0);
  EXPECT_NE(versus({"--list"}).output.find("W74/connect"), std::string::npos);
  EXPECT_EQ(versus({"--only", "W99", "--peer", "troupe"}).status, 2);
  EXPECT_EQ(versus({"--only", "W74/connect", "--peer", "nobody", "--port", "1"}).status, 1);
  EXPECT_EQ(versus({"--only", "W74/connect", "--peer", "troupe", "--port", "1"}).status, 1);
  EXPECT_EQ(versus({"--job", "long"}).status, 2);
  EXPECT_EQ(versus({"--filter", "W99*"}).status, 2);
}

versus_row row_of(const char* peer, double time) {
  versus_row row{.id = "W72", .peer = peer};
  peer_figures& run = row.runs.emplace_back();
  run.time = time;
  run.processor = time / 2;
  return row;
}

TEST(versus_report, names_what_was_lost) {
  versus_result result;
  result.rows = {row_of("troupe", 300), row_of("libmosquitto", 200), row_of("paho", 900)};
  const auto lost = lost_rows(result);
  ASSERT_EQ(lost.size(), 2U); // time and processor, against one
  EXPECT_EQ(lost.front(), "W72: libmosquitto takes less time, ours 1.50 times as much");
  for (const load_format format : {load_format::text, load_format::markdown, load_format::json}) {
    std::ostringstream out;
    write_versus(out, format, result);
    EXPECT_NE(out.str().find("ours 1.50 times as much"), std::string::npos);
  }
}

TEST(versus_report, says_that_something_failed) {
  versus_result result;
  result.rows = {row_of("troupe", 300)};
  EXPECT_FALSE(has_failed(result));
  result.rows.push_back({.id = "W72", .peer = "paho", .failure = "did not end"});
  EXPECT_TRUE(has_failed(result));
  std::ostringstream out;
  write_versus(out, load_format::text, result);
  EXPECT_NE(out.str().find("FAILED: did not end"), std::string::npos);
  result.rows.back().runs.emplace_back(); // one repeat went well
  EXPECT_FALSE(has_failed(result));
  out.str({});
  write_versus(out, load_format::text, result);
  EXPECT_NE(out.str().find("but for 1 of 3 repeats: W72 by paho: did not end"), std::string::npos)
      << out.str();
  result.rows.pop_back();
  result.windows.push_back({.peer = "troupe", .most_in_flight = 21, .announced = 20});
  EXPECT_TRUE(has_failed(result));
}

TEST(peer_figures, are_read_as_they_were_written) {
  peer_figures figures;
  figures.time = 1.5;
  figures.peak = 3e6;
  const auto read = read_figures(figures_json(figures));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->time, 1.5);
  EXPECT_EQ(read->peak, 3e6);
  EXPECT_FALSE(read_figures(""));
  EXPECT_FALSE(read_figures("{}"));
}

} // namespace
