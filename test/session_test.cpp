// The client as its users see it: publishing.
#include <troupe/actors/session.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/clients.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

namespace {

using support::clients;
using support::dump;
using troupe::client;
using troupe::client_state;
using troupe::message;
using troupe::outcome;
using troupe::qos;
using troupe::reason_code;
using troupe::protocol::errc;
using namespace std::chrono_literals;

TEST_P(clients, publish_at_every_quality) {
  client c{stage, options()};
  auto link = welcome(c);
  EXPECT_TRUE(c.publish("t", "0").get().ok());
  EXPECT_EQ(link.read(), dump("30 05 00 01 't' 00 '0'"));

  auto once = c.publish("t", "1", qos::at_least_once, {.retain = true});
  EXPECT_EQ(link.read(), dump("33 07 00 01 't' 00 01 00 '1'"));
  EXPECT_FALSE(once.done());
  link.write("40 02 00 01");
  EXPECT_TRUE(once.get().ok());

  auto exactly = c.publish("t", std::vector<std::uint8_t>{0x32}, qos::exactly_once);
  EXPECT_EQ(link.read(), dump("34 07 00 01 't' 00 01 00 '2'"));
  link.write("50 02 00 01");
  EXPECT_EQ(link.read(), dump("62 02 00 01"));
  EXPECT_FALSE(exactly.done());
  link.write("70 02 00 01");
  EXPECT_TRUE(exactly.get().ok());
  EXPECT_EQ(c.statistics().published, 3U);
}

TEST_P(clients, hand_on_what_the_broker_says_of_a_publish) {
  client c{stage, options()};
  auto link = welcome(c);
  auto refused = c.publish("t", "x", qos::at_least_once);
  link.read();
  link.write("40 03 00 01 87");
  const outcome how = refused.get();
  EXPECT_FALSE(how.ok());
  EXPECT_FALSE(how.error());
  EXPECT_EQ(how.reason(), reason_code::not_authorized);
  EXPECT_EQ(how.by(), troupe::initiator::peer);
}

TEST_P(clients, refuse_a_topic_that_is_no_name) {
  client c{stage, options()};
  EXPECT_EQ(c.publish("a/+", "x").get().error(), errc::invalid_topic_name);
  std::promise<outcome> told;
  c.publish("", "x", qos::at_most_once, [&](outcome how) { told.set_value(how); });
  EXPECT_EQ(told.get_future().get().error(), errc::invalid_topic_name);
}

TEST_P(clients, keep_what_is_published_before_the_connection_is_up_in_order) {
  client c{stage, options()};
  std::vector<troupe::pending<outcome>> all;
  for (const char* text : {"1", "2", "3"}) all.push_back(c.publish("t", text));
  auto link = broker.accept();
  link.welcome();
  for (const char* text : {"1", "2", "3"})
    EXPECT_EQ(link.read(), dump(std::string{"30 05 00 01 't' 00 '"} + text + "'"));
  for (auto& each : all) EXPECT_TRUE(each.get().ok());
}

TEST_P(clients, send_properties_with_a_publish) {
  client c{stage, options()};
  auto link = welcome(c);
  troupe::protocol::property_block properties;
  ASSERT_TRUE(properties.set(troupe::protocol::property::message_expiry_interval, 5));
  EXPECT_TRUE(c.publish("t", "x", qos::at_most_once, {.properties = properties.view()}).get().ok());
  EXPECT_EQ(link.read(), dump("30 0A 00 01 't' 05 02 00 00 00 05 'x'"));
}

TEST_P(clients, send_again_what_was_not_acknowledged_when_the_session_is_still_there) {
  auto kept = options();
  kept.clean_start = false;
  kept.session_expiry = 100s;
  client c{stage, kept};
  auto first = broker.accept();
  first.welcome();
  auto done = c.publish("t", "x", qos::at_least_once);
  EXPECT_EQ(first.read(), dump("32 07 00 01 't' 00 01 00 'x'"));
  first.close();
  auto second = broker.accept();
  second.welcome(true);
  EXPECT_EQ(second.read(), dump("3A 07 00 01 't' 00 01 00 'x'"));
  second.write("40 02 00 01");
  EXPECT_TRUE(done.get().ok());
}

TEST_P(clients, answer_callbacks_futures_and_coroutines) {
  client c{stage, options()};
  auto link = welcome(c);

  std::promise<outcome> told;
  c.publish("t", "x", qos::at_most_once, [&](outcome how) { told.set_value(how); });
  EXPECT_TRUE(told.get_future().get().ok());

  EXPECT_TRUE(c.publish("t", "x", qos::at_most_once, boost::asio::use_future).get().ok());

  boost::asio::io_context mine;
  std::thread::id where;
  bool is_ok = false;
  boost::asio::co_spawn(
      mine,
      [&]() -> boost::asio::awaitable<void> {
        const outcome up = co_await c.connected(boost::asio::use_awaitable);
        const outcome how = co_await c.publish("t", "y", qos::at_most_once, boost::asio::use_awaitable);
        is_ok = up.ok() && how.ok();
        where = std::this_thread::get_id();
      },
      boost::asio::detached);
  mine.run();
  EXPECT_TRUE(is_ok);
  EXPECT_EQ(where, std::this_thread::get_id());

  auto later = c.publish("t", "z", qos::at_most_once, boost::asio::deferred);
  std::promise<outcome> last;
  std::move(later)([&](outcome how) { last.set_value(how); });
  EXPECT_TRUE(last.get_future().get().ok());
}

TEST_P(clients, publish_many_with_one_outcome) {
  client c{stage, options()};
  auto link = welcome(c);
  const std::vector<troupe::publication> fine{{"t", "1"}, {"t", "2", qos::at_least_once}, {"t", "3"}};
  auto all = c.publish_many(fine);
  EXPECT_EQ(link.read(), dump("30 05 00 01 't' 00 '1'"));
  EXPECT_EQ(link.read(), dump("32 07 00 01 't' 00 01 00 '2'"));
  EXPECT_EQ(link.read(), dump("30 05 00 01 't' 00 '3'"));
  EXPECT_FALSE(all.done());
  link.write("40 02 00 01");
  EXPECT_TRUE(all.get().ok());

  const std::vector<troupe::publication> mixed{{"t", "4"}, {"#", "5"}, {"t", "6"}};
  EXPECT_EQ(c.publish_many(mixed).get().error(), errc::invalid_topic_name);
  EXPECT_EQ(link.read(), dump("30 05 00 01 't' 00 '4'"));
  EXPECT_EQ(link.read(), dump("30 05 00 01 't' 00 '6'"));
  EXPECT_TRUE(c.publish_many({}).get().ok());
}

// Plain ones share runs, others have records of their own; more than what is pushed at once.
TEST_P(clients, publish_many_of_all_kinds_in_order) {
  client c{stage, options()};
  auto link = welcome(c);
  std::vector<troupe::publication> all(3'000);
  std::vector<std::string> expected;
  for (std::size_t at = 0; at != all.size(); ++at) {
    all[at] = {.topic = at % 7 == 0 ? "u" : "t", .payload = "x"};
    const bool is_retained = at % 11 == 0;
    all[at].options.retain = is_retained;
    if (at == 1'500) { // nobody can say it: it is refused alone
      all[at].topic = "a/#";
      continue;
    }
    expected.push_back(dump(std::string{is_retained ? "31" : "30"} + " 05 00 01 '"
                            + std::string{all[at].topic} + "' 00 'x'"));
  }
  auto done = c.publish_many(all);
  for (const std::string& each : expected) ASSERT_EQ(link.read(), each);
  EXPECT_EQ(done.get().error(), errc::invalid_topic_name);
}

TEST_P(clients, feel_their_bounds) {
  auto narrow = options();
  narrow.pending_items = 4;
  narrow.publish_wait = 1ms;
  client c{stage, narrow};
  auto link = welcome(c);
  std::vector<troupe::pending<outcome>> fits;
  for (int index = 0; index != 4; ++index) fits.push_back(c.publish("t", "x", qos::at_least_once));
  EXPECT_EQ(c.publish("t", "x", qos::at_least_once).get().error(), errc::backpressure);
  for (int index = 0; index != 4; ++index) link.read();
  link.write("40 02 00 01");
  EXPECT_TRUE(fits.front().get().ok());
  // Room comes back a moment after the outcome; whoever waits long enough gets it.
  outcome how;
  do {
    auto more = c.publish("t", "x");
    how = more.get();
  } while (how.error() == errc::backpressure);
  EXPECT_TRUE(how.ok());
}

TEST_P(clients, do_not_make_callers_wait_while_there_is_no_connection) {
  broker.close();
  auto narrow = options();
  narrow.pending_items = 100;
  narrow.publish_wait = 1h;
  client c{stage, narrow};
  std::vector<troupe::pending<outcome>> all;
  for (int index = 0; index != 200; ++index) all.push_back(c.publish("t", "x"));
  while (c.state() == client_state::connecting) std::this_thread::yield();
  EXPECT_EQ(c.publish("t", "x").get().error(), errc::backpressure);
  EXPECT_TRUE(c.disconnect().get().ok());
  int closed = 0;
  for (auto& each : all) closed += each.get().error() == errc::closed ? 1 : 0;
  EXPECT_EQ(closed, 100);
}

TEST_P(clients, may_be_disconnected_by_a_handler) {
  client c{stage, options()};
  auto link = welcome(c);
  std::promise<outcome> told;
  auto mine = c.subscribe("a", qos::at_most_once,
                          [&](const message&) { c.disconnect([&](outcome how) { told.set_value(how); }); });
  link.grant(0);
  link.write("30 05 00 01 'a' 00 'x'");
  EXPECT_EQ(link.read(), dump("E0 00"));
  link.close();
  EXPECT_TRUE(told.get_future().get().ok());
  EXPECT_EQ(c.state(), client_state::disconnected);
}

TEST_P(clients, keep_the_order_of_calls_that_a_join_orders) {
  client c{stage, options()};
  auto link = welcome(c);
  for (int turn = 0; turn != 50; ++turn) {
    c.publish("t", "1");
    std::thread{[&] { c.publish("t", "2"); }}.join();
    EXPECT_EQ(link.read(), dump("30 05 00 01 't' 00 '1'"));
    EXPECT_EQ(link.read(), dump("30 05 00 01 't' 00 '2'"));
  }
}

// What the broker does not take is refused alone, whatever was published around it.
TEST_P(clients, refuse_a_packet_larger_than_the_broker_takes_and_no_other_MQTT_3_2_2_15) {
  client c{stage, options()};
  auto link = broker.accept();
  link.read();
  std::vector<troupe::pending<outcome>> all;
  const std::string large(100, 'x');
  for (const std::string& text : {std::string{"1"}, large, std::string{"2"}, std::string{"3"}})
    all.push_back(c.publish("t", text));       // they wait, and are looked at together
  link.write("20 08 00 00 05 27 00 00 00 32"); // 50 octets
  for (const char* text : {"1", "2", "3"})
    EXPECT_EQ(link.read(), dump(std::string{"30 05 00 01 't' 00 '"} + text + "'"));
  for (int round = 0; round != 100; ++round) {
    all.push_back(c.publish("t", "1"));
    all.push_back(c.publish("t", large));
    all.push_back(c.publish("t", "2"));
    for (const char* text : {"1", "2"})
      EXPECT_EQ(link.read(), dump(std::string{"30 05 00 01 't' 00 '"} + text + "'"));
  }
  for (std::size_t at = 0; at != all.size(); ++at) {
    const bool is_large = at < 4 ? at == 1 : (at - 4) % 3 == 1;
    const outcome how = all[at].get();
    EXPECT_EQ(how.error(), is_large ? make_error_code(errc::packet_too_large) : std::error_code{}) << at;
  }
}

} // namespace
