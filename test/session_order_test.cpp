// What a user asked for and what the broker says, when the session finds both: the earlier goes first.
#include <troupe/actors/session.hpp>

#include "support/actors/timed_clients.hpp"

#include <optional>
#include <string>
#include <vector>

namespace {

using support::dump;
using troupe::client;
using troupe::qos;

class order_of_sessions : public support::timed_clients {};

TEST_P(order_of_sessions, a_subscription_made_before_the_greeting_gets_the_messages_that_come_with_it) {
  auto mine = options();
  mine.clean_start = false;
  client c{stage, mine};
  auto link = accept();
  ASSERT_EQ(link.next().substr(0, 2), "10");
  std::vector<std::string> got;
  std::optional<troupe::subscription> interest;
  // On the worker's thread, so that the session finds request and greeting at the same time.
  troupe::test::at(network->home(), [&] {
    for (int number = 0; number != 300; ++number) c.publish("t", "x");
    interest.emplace(c.subscribe("kept", qos::at_least_once,
                                 [&got](const troupe::message& m) { got.emplace_back(m.text()); }));
    say_here(link.state(), support::parse_hex("20 03 01 00 00 | 32 0A 00 04 'kept' 00 07 00 '1'"));
  });
  time.settle();
  EXPECT_EQ(got, std::vector<std::string>{"1"});
  EXPECT_EQ(c.statistics().unrouted, 0U);
  const std::string said = link.all();
  EXPECT_EQ(said.substr(0, 2), "82") << "asked for at once";
  EXPECT_NE(said.find(dump("40 02 00 07")), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(on, order_of_sessions, support::both_schedulers(), support::scheduler_name);

} // namespace
