// A bridge to a broker of others.
#include "support/bridge.hpp"
#include "support/mosquitto.hpp"

#include <string>
#include <vector>

namespace troupe {
namespace {

using test::expect_no_echo;
using test::joined;
using test::plan;
using test::somebody;
using enum bridge_direction;

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
  expect_no_echo(here, there);
}

} // namespace
} // namespace troupe
