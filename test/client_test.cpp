// The client as its users see it, against a broker that the test plays itself, on our scheduler and on
// both of CAF's.
#include <troupe/actors/client.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/runtime/clock.hpp>

#include "support/actors/scripted_broker.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using support::dump;
using support::scripted_broker;
using support::scripted_link;
using troupe::ack_policy;
using troupe::client;
using troupe::client_options;
using troupe::client_state;
using troupe::message;
using troupe::outcome;
using troupe::qos;
using troupe::reason_code;
using troupe::protocol::errc;
using namespace std::chrono_literals;

class clients : public testing::TestWithParam<troupe::scheduler_kind> {
protected:
  client_options options() const {
    client_options result;
    result.broker = broker.url();
    result.client_id = "c";
    result.keep_alive = 0s;
    result.backoff_first = 1ms;
    result.backoff_limit = 1ms;
    return result;
  }

  /// Accepts the client's connection, and waits until it knows.
  scripted_link welcome(client& c) {
    auto link = broker.accept();
    link.welcome();
    EXPECT_TRUE(c.connected().get().ok());
    return link;
  }

  scripted_broker broker;
  troupe::stage stage{{.scheduler = GetParam()}};
};

constexpr auto connect_v5 = "10 0E 00 04 'MQTT' 05 02 00 00 00 00 01 'c'";

// -- connecting -----------------------------------------------------------------------------

TEST_P(clients, connect_by_themselves) {
  client c{stage, options()};
  auto link = broker.accept();
  EXPECT_EQ(link.read(), dump(connect_v5));
  EXPECT_EQ(c.state(), client_state::handshaking);
  link.write("20 03 00 00 00");
  const outcome up = c.connected().get();
  EXPECT_TRUE(up.ok()) << up.text();
  EXPECT_EQ(c.state(), client_state::connected);
}

TEST_P(clients, say_what_their_options_say) {
  auto all = options();
  all.version = troupe::version::v3_1_1;
  all.clean_start = false;
  all.keep_alive = 10s;
  all.user_name = "u";
  all.password = "p";
  all.will = troupe::will{.topic = "w", .payload = "x", .quality = qos::at_least_once, .retain = true};
  client c{stage, all};
  auto link = broker.accept();
  EXPECT_EQ(link.read(),
            dump("10 19 00 04 'MQTT' 04 EC 00 0A 00 01 'c' 00 01 'w' 00 01 'x' 00 01 'u' 00 01 'p'"));
  link.write("20 02 00 00");
  EXPECT_TRUE(c.connected().get().ok());
}

TEST_P(clients, take_credentials_from_the_address) {
  auto mine = options();
  mine.broker.insert(mine.broker.find("127"), "u:p@");
  client c{stage, mine};
  EXPECT_EQ(broker.accept().read(), dump("10 14 00 04 'MQTT' 05 C2 00 00 00 00 01 'c' 00 01 'u' 00 01 'p'"));
}

TEST_P(clients, with_bad_settings_are_faulted_and_say_so_in_every_outcome) {
  auto bad = options();
  bad.broker = "gopher://x";
  EXPECT_FALSE(client::make(stage, bad).has_value());
  client c{stage, bad};
  EXPECT_FALSE(c.connected().get().ok());
  EXPECT_EQ(c.state(), client_state::faulted);
  EXPECT_FALSE(c.publish("a", "x").get().ok());
  EXPECT_FALSE(c.connect().get().ok());
}

TEST_P(clients, are_faulted_by_a_refusal_that_will_not_change) {
  client c{stage, options()};
  auto link = broker.accept();
  link.read();
  link.write("20 03 00 86 00");
  const outcome up = c.connected().get();
  EXPECT_EQ(up.error(), errc::refused_by_server);
  EXPECT_EQ(c.state(), client_state::faulted);
  EXPECT_EQ(link.read(), "closed");
  EXPECT_EQ(c.publish("a", "x").get().error(), errc::refused_by_server);
  auto again = c.connect();
  auto second = broker.accept();
  second.welcome();
  EXPECT_TRUE(again.get().ok());
  EXPECT_TRUE(c.publish("a", "x").get().ok());
}

