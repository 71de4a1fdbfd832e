// A bridge and brokers that are away, come late, go, or refuse it.
#include "support/bridge.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

namespace troupe {
namespace {

using test::joined;
using test::made;
using test::options_for;
using test::plan;
using test::somebody;
using namespace std::chrono_literals;
using enum bridge_direction;

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

TEST_F(lonely_bridge_test, answers_while_it_stops) {
  open();
  const auto joint = joined(where, near, plan(port.url(), {{.direction = both}}));
  std::atomic<int> asked{0};
  std::atomic<bool> is_over{false};
  std::thread asker{[&] {
    for (; !is_over; ++asked) {
      static_cast<void>(joint->state());
      static_cast<void>(joint->last_error());
    }
  }};
  while (asked == 0) std::this_thread::yield();
  joint->stop();
  is_over = true;
  asker.join();
  EXPECT_EQ(joint->state(), client_state::disconnected);
  EXPECT_EQ(joint->last_error(), std::error_code{});
  EXPECT_FALSE(joint->connected().valid());
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

} // namespace
} // namespace troupe
