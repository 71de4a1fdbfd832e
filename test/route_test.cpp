// Subscriptions by templates with captures.
#include <troupe/actors/message_stream.hpp>
#include <troupe/actors/route.hpp>

#include "support/actors/household.hpp"

#include <future>

namespace {

using troupe::captures;
using troupe::client;
using troupe::message;
using troupe::qos;

using routes = support::household;

TEST_F(routes, name_the_levels_of_a_topic) {
  client c{stage, options()};
  std::promise<std::string> said;
  auto route = troupe::route(c, "plant/{line}/sensors/{id:int}/{*rest}", qos::at_least_once,
                             [&](const message& m, const captures& what) {
                               said.set_value(std::string{what["line"]} + '|'
                                              + std::to_string(what.number("id").value()) + '|'
                                              + std::string{what["rest"]} + '|' + std::string{m.text()}
                                              + std::string{what["nobody"]});
                             });
  ASSERT_TRUE(route.has_value());
  ASSERT_TRUE(route->granted().get().ok());
  c.publish("plant/a/sensors/x/y", "no number", qos::at_least_once);
  c.publish("plant/a/sensors/-7/b/c", "21", qos::at_least_once);
  EXPECT_EQ(said.get_future().get(), "a|-7|b/c|21");
}

TEST_F(routes, refuse_what_is_no_template) {
  client c{stage, options()};
  const auto nothing = [](const message&, const captures&) {};
  EXPECT_FALSE(troupe::route(c, "a/{", qos::at_most_once, nothing).has_value());
  EXPECT_FALSE(troupe::route(c, "a/{x}/{x}", qos::at_most_once, nothing).has_value());
}

} // namespace
