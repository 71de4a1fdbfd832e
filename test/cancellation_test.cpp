// How somebody stops waiting, and what that does to everybody else: nothing.
#include <troupe/actors/cancellation.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/timed_clients.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <stop_token>
#include <thread>
#include <vector>

namespace {

using support::dump;
using troupe::client;
using troupe::outcome;
using troupe::qos;
using troupe::protocol::errc;
using namespace std::chrono_literals;

bool is_cancelled(const outcome& how) {
  return how.error() == errc::cancelled && how.by() == troupe::initiator::user;
}

/// An operation that can be cancelled, and how often it was told what.
struct wait {
  boost::asio::cancellation_signal signal;
  std::vector<outcome> told;
  auto token() {
    return boost::asio::bind_cancellation_slot(signal.slot(), [this](outcome how) { told.push_back(how); });
  }
  void cancel() { signal.emit(boost::asio::cancellation_type::terminal); }
  bool was_cancelled() const { return told.size() == 1 && is_cancelled(told[0]); }
};

class cancellations : public support::timed_clients {
protected:
  /// Of 1 at QoS 1 and 2 at QoS 2, for which nobody waits any more.
  void expect_late_acknowledgements_harmless(client& c, support::line& link) {
    auto third = c.publish("t", "3", qos::at_least_once);
    EXPECT_EQ(heard(link), dump("32 07 00 01 't' 00 03 00 '3'")) << "1 and 2 are not free";
    say(link, "40 02 00 01 | 50 02 00 02");
    EXPECT_EQ(heard(link), dump("62 02 00 02"));
    say(link, "70 02 00 02 | 40 02 00 03");
    EXPECT_TRUE(third.get().ok());
  }
};

TEST_P(cancellations, leave_late_acknowledgements_harmless_and_ids_taken_until_they_come) {
  client c{stage, options()};
  auto link = welcome();
  wait first;
  wait second;
  c.publish("t", "1", qos::at_least_once, first.token());
  c.publish("t", "2", qos::exactly_once, second.token());
  EXPECT_EQ(heard(link), dump("32 07 00 01 't' 00 01 00 '1'") + " | " + dump("34 07 00 01 't' 00 02 00 '2'"));
  first.cancel();
  second.cancel();
  time.settle();
  EXPECT_TRUE(first.was_cancelled());
  EXPECT_TRUE(second.was_cancelled());
  expect_late_acknowledgements_harmless(c, link);
  EXPECT_EQ(first.told.size(), 1U);
  EXPECT_EQ(second.told.size(), 1U);
  EXPECT_EQ(c.state(), troupe::client_state::connected);
}

TEST_P(cancellations, withdraw_what_has_not_been_sent) {
  client c{stage, options()};
  auto link = welcome("20 06 00 00 03 21 00 01"); // one at a time
  auto first = c.publish("t", "1", qos::at_least_once);
  wait second;
  c.publish("t", "2", qos::at_least_once, second.token());
  auto third = c.publish("t", "3", qos::at_least_once);
  heard(link);
  second.cancel();
  time.settle();
  EXPECT_TRUE(second.was_cancelled());
  say(link, "40 02 00 01");
  EXPECT_EQ(heard(link).substr(0, 2), "32");
  say(link, "40 02 00 01");
  EXPECT_EQ(heard(link), "") << "the second was never sent";
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(third.get().ok());
}

TEST_P(cancellations, withdraw_what_waits_for_a_connection) {
  client c{stage, options()};
  wait early;
  c.publish("t", "1", qos::at_least_once, early.token());
  time.settle();
  early.cancel();
  time.settle();
  EXPECT_TRUE(early.was_cancelled());
  auto link = welcome();
  EXPECT_EQ(heard(link), "");
}

TEST_P(cancellations, are_there_for_every_operation) {
  client c{stage, options()};
  wait up;
  wait end;
  wait granted;
  wait gone;
  wait left;
  wait many;
  wait again;
  c.connected(up.token());
  c.ended(end.token());
  up.cancel();
  end.cancel();
  time.settle();
  EXPECT_TRUE(up.was_cancelled());
  EXPECT_TRUE(end.was_cancelled());
  auto link = welcome();
  auto interest = c.subscribe("a", qos::at_most_once, [](const troupe::message&) {});
  interest.granted(granted.token());
  heard(link);
  granted.cancel();
  time.settle();
  EXPECT_TRUE(granted.was_cancelled());
  say(link, "90 04 00 01 00 00"); // late, and harmless
  interest.unsubscribe(gone.token());
  EXPECT_EQ(heard(link), dump("A2 06 00 01 00 00 01 'a'"));
  gone.cancel();
  time.settle();
  EXPECT_TRUE(gone.was_cancelled());
  say(link, "B0 04 00 01 00 00");
  c.unsubscribe("b", left.token());
  heard(link);
  left.cancel();
  time.settle();
  EXPECT_TRUE(left.was_cancelled());
  say(link, "B0 04 00 01 00 11");
  const troupe::publication two[]{{.topic = "t", .payload = "1", .quality = qos::at_least_once},
                                  {.topic = "t", .payload = "2", .quality = qos::at_least_once}};
  c.publish_many(two, many.token());
  heard(link);
  many.cancel();
  time.settle();
  EXPECT_TRUE(many.was_cancelled());
  say(link, "40 02 00 01 | 40 02 00 02");
  c.disconnect(again.token());
  again.cancel();
  time.settle();
  EXPECT_EQ(again.told.size(), 1U);
  EXPECT_EQ(c.state(), troupe::client_state::disconnected) << "what was begun goes on";
  for (const wait* each : {&up, &end, &granted, &gone, &left, &many}) EXPECT_EQ(each->told.size(), 1U);
}

TEST_P(cancellations, after_the_end_say_nothing_twice) {
  wait done;
  {
    client c{stage, options()};
    auto link = welcome();
    c.publish("t", "1", qos::at_least_once, done.token());
    heard(link);
    say(link, "40 02 00 01");
    done.cancel();
    time.settle();
    auto over = c.abort();
    time.settle();
  }
  done.cancel(); // the client is gone
  ASSERT_EQ(done.told.size(), 1U);
  EXPECT_TRUE(done.told[0].ok());
}

TEST_P(cancellations, by_a_pending_leave_late_acknowledgements_harmless) {
  client c{stage, options()};
  auto link = welcome();
  auto first = c.publish("t", "1", qos::at_least_once);
  auto second = c.publish("t", "2", qos::exactly_once);
  heard(link);
  first.cancel();
  second.cancel();
  second.cancel(); // once more is nothing more
  time.settle();
  ASSERT_TRUE(first.done() && second.done());
  EXPECT_TRUE(is_cancelled(first.get()));
  EXPECT_TRUE(is_cancelled(second.get()));
  expect_late_acknowledgements_harmless(c, link);
}

TEST_P(cancellations, by_a_pending_withdraw_what_has_not_been_sent) {
  client c{stage, options()};
  std::vector<troupe::pending<outcome>> all;
  for (const char* each : {"0", "1", "2", "3"}) all.push_back(c.publish("t", each)); // QoS 0, in one run
  all.push_back(c.publish("t", "4", qos::at_least_once));
  time.settle();
  all[1].cancel();
  all[3].cancel();
  all[4].cancel();
  time.settle();
  for (const int each : {1, 3, 4}) EXPECT_TRUE(is_cancelled(all[static_cast<std::size_t>(each)].get()));
  EXPECT_FALSE(all[0].done());
  auto link = welcome();
  EXPECT_EQ(heard(link), dump("30 05 00 01 't' 00 '0'") + " | " + dump("30 05 00 01 't' 00 '2'"));
  EXPECT_TRUE(all[0].get().ok());
  EXPECT_TRUE(all[2].get().ok());
}

TEST_P(cancellations, by_a_pending_are_looked_at_before_what_is_asked_for_later) {
  client c{stage, options()};
  time.settle();
  auto kept = c.publish("t", "1", qos::at_least_once);
  for (int turn = 0; turn != 20'000; ++turn) { // cells go through all of their rounds several times
    auto each = c.publish("t", "x");
    each.cancel();
    if (turn % 100 == 0) time.settle();
  }
  auto last = c.publish("t", "2", qos::at_least_once);
  time.settle();
  auto link = welcome();
  EXPECT_EQ(heard(link), dump("32 07 00 01 't' 00 01 00 '1'") + " | " + dump("32 07 00 01 't' 00 02 00 '2'"));
  say(link, "40 02 00 01 | 40 02 00 02");
  EXPECT_TRUE(kept.get().ok());
  EXPECT_TRUE(last.get().ok());
}

TEST_P(cancellations, by_a_pending_end_all_that_is_left_of_several) {
  client c{stage, options()};
  auto link = welcome("20 06 00 00 03 21 00 01"); // one at a time
  const troupe::publication three[]{{.topic = "t", .payload = "1", .quality = qos::at_least_once},
                                    {.topic = "t", .payload = "2", .quality = qos::at_least_once},
                                    {.topic = "t", .payload = "3", .quality = qos::at_least_once}};
  auto many = c.publish_many(three);
  heard(link);
  many.cancel();
  time.settle();
  EXPECT_TRUE(is_cancelled(many.get()));
  say(link, "40 02 00 01");
  EXPECT_EQ(heard(link), "") << "the others were never sent";
}

TEST_P(cancellations, by_a_pending_are_there_for_every_operation) {
  client c{stage, options()};
  auto up = c.connected();
  auto end = c.ended();
  up.cancel();
  end.cancel();
  time.settle();
  EXPECT_TRUE(is_cancelled(up.get()));
  EXPECT_TRUE(is_cancelled(end.get()));
  auto link = welcome();
  auto interest = c.subscribe("a", qos::at_most_once, [](const troupe::message&) {});
  auto granted = interest.granted();
  heard(link);
  granted.cancel();
  time.settle();
  EXPECT_TRUE(is_cancelled(granted.get()));
  say(link, "90 04 00 01 00 00");
  auto gone = interest.unsubscribe();
  EXPECT_EQ(heard(link), dump("A2 06 00 01 00 00 01 'a'"));
  gone.cancel();
  time.settle();
  EXPECT_TRUE(is_cancelled(gone.get()));
  say(link, "B0 04 00 01 00 00");
  EXPECT_EQ(c.state(), troupe::client_state::connected);
}

TEST_P(cancellations, by_a_pending_change_nothing_that_is_over) {
  troupe::pending<outcome> late;
  late.cancel(); // of nothing
  {
    client c{stage, options()};
    auto link = welcome();
    late = c.publish("t", "1", qos::at_least_once);
    heard(link);
    say(link, "40 02 00 01");
    late.cancel();
    auto over = c.abort();
    time.settle();
  }
  late.cancel(); // the client is gone
  EXPECT_TRUE(late.get().ok());
}

TEST_P(cancellations, follow_a_stop_that_is_requested) {
  client c{stage, options()};
  auto link = welcome();
  auto waits = c.publish("t", "1", qos::at_least_once);
  heard(link);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(is_cancelled(waits.get(stop.get_token())));
  auto good = c.publish("t", "2", qos::at_least_once);
  heard(link);
  say(link, "40 02 00 02");
  EXPECT_TRUE(good.get(stop.get_token()).ok()) << "it was there already";
}

TEST_P(cancellations, from_other_threads_end_a_wait) {
  client c{stage, options()};
  auto link = welcome();
  auto waits = c.publish("t", "1", qos::at_least_once);
  heard(link);
  std::stop_source stop;
  std::jthread other{[&] { stop.request_stop(); }};
  EXPECT_TRUE(is_cancelled(waits.get(stop.get_token())));
}

INSTANTIATE_TEST_SUITE_P(on, cancellations, support::both_schedulers(), support::scheduler_name);

} // namespace
