// The client as its users see it: subscribing.
#include <troupe/actors/subscription.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/clients.hpp"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <optional>
#include <stdexcept>
#include <string>

namespace {

using support::clients;
using support::dump;
using troupe::ack_policy;
using troupe::client;
using troupe::client_state;
using troupe::message;
using troupe::outcome;
using troupe::qos;
using troupe::reason_code;
using troupe::protocol::errc;

TEST_P(clients, hand_messages_to_handlers) {
  client c{stage, options()};
  auto link = welcome(c);
  std::promise<std::string> told;
  auto mine = c.subscribe("a/+", qos::at_least_once, [&](const message& m) {
    told.set_value(std::string{m.topic()} + " " + std::string{m.text()});
  });
  EXPECT_EQ(link.read(), dump("82 09 00 01 00 00 03 'a/+' 01"));
  link.write("90 04 00 01 00 01");
  const outcome granted = mine.granted().get();
  EXPECT_TRUE(granted.ok());
  EXPECT_EQ(granted.reason(), reason_code::granted_qos_1);
  link.write("32 09 00 03 'a/b' 00 09 00 'x'");
  EXPECT_EQ(told.get_future().get(), "a/b x");
  EXPECT_EQ(link.read(), dump("40 02 00 09"));
}

TEST_P(clients, ask_for_what_was_subscribed_before_the_connection_was_up) {
  client c{stage, options()};
  auto mine = c.subscribe("a", qos::at_least_once, [](const message&) {});
  auto granted = mine.granted();
  auto link = broker.accept();
  link.welcome();
  EXPECT_EQ(link.read(), dump("82 07 00 01 00 00 01 'a' 01"));
  EXPECT_FALSE(granted.done());
  link.write("90 04 00 01 00 01");
  EXPECT_EQ(granted.get().reason(), reason_code::granted_qos_1);
}

TEST_P(clients, say_that_a_subscription_was_refused) {
  client c{stage, options()};
  auto link = welcome(c);
  auto mine = c.subscribe("a", qos::at_most_once, [](const message&) {});
  link.read();
  link.write("90 04 00 01 00 87");
  EXPECT_EQ(mine.granted().get().reason(), reason_code::not_authorized);
  auto bad = c.subscribe("a/#/b", qos::at_most_once, [](const message&) {});
  EXPECT_EQ(bad.granted().get().error(), errc::invalid_topic_filter);
}

TEST_P(clients, unsubscribe_when_a_subscription_ends) {
  client c{stage, options()};
  auto link = welcome(c);
  {
    auto mine = c.subscribe("a", qos::at_most_once, [](const message&) {});
    link.grant(0);
    EXPECT_TRUE(mine.granted().get().ok());
  }
  EXPECT_EQ(link.confirm_end().substr(12), dump("00 00 01 'a'"));
  auto again = c.subscribe("b", qos::at_most_once, [](const message&) {});
  link.grant(0);
  auto done = again.unsubscribe();
  EXPECT_EQ(link.confirm_end().substr(12), dump("00 00 01 'b'"));
  EXPECT_TRUE(done.get().ok());
}

TEST_P(clients, subscribe_again_only_when_the_broker_lost_the_session) {
  client c{stage, options()};
  auto link = welcome(c);
  auto mine = c.subscribe("a", qos::at_most_once, [](const message&) {});
  auto refused = c.subscribe("b", qos::at_most_once, [](const message&) {});
  link.grant(0);
  const std::string asked = link.read(); // its packet id depends on whether "a" was answered by then
  link.write("90 04 " + asked.substr(6, 5) + " 00 80");
  EXPECT_TRUE(mine.granted().get().ok());
  EXPECT_FALSE(refused.granted().get().ok());
  link.close();

  auto resumed = broker.accept();
  resumed.welcome(true);
  EXPECT_TRUE(c.connected().get().ok());
  EXPECT_TRUE(c.publish("t", "x").get().ok());
  EXPECT_EQ(resumed.read(), dump("30 05 00 01 't' 00 'x'"));
  auto unsent = c.publish("t", "y", qos::at_least_once);
  resumed.read();
  resumed.close();

  auto anew = broker.accept();
  anew.welcome(false);
  EXPECT_EQ(anew.read(), dump("82 07 00 02 00 00 01 'a' 00")) << "SUBSCRIBE goes before what is sent again";
  EXPECT_EQ(anew.read().substr(0, 2), "32");
  EXPECT_EQ(c.state(), client_state::handshaking);
  anew.write("90 04 00 02 00 00");
  EXPECT_TRUE(c.connected().get().ok());
}

TEST_P(clients, acknowledge_when_handled_if_told_so) {
  client c{stage, options()};
  auto link = welcome(c);
  std::latch may_return{1};
  auto mine = c.subscribe("a", qos::at_least_once,
                          [&](const message& m) {
                            may_return.wait();
                            if (m.text() == "bad") throw std::runtime_error{"no"};
                          },
                          {.run_on = troupe::run_on::own_thread, .acknowledge = ack_policy::handled});
  link.grant(1);
  link.write("32 07 00 01 'a' 00 01 00 'x'");
  link.write("32 09 00 01 'a' 00 02 00 'bad'");
  EXPECT_TRUE(c.publish("t", "x").get().ok());
  EXPECT_EQ(link.read().substr(0, 2), "30") << "nothing is acknowledged while the handler runs";
  may_return.count_down();
  EXPECT_EQ(link.read(), dump("40 02 00 01"));
  EXPECT_EQ(link.read(), dump("40 03 00 02 80"));
  EXPECT_EQ(c.statistics().handler_failures, 1U);
}

TEST_P(clients, go_on_while_a_handler_sleeps_on_its_own_thread) {
  client c{stage, options()};
  auto link = welcome(c);
  std::latch may_return{1};
  std::promise<void> seen;
  auto slow = c.subscribe("slow", qos::at_least_once, [&](const message&) { may_return.wait(); },
                          {.run_on = troupe::run_on::own_thread});
  auto quick = c.subscribe("quick", qos::at_most_once, [&](const message&) { seen.set_value(); });
  link.grant(1);
  link.grant(0);
  for (int id = 1; id != 9; ++id) {
    link.write("32 0A 00 04 'slow' 00 0" + std::to_string(id) + " 00 'x'");
    EXPECT_EQ(link.read(), dump("40 02 00 0" + std::to_string(id)));
  }
  link.write("30 09 00 05 'quick' 00 'x'");
  seen.get_future().get();
  EXPECT_TRUE(c.publish("t", "x").get().ok());
  may_return.count_down();
}

TEST_P(clients, let_handlers_ask_for_more) {
  client c{stage, options()};
  auto link = welcome(c);
  std::promise<outcome> inner;
  std::promise<outcome> blocked;
  std::optional<troupe::subscription> second;
  auto first = c.subscribe("in", qos::at_most_once, [&](const message&) {
    c.publish("out", "x", qos::at_least_once, [&](outcome how) { inner.set_value(how); });
    second.emplace(c.subscribe("more", qos::at_most_once, [](const message&) {}));
    auto refused = second->granted();
    blocked.set_value(refused.get());
  });
  link.grant(0);
  link.write("30 06 00 02 'in' 00 'x'");
  EXPECT_EQ(blocked.get_future().get().error(), errc::would_deadlock);
  EXPECT_EQ(link.read(), dump("32 09 00 03 'out' 00 01 00 'x'"));
  link.write("40 02 00 01");
  EXPECT_TRUE(inner.get_future().get().ok());
  link.grant(0);
  EXPECT_TRUE(second->granted().get().ok());
}

TEST_P(clients, survive_handlers_that_throw) {
  client c{stage, options()};
  auto link = welcome(c);
  std::promise<void> second;
  auto mine = c.subscribe("a", qos::at_most_once, [&](const message& m) {
    if (m.text() == "1") throw std::runtime_error{"no"};
    second.set_value();
  });
  link.grant(0);
  link.write("30 05 00 01 'a' 00 '1' | 30 05 00 01 'a' 00 '2'");
  second.get_future().get();
  EXPECT_EQ(c.statistics().handler_failures, 1U);
}

TEST_P(clients, keep_copies_of_messages_alive) {
  client c{stage, options()};
  auto link = welcome(c);
  std::promise<message> shared;
  std::promise<message> cloned;
  auto mine = c.subscribe("a", qos::at_most_once, [&](const message& m) {
    if (m.text() == "1")
      shared.set_value(m);
    else
      cloned.set_value(m.clone());
  });
  link.grant(0);
  link.write("30 05 00 01 'a' 00 '1' | 30 05 00 01 'a' 00 '2'");
  const message one = shared.get_future().get();
  const message two = cloned.get_future().get();
  for (int turn = 0; turn != 100; ++turn) link.write("30 05 00 01 'b' 00 '3'");
  EXPECT_TRUE(c.disconnect().get().ok());
  EXPECT_EQ(one.text(), "1");
  EXPECT_EQ(two.text(), "2");
  EXPECT_EQ(two.topic(), "a");
}

} // namespace
