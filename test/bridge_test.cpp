// Two brokers and what joins them. What must not come is shown by what comes behind it on the same way.
#include "support/inbox.hpp"
#include "support/mosquitto.hpp"
#include "support/port_holder.hpp"

#include <troupe/actors/client.hpp>
#include <troupe/broker/bridge.hpp>
#include <troupe/broker/broker.hpp>
#include <troupe/broker/faults.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

namespace troupe {
namespace {

using test::inbox;
using test::letter;
using namespace std::chrono_literals;
using enum bridge_direction;

client_options options_for(const std::string& url, std::string id, version spoken = version::v5_0) {
  client_options result;
  result.broker = url;
  result.client_id = std::move(id);
  result.version = spoken;
  result.backoff_first = 1ms;
  result.backoff_limit = 5ms;
  return result;
}

/// Somebody who listens to one filter and may speak.
class somebody {
public:
  somebody(stage& where, const std::string& url, std::string id, const std::string& filter)
      : client_{where, options_for(url, std::move(id))},
        heard_{client_.subscribe(filter, qos::exactly_once, box.handler(), {.retain_as_published = true})} {
    EXPECT_TRUE(heard_.granted().get().ok());
  }
  void say(const std::string& topic, const std::string& text, qos quality = qos::at_least_once,
           const publish_options& how = {}) {
    EXPECT_TRUE(client_.publish(topic, text, quality, how).get().ok());
  }
  std::string next() {
    const letter one = box.next();
    return one.topic + ' ' + one.text;
  }

  inbox box;

private:
  client client_;
  subscription heard_;
};

std::unique_ptr<bridge> made(stage& where, broker& own, bridge_options options) {
  auto result = bridge::make(where, own, std::move(options));
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message());
  return result ? std::move(*result) : nullptr;
}

std::unique_ptr<bridge> joined(stage& where, broker& own, bridge_options options) {
  auto result = made(where, own, std::move(options));
  EXPECT_TRUE(result->connected().get().ok());
  return result;
}

bridge_options plan(const std::string& url, std::vector<bridge_map> maps, version spoken = version::v5_0) {
  bridge_options result;
  result.remote = options_for(url, "far", spoken);
  result.remote.clean_start = false;
  result.remote.session_expiry = 1h;
  result.maps = std::move(maps);
  return result;
}

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
  for (const qos quality : {qos::at_most_once, qos::at_least_once, qos::exactly_once}) {
    here.say("a", "from here", quality);
    EXPECT_EQ(there.next(), "a from here");
    there.say("a", "from there", quality);
    EXPECT_EQ(here.next(), "a from here");
    EXPECT_EQ(here.next(), "a from there");
    EXPECT_EQ(there.next(), "a from there");
  }
  here.say("a", "end");
  EXPECT_EQ(here.next(), "a end");
  EXPECT_EQ(there.next(), "a end");
  EXPECT_TRUE(here.box.is_empty());
  EXPECT_TRUE(there.box.is_empty());
}

