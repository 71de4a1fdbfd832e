// Two brokers and what joins them. What must not come is shown by what comes behind it on the same way.
#include "support/bridge.hpp"

#include <troupe/broker/faults.hpp>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace troupe {
namespace {

using test::expect_no_echo;
using test::joined;
using test::letter;
using test::options_for;
using test::plan;
using test::somebody;
using enum bridge_direction;

struct way {
  const char* name;
  const char* endpoint;
  bridge_overflow when_full;
  bool is_one_stage;
  friend std::ostream& operator<<(std::ostream& to, const way& which) { return to << which.name; }
};

class bridge_test : public testing::TestWithParam<way> {
protected:
  bridge_options plan_of(std::vector<bridge_map> maps, version spoken = version::v5_0) const {
    auto result = plan(far_url, std::move(maps), spoken);
    result.when_full = GetParam().when_full;
    return result;
  }
  stage& far_stage() { return GetParam().is_one_stage ? where : other; }

  stage where{};
  stage other{};
  std::shared_ptr<fault_orders> orders = std::make_shared<fault_orders>();
  broker near{where};
  broker far{far_stage(), {.faults = orders}};
  const std::string near_url = near.listen("loopback://near").value();
  const std::string far_url = far.listen(GetParam().endpoint).value();
};

TEST_P(bridge_test, carries_what_its_maps_say_under_other_names) {
  const auto joint = joined(where, near,
                            plan_of({{.filter = "t/#", .local_prefix = "up/", .remote_prefix = "from/near/"},
                                     {.filter = "+", .direction = in, .local_prefix = "orders/"},
                                     {.filter = "chat/#", .direction = both, .remote_prefix = "all/"}}));
  somebody here{where, near_url, "here", "#"};
  somebody there{far_stage(), far_url, "there", "#"};
  here.say("up/t/1", "a");
  EXPECT_EQ(here.next(), "up/t/1 a");
  EXPECT_EQ(there.next(), "from/near/t/1 a");
  here.say("t/1", "stays");
  EXPECT_EQ(here.next(), "t/1 stays");
  there.say("go", "b");
  EXPECT_EQ(there.next(), "go b");
  EXPECT_EQ(here.next(), "orders/go b");
  here.say("chat/x", "c");
  EXPECT_EQ(here.next(), "chat/x c");
  EXPECT_EQ(there.next(), "all/chat/x c");
  there.say("all/chat/y", "d");
  EXPECT_EQ(there.next(), "all/chat/y d");
  EXPECT_EQ(here.next(), "chat/y d");
  EXPECT_TRUE(here.box.is_empty());
  EXPECT_TRUE(there.box.is_empty());
}

TEST_P(bridge_test, hands_nothing_back_that_it_has_brought) {
  const auto joint = joined(where, near, plan_of({{.direction = both}}));
  somebody here{where, near_url, "here", "#"};
  somebody there{far_stage(), far_url, "there", "#"};
  for (const qos quality : {qos::at_most_once, qos::at_least_once, qos::exactly_once})
    expect_no_echo(here, there, quality);
}

TEST_P(bridge_test, lets_nothing_circle_between_brokers_that_are_bridged_to_each_other) {
  const auto onward = joined(where, near, plan_of({{.direction = out}}));
  auto mirrored = plan(near_url, {{.direction = out}});
  mirrored.when_full = GetParam().when_full;
  if (!GetParam().is_one_stage) mirrored.remote.broker = near.listen("mqtt://127.0.0.1:0").value();
  const auto back = joined(far_stage(), far, mirrored);
  somebody here{where, near_url, "here", "#"};
  somebody there{far_stage(), far_url, "there", "#"};
  expect_no_echo(here, there);
  EXPECT_GE(back->statistics().suppressed, 1U);
  EXPECT_GE(onward->statistics().suppressed, 1U);
}

TEST_P(bridge_test, carries_retained_messages_and_their_end_both_ways) {
  ASSERT_TRUE(near.publish("r/near", "old", qos::at_least_once, true));
  ASSERT_TRUE(far.publish("r/far", "old", qos::at_least_once, true));
  somebody here{where, near_url, "here", "r/far"};
  somebody there{far_stage(), far_url, "there", "r/near"};
  const auto joint = joined(where, near, plan_of({{.filter = "r/#", .direction = both}}));
  const auto expect = [](somebody& who, const std::string& text, bool is_retained) {
    const letter one = who.box.next();
    EXPECT_EQ(one.text, text);
    EXPECT_EQ(one.is_retained, is_retained);
  };
  ASSERT_EQ(there.box.next().text, "old");
  for (;;) { // its own first word was there before the bridge
    const letter one = here.box.next();
    if (one.text == "old" && one.is_retained) break;
  }
  ASSERT_TRUE(near.publish("r/near", "new", qos::at_least_once, true));
  expect(there, "new", true);
  ASSERT_TRUE(far.publish("r/far", "passing", qos::at_least_once, false));
  expect(here, "passing", false);
  ASSERT_TRUE(far.publish("r/far", "", qos::at_least_once, true));
  expect(here, "", true);
  EXPECT_EQ(near.statistics().retained_messages, 1U);
}

TEST_P(bridge_test, keeps_properties_and_lowers_quality_to_that_of_the_map) {
  const auto joint = joined(where, near, plan_of({{.maximum = qos::at_least_once}}));
  client there{far_stage(), options_for(far_url, "there")};
  std::promise<message> told;
  const auto heard =
      there.subscribe("#", qos::exactly_once, [&](const message& m) { told.set_value(m.clone()); });
  ASSERT_TRUE(heard.granted().get().ok());
  protocol::property_block said;
  ASSERT_TRUE(said.set(protocol::property::content_type, "text"));
  ASSERT_TRUE(said.set(protocol::property::response_topic, "re"));
  ASSERT_TRUE(said.add_user_property("k", "1"));
  ASSERT_TRUE(said.add_user_property("k", "2"));
  ASSERT_TRUE(near.inject({.topic = "p",
                           .payload = protocol::as_octets("x"),
                           .properties = said.view(),
                           .quality = qos::exactly_once}));
  const message m = told.get_future().get();
  EXPECT_EQ(m.quality(), qos::at_least_once);
  EXPECT_EQ(m.properties().text(protocol::property::content_type), "text");
  EXPECT_EQ(m.properties().text(protocol::property::response_topic), "re");
  std::string users;
  m.properties().for_each_user_property(
      [&](const protocol::user_property& each) { users += std::string{each.name} + ' '; });
  EXPECT_EQ(users, "k k troupe-bridge ");
}

TEST_P(bridge_test, carries_once_and_in_order_across_cuts_of_the_connection) {
  constexpr int count = 300;
  using protocol::packet_type;
  for (const packet_type on : {packet_type::puback, packet_type::pubrec, packet_type::pubcomp})
    for (const std::uint32_t skip : {5U, 40U, 90U}) {
      fault order = faults::cut_after(1, on);
      order.client_id = "far";
      order.skip = skip;
      orders->add(order);
    }
  for (const packet_type on : {packet_type::publish, packet_type::pubrel})
    for (const std::uint32_t skip : {7U, 60U}) {
      fault order = faults::cut_after(3, on);
      order.client_id = "far";
      order.skip = skip;
      orders->add(order);
    }
  const auto joint = joined(where, near, plan_of({{.filter = "out/#"}, {.filter = "in/#", .direction = in}}));
  somebody here{where, near_url, "here", "in/#"};
  somebody there{far_stage(), far_url, "there", "out/#"};
  for (int number = 0; number != count; ++number) {
    here.say("out/2", std::to_string(number), qos::exactly_once);
    there.say("in/2", std::to_string(number), qos::exactly_once);
    here.say("out/1", std::to_string(number), qos::at_least_once);
  }
  std::vector<std::string> once;
  std::string first_at_1;
  for (int at_1 = -1; once.size() != count || at_1 != count - 1;) {
    const letter one = there.box.next();
    ASSERT_NE(one.topic, "");
    if (one.topic == "out/2") once.push_back(one.text);
    // Those at QoS 1 may come again, never earlier than the ones before them for the first time.
    if (one.topic == "out/1") {
      const int number = std::stoi(one.text);
      EXPECT_LE(number, at_1 + 1);
      at_1 = std::max(at_1, number);
    }
  }
  for (int number = 0; number != count; ++number) {
    EXPECT_EQ(once[static_cast<std::size_t>(number)], std::to_string(number));
    EXPECT_EQ(here.next(), "in/2 " + std::to_string(number));
  }
  EXPECT_TRUE(here.box.is_empty());
  EXPECT_GE(orders->done(), 1U);
  EXPECT_EQ(joint->statistics().out.dropped, 0U);
  EXPECT_EQ(joint->statistics().in.dropped, 0U);
}

INSTANTIATE_TEST_SUITE_P(ways, bridge_test,
                         testing::Values(way{"loopback", "loopback://far", bridge_overflow::block, true},
                                         way{"tcp", "mqtt://127.0.0.1:0", bridge_overflow::block, false},
                                         way{"tcp_without_threads", "mqtt://127.0.0.1:0",
                                             bridge_overflow::drop_newest, false}),
                         [](const auto& which) { return std::string{which.param.name}; });

} // namespace
} // namespace troupe
