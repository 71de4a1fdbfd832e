#include <troupe/broker/onward.hpp>

#include <gtest/gtest.h>

#include <string>

namespace troupe::brokerage {
namespace {

using protocol::property;

struct onward_test : testing::Test {
  onward_test() {
    (void)block.set(property::payload_format_indicator, 1U);
    (void)block.set(property::message_expiry_interval, 1'000U);
    (void)block.set(property::content_type, std::string_view{"text"});
    (void)block.set(property::topic_alias, 5U);
    (void)block.set(property::response_topic, std::string_view{"answer"});
    (void)block.set(property::correlation_data, protocol::as_octets("\x01\x02"));
    (void)block.add_user_property("name", "value");
    (void)block.add_user_property("", std::string(300, 'v'));
  }
  protocol::property_block block{};
  std::vector<protocol::octet> buffer{};
};

TEST_F(onward_test, changes_nothing_when_nothing_is_to_be_changed) {
  const auto same = rewritten(block.view(), {}, buffer);
  EXPECT_EQ(same.block().data(), block.view().block().data());
}

TEST_F(onward_test, makes_valid_properties_of_a_publish_to_a_client) {
  const std::uint32_t identifiers[] = {1, 127, 128, 16'384, 268'435'455};
  const auto made =
      rewritten(block.view(), {.drop_alias = true, .expiry = 7, .identifiers = identifiers}, buffer);
  buffer.resize(buffer.size() + protocol::read_slack);
  const auto valid = protocol::validate_properties({buffer.data(), made.block().size()},
                                                   protocol::property_place::publish_to_client);
  ASSERT_TRUE(valid);
  EXPECT_EQ(valid->seen(), made.seen());
  EXPECT_FALSE(valid->has(property::topic_alias));
  EXPECT_EQ(valid->number(property::message_expiry_interval), 7U);
  EXPECT_EQ(valid->text(property::content_type), "text");
  EXPECT_EQ(valid->text(property::response_topic), "answer");
  std::vector<std::uint32_t> found;
  valid->for_each_subscription_identifier([&](std::uint32_t one) { found.push_back(one); });
  EXPECT_EQ(found, (std::vector<std::uint32_t>{1, 127, 128, 16'384, 268'435'455}));
  std::vector<std::string> names;
  valid->for_each_user_property([&](const protocol::user_property& one) { names.emplace_back(one.name); });
  EXPECT_EQ(names, (std::vector<std::string>{"name", ""})); // [MQTT-3.3.2-17]: all, in order
}

TEST_F(onward_test, rounds_the_seconds_that_are_left_up) {
  message_store store;
  const protocol::time_point now{std::chrono::hours{1}};
  const message_ref kept = store.keep({.topic = "t", .properties = block.view()}, nullptr, now);
  EXPECT_EQ(seconds_left(*kept, now), 1'000U);
  EXPECT_EQ(seconds_left(*kept, now + std::chrono::milliseconds{1'500}), 999U);
  EXPECT_EQ(seconds_left(*kept, now + std::chrono::milliseconds{999'999}), 1U);
  EXPECT_EQ(seconds_left(*store.keep({.topic = "t"}, nullptr, now), now), std::nullopt);
}

} // namespace
} // namespace troupe::brokerage