TEST_P(bridge_test, lets_nothing_circle_between_brokers_that_are_bridged_to_each_other) {
  const auto onward = joined(where, near, plan_of({{.direction = out}}));
  auto mirrored = plan(near_url, {{.direction = out}});
  mirrored.when_full = GetParam().when_full;
  if (!GetParam().is_one_stage) mirrored.remote.broker = near.listen("mqtt://127.0.0.1:0").value();
  const auto back = joined(far_stage(), far, mirrored);
  somebody here{where, near_url, "here", "#"};
  somebody there{far_stage(), far_url, "there", "#"};
  here.say("a", "1");
  EXPECT_EQ(there.next(), "a 1");
  there.say("a", "2"); // behind what might come back
  EXPECT_EQ(here.next(), "a 1");
  EXPECT_EQ(here.next(), "a 2");
  EXPECT_EQ(there.next(), "a 2");
  here.say("a", "3");
  EXPECT_EQ(there.next(), "a 3");
  EXPECT_EQ(here.next(), "a 3");
  EXPECT_TRUE(here.box.is_empty());
  EXPECT_TRUE(there.box.is_empty());
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

class lonely_bridge_test : public testing::Test {
protected:
  /// The remote broker comes.
  void open() { ASSERT_TRUE(far.listen(port.url())); }

  test::port_holder port{-1};
  stage where{};
  broker near{where};
  broker far{where};
  const std::string near_url = near.listen("loopback://near").value();
  const std::string far_inside = far.listen("loopback://far").value();
};

TEST_F(lonely_bridge_test, waits_for_a_broker_that_comes_later_and_holds_up_its_own) {
  auto how = plan(port.url(), {{.direction = out}});
  how.max_inflight = 2;
  how.max_queued_messages = 3;
  const auto joint = made(where, near, how);
  somebody here{where, near_url, "here", "#"};
  somebody there{where, far_inside, "there", "#"};
  for (int number = 0; number != 100; ++number) here.say("n", std::to_string(number));
  here.box.await(100);
  open();
  for (int number = 0; number != 100; ++number) EXPECT_EQ(there.next(), "n " + std::to_string(number));
  EXPECT_EQ(joint->statistics().out.dropped, 0U);
}

TEST_F(lonely_bridge_test, drops_and_counts_by_its_policy_what_finds_no_room) {
  for (const bool is_oldest : {true, false}) {
    auto how = plan(port.url(), {{.direction = out}});
    how.name = is_oldest ? "oldest" : "newest";
    how.when_full = is_oldest ? bridge_overflow::drop_oldest : bridge_overflow::drop_newest;
    how.remote.client_id = how.name;
    how.max_inflight = 1;
    how.max_queued_messages = 2;
    const auto before = near.statistics().bridged_dropped;
    auto joint = made(where, near, how);
    somebody here{where, near_url, "here", "#"};
    for (int number = 0; number != 10; ++number) here.say("n", std::to_string(number));
    while (joint->statistics().out.dropped != 7) std::this_thread::yield();
    EXPECT_EQ(joint->statistics().out.waiting, 2U);
    EXPECT_EQ(joint->statistics().out.on_their_way, 1U);
    EXPECT_EQ(near.statistics().bridged_dropped - before, 7U);
    broker late{where};
    const auto inside = late.listen("loopback://late").value();
    somebody there{where, inside, "there", "#"};
    ASSERT_TRUE(late.listen(port.url()));
    for (const char* each : {"0", is_oldest ? "8" : "1", is_oldest ? "9" : "2"})
      EXPECT_EQ(there.next(), std::string{"n "} + each);
  }
}

TEST_F(lonely_bridge_test, stops_in_time_while_nobody_answers) {
  test::port_holder hole{0};
  hole.fill();
  auto how = plan(hole.url(), {{.direction = both}});
  how.remote.disconnect_timeout = 50ms;
  how.max_inflight = 1;
  how.max_queued_messages = 1;
  auto joint = made(where, near, how);
  somebody here{where, near_url, "here", "#"};
  for (int number = 0; number != 10; ++number) here.say("n", std::to_string(number));
  joint->stop();
  EXPECT_EQ(joint->state(), client_state::disconnected);
  here.say("n", "still there");
  for (const session_info& each : near.sessions()) EXPECT_EQ(each.client_id, "here");
}

TEST_F(lonely_bridge_test, carries_what_it_has_before_it_stops) {
  open();
  auto joint = joined(where, near, plan(port.url(), {{.direction = out}}));
  somebody there{where, far_inside, "there", "#"};
  client here{where, options_for(near_url, "here")};
  for (int number = 0; number != 200; ++number)
    ASSERT_TRUE(here.publish("n", std::to_string(number), qos::exactly_once).get().ok());
  while (joint->statistics().out.carried == 0) std::this_thread::yield();
  joint->stop();
  const auto carried = joint->statistics().out.carried;
  for (std::uint64_t number = 0; number != carried; ++number)
    EXPECT_EQ(there.next(), "n " + std::to_string(number));
}

TEST_F(lonely_bridge_test, says_whether_the_other_broker_is_there) {
  somebody here{where, near_url, "here", "bridges/#"};
  auto how = plan(port.url(), {{.direction = both}});
  how.notice_topic = "bridges/far";
  auto joint = made(where, near, how);
  EXPECT_EQ(here.next(), "bridges/far 0");
  EXPECT_EQ(near.statistics().bridges_connected, 0U);
  open();
  EXPECT_EQ(here.next(), "bridges/far 1");
  EXPECT_EQ(near.statistics().bridges_connected, 1U);
  far.stop();
  EXPECT_EQ(here.next(), "bridges/far 0");
  EXPECT_EQ(near.statistics().bridges_connected, 0U);
}

TEST_F(lonely_bridge_test, counts_what_it_carries_in_the_figures_of_its_broker) {
  open();
  auto joint = joined(where, near, plan(port.url(), {{.direction = both}}));
  somebody here{where, near_url, "here", "#"};
  somebody there{where, far_inside, "there", "#"};
  here.say("a", "1");
  here.say("a", "2");
  there.box.await(2);
  there.say("a", "3");
  here.box.await(3);
  joint->stop();
  const broker_statistics figures = near.statistics();
  EXPECT_EQ(figures.bridged_out, 2U);
  EXPECT_EQ(figures.bridged_in, 1U);
  EXPECT_EQ(figures.bridged_dropped, 0U);
}

TEST_F(lonely_bridge_test, is_refused_when_it_cannot_work) {
  using protocol::errc;
  const auto fault_of = [this](const bridge_options& how) {
    const auto result = bridge::make(where, near, how);
    return result ? std::error_code{} : result.error();
  };
  EXPECT_EQ(fault_of(plan(port.url(), {})), errc::bad_settings);
  EXPECT_EQ(fault_of(plan(port.url(), {{.filter = "a/#/b"}})), errc::invalid_topic_filter);
  EXPECT_EQ(fault_of(plan(port.url(), {{.local_prefix = "+/"}})), errc::invalid_topic_filter);
  EXPECT_EQ(fault_of(plan(port.url(), {{.filter = "$share/g/a"}})), errc::invalid_share_name);
  EXPECT_EQ(fault_of(plan(port.url(), {{.direction = both}}, version::v3_1_1)), errc::version_mismatch);
  EXPECT_TRUE(fault_of(plan("gopher://a", {{}})));
}

TEST_F(lonely_bridge_test, is_a_client_like_others_to_access_rules) {
  struct only_inside final : access {
    protocol::reason_code may_connect(const identity& who, std::optional<protocol::octets>) const override {
      return who.user_name == "bridges" ? protocol::reason_code::success
                                        : protocol::reason_code::bad_user_name_or_password;
    }
    protocol::reason_code may_publish(const identity&, std::string_view) const override {
      return protocol::reason_code::success;
    }
    protocol::reason_code may_subscribe(const identity&, std::string_view filter) const override {
      return filter == "a/#" ? protocol::reason_code::success : protocol::reason_code::not_authorized;
    }
  };
  broker strict{where, {.may = std::make_shared<only_inside>()}};
  EXPECT_FALSE(bridge::make(where, strict, plan(far_inside, {{.filter = "a/#"}})));
  auto how = plan(far_inside, {{.filter = "a/#"}});
  how.local_user_name = "bridges";
  EXPECT_TRUE(bridge::make(where, strict, how));
  how.maps = {{.filter = "b/#"}};
  EXPECT_FALSE(bridge::make(where, strict, how));
}

TEST_F(lonely_bridge_test, finds_what_its_own_broker_has_kept_for_it) {
  open();
  auto how = plan(port.url(), {{.direction = out}});
  how.keep_session = true;
  somebody there{where, far_inside, "there", "#"};
  somebody here{where, near_url, "here", "#"};
  joined(where, near, how)->stop();
  here.say("n", "meanwhile");
  const auto joint = joined(where, near, how);
  EXPECT_EQ(there.next(), "n meanwhile");
}

class foreign_bridge_test : public testing::TestWithParam<version> {};

TEST_P(foreign_bridge_test, joins_us_to_mosquitto) {
  test::mosquitto far;
  stage where{};
  broker near{where};
  const std::string near_url = near.listen("loopback://near").value();
  const auto joint = joined(
      where, near,
      plan(far.url(), {{.filter = "up/#", .remote_prefix = "n/"}, {.filter = "down/#", .direction = in}},
           GetParam()));
  somebody here{where, near_url, "here", "down/#"};
  somebody there{where, far.url(), "there", "#"};
  constexpr int count = 100;
  for (int number = 0; number != count; ++number) {
    here.say("up/a", std::to_string(number), qos::exactly_once);
    there.say("down/a", std::to_string(number), qos::exactly_once);
  }
  for (int number = 0; number != count; ++number) EXPECT_EQ(here.next(), "down/a " + std::to_string(number));
  std::vector<std::string> heard;
  for (int number = 0; number != 2 * count; ++number)
    if (const std::string one = there.next(); one.starts_with("n/")) heard.push_back(one);
  ASSERT_EQ(heard.size(), std::size_t{count});
  for (int number = 0; number != count; ++number)
    EXPECT_EQ(heard[static_cast<std::size_t>(number)], "n/up/a " + std::to_string(number));
  far.stop();
  here.say("up/a", "while it was away", qos::exactly_once);
  far.start();
  somebody again{where, far.url(), "again", "n/#"};
  EXPECT_EQ(joint->connected().get().ok(), true);
}

INSTANTIATE_TEST_SUITE_P(versions, foreign_bridge_test, testing::Values(version::v3_1_1, version::v5_0),
                         [](const auto& which) { return which.param == version::v5_0 ? "v5" : "v3"; });

TEST(foreign_bridge, hands_nothing_back_to_mosquitto) {
  test::mosquitto far;
  stage where{};
  broker near{where};
  const std::string near_url = near.listen("loopback://near").value();
  const auto joint = joined(where, near, plan(far.url(), {{.direction = both}}));
  somebody here{where, near_url, "here", "#"};
  somebody there{where, far.url(), "there", "#"};
  here.say("a", "1");
  EXPECT_EQ(there.next(), "a 1");
  there.say("a", "2");
  EXPECT_EQ(here.next(), "a 1");
  EXPECT_EQ(here.next(), "a 2");
  EXPECT_EQ(there.next(), "a 2");
  here.say("a", "3");
  EXPECT_EQ(there.next(), "a 3");
  EXPECT_EQ(here.next(), "a 3");
  EXPECT_TRUE(here.box.is_empty());
  EXPECT_TRUE(there.box.is_empty());
}

} // namespace
} // namespace troupe
