#include <troupe/bench/load/figure_text.hpp>
#include <troupe/bench/load/load_threshold.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe::bench;

TEST(load_threshold, knows_figures_by_name) {
  load_result result;
  result.counts.lost = 3;
  result.received_rate = 2'000'000;
  result.payload = 10;
  load_latency& latency = result.latencies.emplace_back();
  latency.name = "e2e";
  latency.values.record(std::chrono::nanoseconds{100});
  EXPECT_EQ(figure_of(result, "lost"), 3);
  EXPECT_EQ(figure_of(result, "recv.rate"), 2'000'000);
  EXPECT_EQ(figure_of(result, "recv.mbps"), 20);
  EXPECT_EQ(figure_of(result, "e2e.p99.9"), 100);
  EXPECT_FALSE(figure_of(result, "ack.p50"));
}

TEST(load_threshold, knows_which_names_there_are) {
  for (const char* name :
       {"sent", "acked.rate", "e2e.p99", "e2e.uncorrected.p99.9", "connect.total.max", "lag.mean", "e2e.p98"})
    EXPECT_TRUE(has_figure_name(name)) << name;
  for (const char* name : {"", "e2e", "e2e.", "e2e.p100", "e2e.p9x", "e2ep99", "x.p99", "rate"})
    EXPECT_FALSE(has_figure_name(name)) << name;
}

TEST(load_threshold, writes_figures_with_their_units) {
  EXPECT_EQ(figure_text("lost", 3), "3");
  EXPECT_EQ(figure_text("recv.rate", 2'000), rate_text(2'000));
  EXPECT_EQ(figure_text("e2e.p99", 1'500'000), time_text(1'500'000));
  EXPECT_EQ(figure_text("connect.total.max", 20), time_text(20));
  EXPECT_EQ(figure_text("recv.mbps", 1.5), "1.50 MB/s");
  EXPECT_EQ(figure_text("rss", 12'500'000), "12.5 MB");
  EXPECT_EQ(figure_text("cpu", 0.5), "0.50 cores");
}

TEST(load_threshold, is_not_met_by_a_run_without_the_figure) {
  const condition conditions[] = {*parse_condition("e2e.p99<1s"), *parse_condition("lost==0")};
  const auto verdicts = judge({}, conditions);
  EXPECT_FALSE(verdicts[0].is_met);
  EXPECT_FALSE(verdicts[0].value);
  EXPECT_TRUE(verdicts[1].is_met);
}

} // namespace
