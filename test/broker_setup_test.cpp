#include <troupe/broker/broker_setup.hpp>

#include <gtest/gtest.h>

namespace troupe::brokerage {
namespace {

TEST(broker_setup, obeys_every_setting) {
  config::broker_settings settings;
  settings.max_connections = 5;
  settings.connect_timeout = std::chrono::seconds{3};
  settings.max_keep_alive = std::chrono::milliseconds{1'500};
  settings.maximum_packet_size = {1'000};
  settings.when_full = "drop_oldest";
  settings.runtime.workers = 3;
  const broker_options options = options_of(settings);
  EXPECT_EQ(options.max_connections, 5U);
  EXPECT_EQ(options.connect_timeout, std::chrono::seconds{3});
  EXPECT_EQ(options.max_keep_alive, std::chrono::seconds{2});
  EXPECT_EQ(options.maximum_packet_size, 1'000U);
  EXPECT_EQ(options.when_full, overflow::drop_oldest);
  EXPECT_EQ(options.may, nullptr);
  EXPECT_EQ(options.max_session_expiry, std::chrono::seconds{0xFFFF'FFFF}); // as long as clients ask
  EXPECT_EQ(options.sys_interval, std::chrono::seconds{10});
  settings.max_session_expiry = std::chrono::minutes{1};
  settings.max_sessions = 6;
  settings.max_subscriptions = 7;
  settings.max_filter_levels = 8;
  settings.max_retained_messages = 9;
  settings.max_connects_per_second = 10;
  settings.queue_qos0_offline = true;
  settings.when_full = "block";
  settings.block_timeout = std::chrono::seconds{11};
  const broker_options limited = options_of(settings);
  EXPECT_EQ(limited.max_session_expiry, std::chrono::seconds{60});
  EXPECT_EQ(limited.max_sessions, 6U);
  EXPECT_EQ(limited.max_subscriptions, 7U);
  EXPECT_EQ(limited.max_filter_levels, 8U);
  EXPECT_EQ(limited.max_retained_messages, 9U);
  EXPECT_EQ(limited.max_connects_per_second, 10U);
  EXPECT_TRUE(limited.queue_qos0_offline);
  EXPECT_EQ(limited.when_full, overflow::block);
  EXPECT_EQ(limited.block_timeout, std::chrono::seconds{11});
  EXPECT_EQ(stage_options_of(settings).workers, 3U);
}

TEST(broker_setup, makes_rules_of_the_access_list) {
  config::broker_settings settings;
  settings.allow_anonymous = false;
  settings.acl = {{.topic = "a/#", .may = "publish"}};
  const auto may = options_of(settings).may;
  ASSERT_NE(may, nullptr);
  EXPECT_TRUE(protocol::is_failure(may->may_connect({.client_id = "c"}, {})));
  const identity who{.client_id = "c", .user_name = "u"};
  EXPECT_FALSE(protocol::is_failure(may->may_publish(who, "a/b")));
  EXPECT_TRUE(protocol::is_failure(may->may_subscribe(who, "a/b")));
  EXPECT_TRUE(protocol::is_failure(may->may_publish(who, "b")));
  settings.acl = {{.topic = "a/#", .may = "no_publish"}};
  settings.acl_default = "allow";
  const auto open = options_of(settings).may;
  EXPECT_TRUE(protocol::is_failure(open->may_publish(who, "a/b")));
  EXPECT_FALSE(protocol::is_failure(open->may_subscribe(who, "a/b")));
  EXPECT_FALSE(protocol::is_failure(open->may_publish(who, "b")));
}

} // namespace
} // namespace troupe::brokerage
