// A broker that breaks the rules: what the client says to it, octet by octet, and that no message at QoS 1 or 2
// which the client answers for is lost or doubled.
#include <troupe/actors/client.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/kept_clients.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {
namespace {

using protocol::errc;
using support::dump;
using namespace std::chrono_literals;

class hostile_brokers : public support::kept_clients {};

constexpr auto bad_word = "E0 01 82"; // DISCONNECT: protocol error

// -- ids ---------------------------------------------------------------------------------------------

TEST_P(hostile_brokers, that_acknowledge_what_was_never_sent_change_nothing) {
  client c{stage, kept()};
  auto link = welcome();
  auto mine = c.publish("t", "x", qos::at_least_once);
  heard(link);
  say(link, "40 02 00 09 | 70 02 00 09"); // PUBACK and PUBCOMP for nothing
  EXPECT_EQ(heard(link), "");
  say(link, "50 02 00 09"); // PUBREC for nothing: 0x92, packet identifier not found
  EXPECT_EQ(heard(link), dump("62 03 00 09 92"));
  say(link, "62 02 00 09"); // PUBREL for nothing
  EXPECT_EQ(heard(link), dump("70 03 00 09 92"));
  EXPECT_FALSE(mine.done());
  say(link, "40 02 00 01");
  EXPECT_TRUE(mine.get().ok());
}

TEST_P(hostile_brokers, that_answer_with_the_wrong_kind_are_left_and_lose_nothing) {
  const char* const wrong[]{
      "40 02 00 02", // PUBACK for QoS 2
      "50 02 00 01", // PUBREC for QoS 1
      "70 02 00 02", // PUBCOMP before PUBREC
      "70 02 00 01", // PUBCOMP for QoS 1
  };
  client c{stage, kept()};
  auto link = welcome();
  auto first = c.publish("t", "1", qos::at_least_once);
  auto second = c.publish("t", "2", qos::exactly_once);
  heard(link);
  for (const char* const each : wrong) {
    say(link, each);
    EXPECT_EQ(heard(link), dump(bad_word) + " | closed") << each;
    EXPECT_EQ(c.last_error(), errc::protocol_error);
    link = welcome("20 03 01 00 00");
    EXPECT_EQ(heard(link),
              dump("3A 07 00 01 't' 00 01 00 '1'") + " | " + dump("3C 07 00 01 't' 00 02 00 '2'"));
    EXPECT_FALSE(first.done() || second.done()) << each;
  }
  say(link, "40 02 00 01 | 50 02 00 02 | 70 02 00 02");
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok());
}

TEST_P(hostile_brokers, that_acknowledge_in_any_order_end_the_right_publishes) {
  client c{stage, kept()};
  auto link = welcome();
  std::vector<std::string> order;
  const auto note = [&order](const char* who) {
    return [&order, who](outcome how) { order.push_back(how.ok() ? who : "failed"); };
  };
  c.publish("t", "1", qos::at_least_once, note("1"));
  c.publish("t", "2", qos::exactly_once, note("2"));
  c.publish("t", "3", qos::at_least_once, note("3"));
  c.publish("t", "4", qos::exactly_once, note("4"));
  heard(link);
  say(link,
      "50 02 00 04 | 40 02 00 03 | 50 02 00 02 | 50 02 00 04 | 70 02 00 04 | 40 02 00 01 | 70 02 00 02");
  EXPECT_EQ(order, (std::vector<std::string>{"3", "4", "1", "2"}));
  EXPECT_EQ(heard(link), dump("62 02 00 04") + " | " + dump("62 02 00 02") + " | " + dump("62 02 00 04"))
      << "every PUBREC gets its PUBREL";
  say(link, "40 02 00 01 | 70 02 00 02"); // once more
  EXPECT_EQ(order.size(), 4U);
  EXPECT_EQ(c.state(), client_state::connected);
}

TEST_P(hostile_brokers, that_use_our_ids_for_their_own_publishes_confuse_nobody) {
  client c{stage, kept()};
  std::vector<std::string> seen;
  auto mine = c.subscribe("a", qos::exactly_once, [&](const message& m) { seen.emplace_back(m.text()); });
  auto link = welcome();
  EXPECT_EQ(heard(link).substr(0, 2), "82");          // id 1
  auto sent = c.publish("t", "x", qos::exactly_once); // id 2
  heard(link);
  say(link, "32 07 00 01 'a' 00 01 00 '1' | 34 07 00 01 'a' 00 02 00 '2'");
  EXPECT_EQ(heard(link), dump("40 02 00 01") + " | " + dump("50 02 00 02"));
  EXPECT_EQ(c.state(), client_state::handshaking) << "the SUBACK has not come";
  EXPECT_FALSE(sent.done());
  say(link, "90 04 00 01 00 02 | 62 02 00 02 | 50 02 00 02 | 70 02 00 02");
  EXPECT_TRUE(mine.granted().get().ok());
  EXPECT_TRUE(sent.get().ok());
  EXPECT_EQ(seen, (std::vector<std::string>{"1", "2"}));
}

