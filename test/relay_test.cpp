// Whether the tool sees what it should: a broker that answers late, and one that stands still.
#include <troupe/bench/load/bare_broker.hpp>
#include <troupe/bench/load/child_process.hpp>
#include <troupe/bench/load/relay.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using troupe::bench::bare_broker;
using troupe::bench::relay;

/// A broker behind a relay.
class behind {
public:
  explicit behind(std::chrono::nanoseconds delay = 0ns) : between{{broker.port(), delay}} {}
  ~behind() {
    broker.stop();
    worker_.join();
  }
  bare_broker broker{0};
  relay between;

private:
  std::thread worker_{[this] { broker.run(); }};
};

nlohmann::json load(const relay& at, std::vector<std::string> words, int status = 0) {
  words.insert(words.begin(), std::string{TROUPE_BIN_DIR} + "/troupe-bench");
  words.insert(words.end(), {"--url", at.url(), "--quiet", "--format", "json"});
  const auto ended = troupe::bench::run_child(words, troupe::bench::child_errors::hidden);
  EXPECT_EQ(ended.status, status) << ended.output;
  return nlohmann::json::parse(ended.output, nullptr, false);
}

constexpr double ms = 1e6;

TEST(relay, counts_no_more_in_flight_than_the_window) {
  behind at{40ms}; // long enough for a slow machine to fill the window, too
  const auto all = load(at.between, {"pub", "-q", "1", "-F", "7", "-L", "100"});
  EXPECT_EQ(all.at("totals").at("acked"), 100);
  EXPECT_EQ(at.between.most_in_flight(), 7U);
  EXPECT_EQ(at.between.receive_maximum(), 65'535U); // the bare broker says nothing
}

TEST(accuracy, sees_acknowledgements_that_come_late) {
  behind at{40ms};
  for (const char* quality : {"1", "2"}) {
    const auto all = load(at.between, {"pub", "-q", quality, "-F", "1", "-L", "10"});
    const double ways = quality[0] == '1' ? 1 : 2; // PUBREC and PUBCOMP are both kept back
    EXPECT_GE(all.at("latency").at("ack").at("min_ns").get<double>(), ways * 40 * ms);
    EXPECT_GE(all.at("latency").at("ack").at("p50_ns").get<double>(), ways * 40 * ms);
  }
}

TEST(accuracy, sees_messages_that_come_late) {
  behind at{40ms};
  const auto all = load(at.between, {"run", "-F", "1", "-L", "10"});
  EXPECT_GE(all.at("latency").at("e2e").at("min_ns").get<double>(), 40 * ms);
}

/// The bare broker retains nothing.
TEST(accuracy, what_is_lost_is_counted_and_ends_a_run_with_3) {
  behind at;
  const auto all =
      load(at.between,
           {"scenario", "retained-burst", "-L", "5", "--subscribers", "2", "--drain", "1s", "--verify"}, 3);
  EXPECT_EQ(all.at("totals").at("expected"), 10);
  EXPECT_EQ(all.at("totals").at("lost"), 10);
}

/// A broker stands still for a second while a client that waits for each acknowledgement should send 200
/// messages a second. A count from when messages were sent sees one that took long; 200 were due meanwhile,
/// and a count from then sees them all.
TEST(accuracy, a_stall_of_a_second_is_in_the_corrected_percentiles_alone) {
  behind at;
  at.between.stall_after(100'000, 1s);
  const auto all = load(at.between, {"pub", "-q", "1", "-s", "1KiB", "--rate", "200", "-F", "1", "-L", "1000",
                                     "--drain", "30s"});
  EXPECT_EQ(at.between.stalls(), 1U);
  EXPECT_EQ(all.at("totals").at("acked"), 1'000);
  const auto& corrected = all.at("latency").at("ack");
  const auto& uncorrected = all.at("latency").at("ack.uncorrected");
  EXPECT_EQ(corrected.at("count"), 1'000);
  EXPECT_GE(corrected.at("max_ns").get<double>(), 950 * ms);
  EXPECT_GE(corrected.at("p99_ns").get<double>(), 900 * ms);
  EXPECT_GE(corrected.at("p90_ns").get<double>(), 400 * ms);
  EXPECT_GE(uncorrected.at("max_ns").get<double>(), 950 * ms); // one message
  EXPECT_LT(uncorrected.at("p99_ns").get<double>(), corrected.at("p99_ns").get<double>() / 2);
}

} // namespace
