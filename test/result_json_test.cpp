#include <troupe/bench/load/result_json.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using namespace troupe::bench;

row measured() {
  row r;
  r.work.id = "W40/burst/v5/tcp/qos0/10B";
  r.work.published = 6'486;
  r.ours = {{100, 100, 100}, {100, 100, 200}};
  r.raw[0] = {{80, 80, 80}};
  r.costs = message_costs{0.01, 2, 0};
  return r;
}

TEST(result_json, has_every_key_of_schema_1) {
  const row rows[] = {measured()};
  const auto all = nlohmann::json::parse(json_of(describe_environment(), rows));
  EXPECT_EQ(all.at("schema"), 1);
  EXPECT_TRUE(all.at("environment").is_object());
  const auto& one = all.at("cases").at(0);
  for (const char* key : {"id",
                          "version",
                          "transport",
                          "qos",
                          "payload",
                          "messages",
                          "systems",
                          "scheduler",
                          "workers",
                          "launches",
                          "iterations",
                          "ns_per_message",
                          "median",
                          "min",
                          "max",
                          "stddev",
                          "error",
                          "req_per_s",
                          "raw_ns_per_message",
                          "reference_ns_per_message",
                          "burst_worst_ratio",
                          "raw_burst_worst_ratio",
                          "p50_ns",
                          "p99_ns",
                          "raw_p50_ns",
                          "lost",
                          "duplicated",
                          "reordered",
                          "failed",
                          "allocations_per_message",
                          "allocated_bytes_per_message",
                          "mutexes_per_message",
                          "syscalls_per_message"})
    EXPECT_TRUE(one.contains(key)) << key;
}

TEST(result_json, says_what_was_measured) {
  const row rows[] = {measured()};
  const auto one = nlohmann::json::parse(json_of({}, rows)).at("cases").at(0);
  EXPECT_EQ(one.at("version"), "5.0");
  EXPECT_EQ(one.at("transport"), "tcp");
  EXPECT_EQ(one.at("iterations"), 2);
  EXPECT_EQ(one.at("ns_per_message"), 100.0); // 200 is an outlier
  EXPECT_EQ(one.at("max"), 200.0);
  EXPECT_EQ(one.at("req_per_s"), 2e7); // two operations a message
  EXPECT_EQ(one.at("raw_ns_per_message"), 80.0);
  EXPECT_EQ(one.at("reference_ns_per_message"), 6'486.0);
  EXPECT_EQ(one.at("burst_worst_ratio"), 1.5); // between the sets' 1 and 2
  EXPECT_EQ(one.at("allocations_per_message"), 0.01);
  EXPECT_TRUE(one.at("p50_ns").is_null());
  EXPECT_TRUE(one.at("syscalls_per_message").is_null());
  EXPECT_TRUE(one.at("failed").is_null());
}

TEST(result_json, keeps_a_failed_row_with_its_reason) {
  row failed = measured();
  failed.failure = "30 s passed";
  const row rows[] = {failed};
  const auto one = nlohmann::json::parse(json_of({}, rows)).at("cases").at(0);
  EXPECT_EQ(one.at("failed"), "30 s passed");
  EXPECT_TRUE(one.at("ns_per_message").is_null());
}

TEST(result_json, hands_samples_from_launch_to_run) {
  const row launch = measured();
  row sum;
  sum.work = launch.work;
  ASSERT_TRUE(add_samples(sum, samples_to_json(launch)));
  ASSERT_TRUE(add_samples(sum, samples_to_json(launch)));
  EXPECT_EQ(sum.ours.size(), 4U);
  EXPECT_EQ(sum.raw[0].size(), 2U);
  ASSERT_TRUE(sum.costs);
  EXPECT_EQ(sum.costs->allocated_bytes, 2);
}

TEST(result_json, refuses_what_is_no_launch_of_the_row) {
  row sum;
  sum.work.id = "other";
  EXPECT_FALSE(add_samples(sum, samples_to_json(measured())));
  EXPECT_FALSE(add_samples(sum, "no json"));
  EXPECT_FALSE(add_samples(sum, ""));
}

} // namespace
