#include <troupe/bench/load/load_json.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace {

using namespace troupe::bench;

load_result measured() {
  load_result result;
  result.title = "run";
  result.plan = {{"command", "run"}, {"qos", "1"}};
  result.where.processor = "some";
  result.counts.sent = 10;
  result.counts.received = 20;
  result.measured = 2;
  result.received_rate = 10;
  result.series = {{1, 5, 5, 10, 1e6, std::nullopt}};
  load_latency& latency = result.latencies.emplace_back();
  latency.name = "e2e";
  latency.values.record(std::chrono::nanoseconds{1'000});
  latency.values.record(std::chrono::nanoseconds{2'000'000}, 3);
  result.notes = {"a note"};
  result.thresholds = {{"lost==0", 0.0, true}, {"lag.p50<1", std::nullopt, false}};
  return result;
}

TEST(load_json, reads_what_it_wrote) {
  const std::string text = load_json_of(measured());
  const auto read = read_load_json(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(load_json_of(*read), text);
  EXPECT_EQ(read->latency("e2e")->count(), 4U);
  EXPECT_FALSE(read->series.front().p99);
}

TEST(load_json, has_no_number_that_is_none) {
  load_result result = measured();
  result.received_rate = std::numeric_limits<double>::quiet_NaN();
  const auto all = nlohmann::json::parse(load_json_of(result));
  EXPECT_TRUE(all.at("rates").at("received_per_s").is_null());
}

TEST(load_json, refuses_what_it_did_not_write) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"schema":1,"cases":[]})", R"({"schema":1,"kind":"load"})"})
    EXPECT_FALSE(read_load_json(text)) << text;
}

} // namespace