TEST_P(clients, dial_again_after_a_refusal_that_may_pass) {
  client c{stage, options()};
  for (int turn = 0; turn != 3; ++turn) {
    auto link = broker.accept();
    link.read();
    link.write("20 03 00 88 00");
  }
  auto link = welcome(c);
  EXPECT_TRUE(c.connected().get().ok());
  EXPECT_EQ(c.statistics().failed_attempts, 3U);
}

TEST_P(clients, come_back_for_ever_with_connect_as_first_packet) {
  client c{stage, options()};
  for (int turn = 0; turn != 10; ++turn) {
    auto link = broker.accept();
    EXPECT_EQ(link.read().substr(0, 2), "10");
    if (turn % 3 == 0) continue; // gone before CONNACK
    link.write("20 03 00 00 00");
  }
  auto link = welcome(c);
  EXPECT_TRUE(c.connected().get().ok());
}

TEST_P(clients, that_lost_their_session_to_another_do_not_fight_for_it) {
  client c{stage, options()};
  auto link = welcome(c);
  auto unacknowledged = c.publish("a", "x", qos::at_least_once);
  link.read();
  link.write("E0 01 8E");
  EXPECT_EQ(unacknowledged.get().error(), errc::session_taken_over);
  EXPECT_EQ(c.state(), client_state::faulted);
  EXPECT_FALSE(broker.has_caller());
}

// -- a peer that misbehaves -------------------------------------------------------------------

TEST_P(clients, tell_that_nobody_listens) {
  broker.close();
  auto once = options();
  once.reconnect = false;
  client c{stage, once};
  EXPECT_EQ(c.connected().get().error(), std::errc::connection_refused);
  EXPECT_EQ(c.last_error(), std::errc::connection_refused);
}

TEST_P(clients, give_up_after_the_attempts_they_were_given) {
  broker.close();
  auto few = options();
  few.attempts_limit = 3;
  client c{stage, few};
  EXPECT_FALSE(c.connected().get().ok());
  EXPECT_EQ(c.statistics().failed_attempts, 3U);
}

TEST_P(clients, tell_octets_that_are_no_mqtt) {
  auto once = options();
  once.reconnect = false;
  client c{stage, once};
  auto link = broker.accept();
  link.read();
  link.write("'HTTP/1.1 400 Bad Request'");
  EXPECT_TRUE(c.connected().get().error());
  EXPECT_EQ(c.state(), client_state::faulted);
}

TEST_P(clients, close_a_connection_that_says_what_it_must_not) {
  auto once = options();
  once.reconnect = false;
  client c{stage, once};
  auto link = welcome(c);
  link.write("62 02 00 07"); // PUBREL for nothing is answered
  EXPECT_EQ(link.read().substr(0, 2), "70");
  link.write("00 00");
  EXPECT_EQ(link.read(), dump("E0 01 81"));
  EXPECT_EQ(link.read(), "closed");
}

// -- publishing -------------------------------------------------------------------------------

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

// -- subscribing ------------------------------------------------------------------------------

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
  link.read();
  link.write("90 04 00 02 00 80");
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

// -- ending -----------------------------------------------------------------------------------

TEST_P(clients, disconnect_in_order_and_stay_away) {
  client c{stage, options()};
  auto link = welcome(c);
  auto last = c.publish("t", "x");
  auto done = c.disconnect();
  EXPECT_EQ(link.read(), dump("30 05 00 01 't' 00 'x'"));
  EXPECT_EQ(link.read(), dump("E0 00"));
  EXPECT_EQ(link.read(), "closed");
  link.close();
  EXPECT_TRUE(done.get().ok());
  EXPECT_TRUE(last.get().ok());
  EXPECT_EQ(c.state(), client_state::disconnected);
  EXPECT_EQ(c.publish("t", "x").get().error(), errc::closed);
  EXPECT_FALSE(broker.has_caller());

  auto again = c.connect();
  auto second = broker.accept();
  second.welcome();
  EXPECT_TRUE(again.get().ok());
  EXPECT_TRUE(c.publish("t", "x").get().ok());
}

