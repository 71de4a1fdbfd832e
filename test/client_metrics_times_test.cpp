// Times and depths, by a clock and a network that the test moves, so that every number is known.
#include <troupe/actors/client_metrics.hpp>

#include "support/actors/timed_clients.hpp"

#include <string>

namespace {

using troupe::client;
using troupe::qos;
using troupe::time_histogram;
using namespace std::chrono_literals;

class metrics : public support::timed_clients {
protected:
  static double value_of(const client& c, std::string_view name) {
    for (const auto& each : troupe::samples_of(c))
      if (each.name == name) return each.value;
    ADD_FAILURE() << "no sample " << name;
    return -1;
  }
  static std::uint64_t count_up_to(const time_histogram& seen, std::chrono::nanoseconds bound) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at != time_histogram::bounds_count && time_histogram::bounds()[at] <= bound;
         ++at)
      sum += seen.counts[at];
    return sum;
  }
};

TEST_P(metrics, tell_how_long_connecting_and_publishing_took) {
  client c{stage, options()};
  time.settle();
  time.advance(20ms); // of dialling
  auto link = accept();
  time.advance(30ms);
  say(link, "20 03 00 00 00");
  auto times = c.times();
  EXPECT_EQ(times.connecting.count, 1U);
  EXPECT_EQ(times.connecting.sum, 50ms);
  EXPECT_EQ(count_up_to(times.connecting, 10ms), 0U);
  EXPECT_EQ(count_up_to(times.connecting, 50ms), 1U);

  auto first = c.publish("t", "x", qos::at_least_once);
  time.settle();
  time.advance(7ms);
  say(link, "40 02 00 01");
  EXPECT_TRUE(first.get().ok());
  times = c.times();
  EXPECT_EQ(times.publishing.count, 1U);
  EXPECT_EQ(times.publishing.sum, 7ms);
  EXPECT_EQ(count_up_to(times.publishing, 5ms), 0U);
  EXPECT_EQ(count_up_to(times.publishing, 10ms), 1U);
  const std::string text = troupe::write_metrics(c, "c");
  EXPECT_NE(text.find("mqtt_client_publish_seconds_bucket{client=\"c\",le=\"0.005\"} 0\n"
                      "mqtt_client_publish_seconds_bucket{client=\"c\",le=\"0.01\"} 1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("mqtt_client_publish_seconds_sum{client=\"c\"} 0.007\n"
                      "mqtt_client_publish_seconds_count{client=\"c\"} 1\n"),
            std::string::npos);
}

TEST_P(metrics, tell_what_waits_and_what_has_happened) {
  client c{stage, options()};
  auto first = c.publish("t", "1", qos::at_least_once);
  auto second = c.publish("t", "2");
  time.settle();
  EXPECT_EQ(value_of(c, "mqtt_client_queued"), 2);
  EXPECT_EQ(value_of(c, "mqtt_client_in_flight"), 0);
  network->refuse(std::make_error_code(std::errc::connection_refused));
  auto link = welcome();
  EXPECT_EQ(value_of(c, "mqtt_client_queued"), 0);
  EXPECT_EQ(value_of(c, "mqtt_client_in_flight"), 1);
  EXPECT_EQ(value_of(c, "mqtt_client_attempts_total"), 2);
  EXPECT_EQ(value_of(c, "mqtt_client_failed_attempts_total"), 1);
  // waiting, connecting, handshaking, connected
  EXPECT_EQ(value_of(c, "mqtt_client_transitions_total"), 4);
  say(link, "40 02 00 01");
  EXPECT_EQ(value_of(c, "mqtt_client_in_flight"), 0);
  EXPECT_EQ(value_of(c, "mqtt_client_batches_total"), 2);
  EXPECT_EQ(value_of(c, "mqtt_client_published_total"), 2);
  for (const char* depth : {"requests", "session_mails", "supervisor_mails", "dispatcher_mails"})
    EXPECT_EQ(value_of(c, "mqtt_client_" + std::string{depth} + "_waiting"), 0) << depth;
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok());
}

INSTANTIATE_TEST_SUITE_P(on, metrics, support::both_schedulers(), support::scheduler_name);

} // namespace
