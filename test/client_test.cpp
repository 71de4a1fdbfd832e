// The client as its users see it: how it connects, what it makes of a bad peer, how it ends.
#include <troupe/actors/client.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/runtime/home.hpp>
#include <troupe/runtime/house.hpp>

#include "support/actors/clients.hpp"
#include "support/ends.hpp"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <thread>

namespace {

using support::clients;
using support::dump;
using troupe::client;
using troupe::client_state;
using troupe::message;
using troupe::outcome;
using troupe::qos;
using troupe::protocol::errc;
using troupe::test::at;
using troupe::test::patience;
using namespace std::chrono_literals;

// -- connecting --------------------------------------------------------------------------------

constexpr auto connect_v5 = "10 0E 00 04 'MQTT' 05 02 00 00 00 00 01 'c'";

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

// -- a peer that misbehaves --------------------------------------------------------------------

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

// -- ending ------------------------------------------------------------------------------------

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

TEST_P(clients, may_be_told_to_end_again_and_come_back_all_the_same) {
  client c{stage, options()};
  auto link = welcome(c);
  auto first = c.disconnect();
  auto second = c.disconnect(); // when it is looked at, the first has been done
  EXPECT_EQ(link.read(), dump("E0 00"));
  EXPECT_EQ(link.read(), "closed");
  link.close();
  auto third = c.disconnect(); // there is nothing left to end
  auto refused = c.publish("t", "x");
  for (auto* each : {&first, &second, &third, &refused}) ASSERT_TRUE(each->wait_for(patience));
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok());
  EXPECT_TRUE(third.get().ok());
  EXPECT_EQ(refused.get().error(), errc::closed);

  auto again = c.connect();
  auto next = broker.accept();
  next.welcome();
  EXPECT_TRUE(again.get().ok());
}

TEST_P(clients, change_the_expiry_of_their_session_with_their_last_word) {
  auto kept = options();
  kept.session_expiry = 1h;
  client c{stage, kept};
  auto link = welcome(c);
  auto done = c.disconnect({.session_expiry = 60s});
  EXPECT_EQ(link.read(), dump("E0 07 00 05 11 00 00 00 3C"));
  link.close();
  EXPECT_TRUE(done.get().ok());
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

TEST_P(clients, answer_what_was_asked_for_behind_a_wish_for_the_end) {
  std::optional<client> c{std::in_place, stage, options()};
  auto link = welcome(*c);
  auto first = c->disconnect();
  EXPECT_EQ(link.read(), dump("E0 00"));
  EXPECT_EQ(link.read(), "closed");
  link.close();
  EXPECT_TRUE(first.get().ok());
  // One job on the session's home, so that it finds the wishes and its own end at the same time. On CAF's own
  // schedulers it may have begun with the wishes; what they are answered is the same.
  troupe::pending<outcome> second;
  troupe::pending<outcome> publish;
  troupe::pending<outcome> third;
  troupe::pending<outcome> last;
  at(stage.inside()[0], [&] {
    second = c->disconnect();
    publish = c->publish("t", "x", qos::at_least_once);
    third = c->disconnect();
    last = c->publish("t", "y");
    c.reset();
  });
  for (auto* each : {&second, &publish, &third, &last}) ASSERT_TRUE(each->wait_for(patience));
  EXPECT_EQ(publish.get().error(), errc::closed);
  EXPECT_EQ(last.get().error(), errc::closed);
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
