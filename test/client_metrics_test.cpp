// Counters, health, trace context and typed values beside a client.
#include <troupe/actors/client_metrics.hpp>
#include <troupe/actors/health.hpp>
#include <troupe/actors/message_stream.hpp>
#include <troupe/actors/trace_context.hpp>
#include <troupe/actors/typed.hpp>

#include "support/actors/household.hpp"

#include <nlohmann/json.hpp>

#include <future>

namespace {

using troupe::client;
using troupe::client_state;
using troupe::qos;

using client_metrics = support::household;

TEST_F(client_metrics, are_what_the_client_counted) {
  client c{stage, options()};
  ASSERT_TRUE(c.connected().get().ok());
  ASSERT_TRUE(c.publish("a", "x", qos::at_least_once).get().ok());
  c.disconnect().get(); // counts are told at the end of a run
  const std::string text = troupe::write_metrics(c, "a\"b");
  EXPECT_NE(text.find("# TYPE mqtt_client_published_total counter\n"), std::string::npos);
  EXPECT_NE(text.find("mqtt_client_published_total{client=\"a\\\"b\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("mqtt_client_state{client=\"a\\\"b\"} 5\n"), std::string::npos);
#if __has_include(<prometheus/collectable.h>)
  const troupe::client_collector collector{c, "c"};
  const auto families = collector.Collect();
  ASSERT_EQ(families.size(), troupe::samples_of(c).size() + troupe::times_of(c).size());
  EXPECT_EQ(families.back().type, prometheus::MetricType::Histogram);
  EXPECT_EQ(families.back().metric.front().histogram.sample_count, 1U);
  EXPECT_EQ(families[3].name, "mqtt_client_published_total");
  EXPECT_EQ(families[3].metric.front().counter.value, 1.0);
#endif
}

TEST_F(client_metrics, say_whether_a_client_is_well) {
  EXPECT_EQ(troupe::health_of(client_state::waiting), troupe::health::degraded);
  EXPECT_EQ(name(troupe::health_of(client_state::disconnected)), "unhealthy");
  client c{stage, options()};
  ASSERT_TRUE(c.connected().get().ok());
  const auto report = troupe::report_on(c);
  EXPECT_EQ(report.health, troupe::health::healthy);
  EXPECT_FALSE(report.last_error);
}

TEST_F(client_metrics, travel_beside_the_trace_of_a_message) {
  client c{stage, options()};
  troupe::message_stream stream{c, "t", qos::at_least_once};
  ASSERT_TRUE(stream.granted().get().ok());
  const troupe::trace_context sent{"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "k=v"};
  troupe::protocol::property_block properties;
  ASSERT_TRUE(troupe::inject(sent, properties));
  EXPECT_FALSE(troupe::inject({"00-00", ""}, properties));
  c.publish("t", "x", qos::at_least_once, {.properties = properties.view()});
  const auto received = stream.next();
  ASSERT_TRUE(received);
  const auto found = troupe::extract(*received);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->parent, sent.parent);
  EXPECT_EQ(found->state, "k=v");
  EXPECT_EQ(found->span_id(), "b7ad6b7169203331");
  EXPECT_TRUE(found->is_sampled());
}

struct reading {
  int sensor = 0;
  double celsius = 0;
};

/// A serializer as a user writes one.
struct json_form {
  std::string_view content_type() const { return "application/json"; }
  void write(const reading& from, std::string& to) const {
    to += nlohmann::json{{"sensor", from.sensor}, {"celsius", from.celsius}}.dump();
  }
  bool read(std::string_view from, reading& to) const {
    const auto parsed = nlohmann::json::parse(from, nullptr, false);
    if (!parsed.is_object() || !parsed.contains("sensor") || !parsed.contains("celsius")) return false;
    to = {parsed["sensor"].get<int>(), parsed["celsius"].get<double>()};
    return true;
  }
};

TEST_F(client_metrics, count_what_is_no_value_of_its_type) {
  client c{stage, options()};
  std::promise<std::pair<std::string, reading>> got;
  auto interest = troupe::subscribe_to<reading>(
      c, "r", qos::at_least_once, json_form{}, [&](const troupe::message& m, const reading& value) {
        got.set_value(
            {std::string{m.properties().text(troupe::protocol::property::content_type).value_or("")}, value});
      });
  ASSERT_TRUE(interest.granted().get().ok());
  c.publish("r", "no json", qos::at_least_once);
  troupe::publish_value(c, "r", reading{7, 21.5}, json_form{}, qos::at_least_once);
  const auto [type, value] = got.get_future().get();
  EXPECT_EQ(type, "application/json");
  EXPECT_EQ(value.sensor, 7);
  EXPECT_EQ(value.celsius, 21.5);
  EXPECT_EQ(c.statistics().handler_failures, 1U);
}

} // namespace