TEST_P(hostile_brokers, that_send_an_answer_nobody_asked_for_are_left) {
  for (const char* const each : {"90 04 00 07 00 00", "B0 04 00 07 00 00"}) {
    client c{stage, kept()};
    auto link = welcome();
    auto sent = c.publish("t", "x", qos::at_least_once);
    heard(link);
    say(link, each);
    EXPECT_EQ(heard(link), dump(bad_word) + " | closed") << each;
    auto again = welcome("20 03 01 00 00");
    EXPECT_EQ(heard(again), dump("3A 07 00 01 't' 00 01 00 'x'"));
    say(again, "40 02 00 01");
    EXPECT_TRUE(sent.get().ok());
  }
}

TEST_P(hostile_brokers, that_answer_a_subscription_with_too_few_codes_are_asked_again) {
  client c{stage, kept()};
  auto first = c.subscribe("a", qos::at_most_once, [](const message&) {});
  auto second = c.subscribe("b", qos::at_most_once, [](const message&) {});
  auto link = welcome();
  const std::string asked = heard(link); // both, in an order of its own
  EXPECT_EQ(asked.substr(0, 17), dump("82 0B 00 01 00 00").substr(0, 17));
  say(link, "90 04 00 01 00 00");
  EXPECT_EQ(heard(link), dump(bad_word) + " | closed");
  auto again = welcome();
  EXPECT_EQ(heard(again), asked);
  say(again, "90 05 00 01 00 00 00");
  EXPECT_TRUE(first.granted().get().ok());
  EXPECT_TRUE(second.granted().get().ok());
}

// -- limits ------------------------------------------------------------------------------------------

TEST_P(hostile_brokers, that_overrun_our_receive_maximum_are_told_and_every_message_is_handled_once) {
  auto few = kept();
  few.receive_maximum = 2;
  client c{stage, few};
  std::map<std::string, int> seen;
  auto mine = c.subscribe("a", qos::exactly_once, [&](const message& m) { ++seen[std::string{m.text()}]; });
  auto link = welcome();
  heard(link);
  say(link, "90 04 00 01 00 02");
  say(link, "34 07 00 01 'a' 00 01 00 '1' | 34 07 00 01 'a' 00 02 00 '2' | 34 07 00 01 'a' 00 03 00 '3'");
  EXPECT_EQ(heard(link),
            dump("50 02 00 01") + " | " + dump("50 02 00 02") + " | " + dump("E0 01 93") + " | closed");
  auto again = welcome("20 03 01 00 00");
  say(again, "3C 07 00 01 'a' 00 01 00 '1' | 62 02 00 02");
  say(again, "62 02 00 01 | 34 07 00 01 'a' 00 03 00 '3' | 62 02 00 03");
  EXPECT_EQ(heard(again), dump("50 02 00 01") + " | " + dump("70 02 00 02") + " | " + dump("70 02 00 01")
                              + " | " + dump("50 02 00 03") + " | " + dump("70 02 00 03"));
  EXPECT_EQ(seen, (std::map<std::string, int>{{"1", 1}, {"2", 1}, {"3", 1}}));
}

TEST_P(hostile_brokers, that_use_aliases_they_must_not_are_told) {
  auto some = kept();
  some.topic_alias_maximum = 2;
  const char* const wrong[]{
      "30 08 00 01 'a' 03 23 00 03 'x'", // above what we take
      "30 08 00 01 'a' 03 23 00 00 'x'", // 0 is none
      "30 07 00 00 03 23 00 02 'x'",     // never set on this connection
  };
  client c{stage, some};
  std::vector<std::string> seen;
  auto mine = c.subscribe("a", qos::at_most_once, [&](const message& m) { seen.emplace_back(m.topic()); });
  auto link = welcome();
  heard(link);
  say(link, "90 04 00 01 00 00");
  for (const char* const each : wrong) {
    say(link, each);
    const std::string last = heard(link);
    EXPECT_TRUE(last == dump("E0 01 94") + " | closed" || last == dump(bad_word) + " | closed")
        << each << ": " << last;
    link = welcome("20 03 01 00 00");
    // What was set on the connection before is not known on this one.
    say(link, "30 08 00 01 'a' 03 23 00 01 'x' | 30 07 00 00 03 23 00 01 'x'");
  }
  EXPECT_EQ(seen, std::vector<std::string>(6, "a"));
}

TEST_P(hostile_brokers, that_send_larger_packets_than_we_take_are_told_before_these_are_read) {
  auto small = kept();
  small.maximum_packet_size = 100;
  client c{stage, small};
  auto link = welcome();
  say(link, "30 80 01"); // 128 octets to come: the head is enough
  EXPECT_EQ(heard(link), dump("E0 01 95") + " | closed");
  EXPECT_EQ(c.last_error(), errc::packet_too_large);
}