TEST_P(clients, never_dial_again_after_disconnect_however_fast_the_peer_is) {
  for (int turn = 0; turn != 20; ++turn) {
    client c{stage, options()};
    auto link = welcome(c);
    auto done = c.disconnect();
    if (turn % 2 == 0)
      EXPECT_EQ(link.read(), dump("E0 00"));
    else
      link.write("E0 01 8B");
    link.close();
    EXPECT_TRUE(done.get().ok());
    EXPECT_EQ(c.state(), client_state::disconnected);
    EXPECT_FALSE(broker.has_caller());
  }
}

TEST_P(clients, disconnect_while_nobody_answers) {
  broker.close();
  client c{stage, options()};
  auto queued = c.publish("t", "x", qos::at_least_once);
  EXPECT_TRUE(c.disconnect().get().ok());
  EXPECT_EQ(c.state(), client_state::disconnected);
  EXPECT_EQ(queued.get().error(), errc::closed);
}

TEST_P(clients, end_every_operation_when_they_are_destroyed) {
  troupe::pending<outcome> publish;
  troupe::pending<outcome> granted;
  std::promise<outcome> told;
  std::optional<troupe::subscription> orphan;
  {
    auto quick = options();
    quick.disconnect_timeout = 20ms;
    client c{stage, quick};
    auto link = welcome(c);
    publish = c.publish("t", "x", qos::at_least_once);
    c.publish("t", "x", qos::exactly_once, [&](outcome how) { told.set_value(how); });
    orphan.emplace(c.subscribe("a", qos::at_most_once, [](const message&) {}));
    granted = orphan->granted();
  }
  EXPECT_EQ(publish.get().error(), errc::closed);
  EXPECT_EQ(granted.get().error(), errc::closed);
  EXPECT_EQ(told.get_future().get().error(), errc::closed);
  EXPECT_EQ(orphan->granted().get().error(), errc::closed);
}

TEST_P(clients, refuse_what_handlers_ask_for_while_they_end) {
  std::promise<outcome> told;
  {
    auto quick = options();
    quick.disconnect_timeout = 20ms;
    client c{stage, quick};
    auto link = welcome(c);
    c.publish("t", "x", qos::at_least_once, [&](outcome) {
      auto ignored = c.publish("t", "y");
      c.publish("t", "z", qos::at_least_once, [&](outcome how) { told.set_value(how); });
    });
    EXPECT_EQ(link.read().substr(0, 2), "32");
  }
  EXPECT_EQ(told.get_future().get().error(), errc::closed);
}

TEST_P(clients, leave_no_actor_behind) {
  for (int turn = 0; turn != 5; ++turn) {
    client c{stage, options()};
    auto link = welcome(c);
    auto mine = c.subscribe("a", qos::at_most_once, [](const message&) {});
    link.grant(0);
    EXPECT_TRUE(mine.granted().get().ok());
    EXPECT_GE(stage.actors_alive(), 5U);
    if (turn % 2 == 0) link.close();
  }
  // Memory goes when the last reference does, a moment after the client.
  while (stage.actors_alive() != 0) std::this_thread::yield();
}

INSTANTIATE_TEST_SUITE_P(on, clients,
                         testing::Values(troupe::scheduler_kind::own, troupe::scheduler_kind::sharing,
                                         troupe::scheduler_kind::stealing),
                         [](const auto& each) {
                           switch (each.param) {
                           case troupe::scheduler_kind::own: return "own";
                           case troupe::scheduler_kind::sharing: return "sharing";
                           default: return "stealing";
                           }
                         });

} // namespace