// -- the flag of the session, both lies -----------------------------------------------------------------

TEST_P(hostile_brokers, that_claim_to_have_a_session_they_lost_get_everything_again) {
  client c{stage, kept()};
  auto link = welcome();
  auto first = c.publish("t", "1", qos::at_least_once);
  auto second = c.publish("t", "2", qos::exactly_once);
  heard(link);
  say(link, "50 02 00 02");
  EXPECT_EQ(heard(link), dump("62 02 00 02"));
  link.cut();
  auto again = welcome("20 03 01 00 00"); // a lie
  EXPECT_EQ(heard(again), dump("62 02 00 02") + " | " + dump("3A 07 00 01 't' 00 01 00 '1'"));
  say(again, "70 03 00 02 92 | 40 02 00 01"); // it knows nothing of 2
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.done()) << "ended, whatever the broker knows";
  EXPECT_EQ(c.state(), client_state::connected);
}

TEST_P(hostile_brokers, that_deny_a_session_they_have_get_no_message_twice_that_they_took) {
  client c{stage, kept()};
  auto link = welcome();
  auto first = c.publish("t", "1", qos::at_least_once);
  auto second = c.publish("t", "2", qos::exactly_once);
  auto third = c.publish("t", "3", qos::exactly_once);
  heard(link);
  say(link, "50 02 00 02");
  heard(link);
  link.cut();
  auto again = welcome("20 03 00 00 00"); // a lie, or not: it is believed
  EXPECT_TRUE(second.get().ok()) << "its PUBREC had come: it is the broker's";
  EXPECT_EQ(heard(again), dump("32 07 00 01 't' 00 01 00 '1'") + " | " + dump("34 07 00 01 't' 00 03 00 '3'"))
      << "new messages for a new session, in their order";
  say(again, "40 02 00 01 | 50 02 00 03 | 70 02 00 03");
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(third.get().ok());
  say(again, "50 02 00 02 | 62 02 00 07"); // what the other session would say
  EXPECT_EQ(heard(again),
            dump("62 02 00 03") + " | " + dump("62 03 00 02 92") + " | " + dump("70 03 00 07 92"));
}

TEST_P(hostile_brokers, that_claim_a_session_after_a_clean_start_are_left) {
  client c{stage, options()};
  auto link = accept();
  link.next();
  say(link, "20 03 01 00 00");
  EXPECT_EQ(heard(link), dump(bad_word) + " | closed");
  EXPECT_NE(c.state(), client_state::connected);
}

// -- links that are none -------------------------------------------------------------------------------

TEST_P(hostile_brokers, that_flap_lose_nothing_and_are_dialled_one_at_a_time) {
  client c{stage, kept()};
  auto sent = c.publish("t", "x", qos::exactly_once);
  auto link = accept(); // and gone before CONNACK
  link.cut();
  for (int turn = 0; turn != 50; ++turn) {
    auto next = accept();
    EXPECT_EQ(next.next().substr(0, 2), "10");
    switch (turn % 4) {
    case 0: break;                              // before CONNACK
    case 1: say(next, "20 03"); break;          // in the middle of it
    case 2: say(next, "20 03 01 00 00"); break; // behind it
    case 3: say(next, "20 03 01 00 00 | E0 00"); break;
    }
    next.cut();
    time.settle();
    EXPECT_FALSE(network->has_caller()) << "no time has passed";
    EXPECT_FALSE(sent.done());
  }
  auto last = welcome("20 03 01 00 00");
  EXPECT_EQ(heard(last).substr(0, 2), "3C");
  say(last, "50 02 00 01 | 70 02 00 01");
  EXPECT_TRUE(sent.get().ok());
}

TEST_P(hostile_brokers, that_fall_silent_half_open_are_noticed_and_nothing_is_lost) {
  auto pinged = kept();
  pinged.keep_alive = 10s;
  pinged.ping_timeout = 5s;
  client c{stage, pinged};
  auto link = welcome();
  auto sent = c.publish("t", "x", qos::at_least_once);
  EXPECT_EQ(heard(link).substr(0, 2), "32");
  time.advance(9'999ms);
  EXPECT_EQ(heard(link), "");
  time.advance(1ms);
  EXPECT_EQ(heard(link), dump("C0 00"));
  time.advance(4'999ms);
  EXPECT_EQ(c.state(), client_state::connected);
  time.advance(1ms);
  EXPECT_EQ(c.last_error(), errc::ping_timeout);
  EXPECT_EQ(heard(link), "closed");
  auto again = welcome("20 03 01 00 00");
  EXPECT_EQ(heard(again), dump("3A 07 00 01 't' 00 01 00 'x'"));
  say(again, "40 02 00 01");
  EXPECT_TRUE(sent.get().ok());
}

INSTANTIATE_TEST_SUITE_P(on, hostile_brokers, support::both_schedulers(), support::scheduler_name);

} // namespace
} // namespace troupe
