// Handlers that run beside the client's worker: on one thread, or on several; and what they may refuse.
#include <troupe/actors/client.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/clients.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <semaphore>
#include <set>
#include <thread>
#include <vector>

namespace {

using support::clients;
using support::dump;
using troupe::ack_policy;
using troupe::client;
using troupe::message;
using troupe::qos;
using troupe::protocol::reason_code;

class own_threads : public clients {};

TEST_P(own_threads, call_a_handler_with_several_messages_at_the_same_time) {
  client c{stage, options()};
  auto link = welcome(c);
  constexpr int hands = 3;
  std::latch all_inside{hands}; // each waits for the others: one thread alone would never return
  std::mutex mutex;
  std::set<std::thread::id> threads;
  auto mine = c.subscribe(
      "a", qos::at_least_once,
      [&](const message&) {
        all_inside.arrive_and_wait();
        const std::scoped_lock lock{mutex};
        threads.insert(std::this_thread::get_id());
      },
      {.run_on = troupe::run_on::own_thread, .acknowledge = ack_policy::handled, .threads = hands});
  link.grant(1);
  link.write("32 07 00 01 'a' 00 01 00 '1' | 32 07 00 01 'a' 00 02 00 '2' | 32 07 00 01 'a' 00 03 00 '3'");
  EXPECT_EQ(link.read(), dump("40 02 00 01"));
  EXPECT_EQ(link.read(), dump("40 02 00 02"));
  EXPECT_EQ(link.read(), dump("40 02 00 03"));
  EXPECT_EQ(threads.size(), std::size_t{hands});
}

TEST_P(own_threads, acknowledge_in_the_order_of_receipt_whoever_is_done_first) {
  client c{stage, options()};
  auto link = welcome(c);
  std::latch second_is_done{1};
  auto mine =
      c.subscribe("a", qos::at_least_once,
                  [&](const message& m) {
                    if (m.text() == "1")
                      second_is_done.wait();
                    else
                      second_is_done.count_down();
                  },
                  {.run_on = troupe::run_on::own_thread, .acknowledge = ack_policy::handled, .threads = 2});
  link.grant(1);
  link.write("32 07 00 01 'a' 00 07 00 '1' | 32 07 00 01 'a' 00 05 00 '2'");
  EXPECT_EQ(link.read(), dump("40 02 00 07"));
  EXPECT_EQ(link.read(), dump("40 02 00 05"));
}

TEST_P(own_threads, hand_every_message_to_one_of_several_and_end_with_the_client) {
  constexpr int count = 2'000;
  std::atomic<int> sum{0};
  {
    client c{stage, options()};
    auto link = welcome(c);
    auto mine = c.subscribe("a", qos::at_most_once,
                            [&](const message& m) { sum += std::stoi(std::string{m.text()}); },
                            {.run_on = troupe::run_on::own_thread, .threads = 4});
    link.grant(0);
    for (int n = 1; n <= count; ++n) {
      const std::string text = std::to_string(n);
      link.write("30 0" + std::to_string(4 + text.size()) + " 00 01 'a' 00 '" + text + "'");
    }
    while (mine.statistics().delivered != count) std::this_thread::yield();
  }
  EXPECT_EQ(sum, count * (count + 1) / 2);
}

TEST_P(own_threads, stop_while_some_of_them_are_busy) {
  client c{stage, options()};
  auto link = welcome(c);
  std::latch inside{2};
  std::latch may_leave{1};
  {
    auto mine = c.subscribe("a", qos::at_most_once,
                            [&](const message&) {
                              inside.count_down();
                              may_leave.wait();
                            },
                            {.run_on = troupe::run_on::own_thread, .threads = 2});
    link.grant(0);
    link.write("30 05 00 01 'a' 00 '1' | 30 05 00 01 'a' 00 '2' | 30 05 00 01 'a' 00 '3'");
    inside.wait();
    may_leave.count_down(); // the subscription's end waits for both
  }
  EXPECT_EQ(link.confirm_end().substr(0, 2), "A2");
}

// -- negative acknowledgement ------------------------------------------------------------------------

TEST_P(own_threads, acknowledge_what_waits_for_a_handler_when_its_subscription_ends) {
  for (const std::uint16_t hands : {std::uint16_t{1}, std::uint16_t{2}}) {
    client c{stage, options()};
    auto link = welcome(c);
    std::counting_semaphore<> inside{0};
    std::latch may_go{1};
    std::atomic<int> calls{0};
    auto mine = c.subscribe(
        "a", qos::at_least_once,
        [&](const message&) {
          ++calls;
          inside.release();
          may_go.wait();
        },
        {.run_on = troupe::run_on::own_thread, .acknowledge = ack_policy::handled, .threads = hands});
    link.grant(1);
    auto other = c.subscribe("b", qos::at_least_once, [](const message&) {});
    link.grant(1);
    link.write("32 07 00 01 'a' 00 01 00 '1' | 32 07 00 01 'a' 00 02 00 '2'");
    for (int n = 0; n != hands; ++n) inside.acquire();
    link.write("32 07 00 01 'a' 00 03 00 '3' | 32 07 00 01 'a' 00 04 00 '4'");
    link.write("32 07 00 01 'b' 00 05 00 '5'");
    while (other.statistics().delivered != 1) std::this_thread::yield(); // all have been handed out
    auto gone = c.unsubscribe("a");
    EXPECT_EQ(link.read().substr(0, 2), "A2");
    link.write("B0 04 00 01 00 00");
    EXPECT_TRUE(gone.get().ok());
    EXPECT_TRUE(c.publish("t", "x").get().ok()); // the dispatcher has heard of it, too
    EXPECT_EQ(link.read().substr(0, 2), "30");
    may_go.count_down();
    for (const char* each : {"40 02 00 01", "40 02 00 02", "40 02 00 03", "40 02 00 04", "40 02 00 05"})
      EXPECT_EQ(link.read(), dump(each)) << hands;
    EXPECT_LE(calls, 4);
  }
}

TEST_P(own_threads, may_refuse_a_message_with_a_reason) {
  client c{stage, options()};
  auto link = welcome(c);
  auto mine = c.subscribe("a", qos::exactly_once,
                          [](const message& m) {
                            if (m.text() == "1") throw troupe::refusal{reason_code::quota_exceeded};
                            if (m.text() == "2") throw troupe::refusal{reason_code::payload_format_invalid};
                            if (m.text() == "3") throw troupe::refusal{reason_code::server_busy};
                          },
                          {.acknowledge = ack_policy::handled});
  link.grant(2);
  link.write("32 07 00 01 'a' 00 01 00 '1' | 34 07 00 01 'a' 00 02 00 '2'");
  EXPECT_EQ(link.read(), dump("40 03 00 01 97"));
  EXPECT_EQ(link.read(), dump("50 03 00 02 99")) << "and there is no PUBREL for it";
  link.write("32 07 00 01 'a' 00 03 00 '3'");
  EXPECT_EQ(link.read(), dump("40 03 00 03 80")) << "PUBACK cannot say 0x89";
  link.write("34 07 00 01 'a' 00 02 00 '4'");
  EXPECT_EQ(link.read(), dump("50 02 00 02")) << "the id is free again";
  EXPECT_EQ(c.statistics().handler_failures, 3U);
}

TEST_P(own_threads, leave_what_is_refused_unacknowledged_where_no_reason_can_be_said) {
  auto old = options();
  old.version = troupe::version::v3_1_1;
  client c{stage, old};
  auto link = broker.accept();
  link.welcome(false, false);
  ASSERT_TRUE(c.connected().get().ok());
  auto mine = c.subscribe("a", qos::at_least_once,
                          [](const message& m) {
                            if (m.text() == "1") throw troupe::refusal{reason_code::quota_exceeded};
                          },
                          {.acknowledge = ack_policy::handled});
  link.grant(1, false);
  link.write("32 06 00 01 'a' 00 01 '1' | 32 06 00 01 'a' 00 02 '2'");
  EXPECT_EQ(link.read(), dump("40 02 00 02"));
}

INSTANTIATE_TEST_SUITE_P(on, own_threads,
                         testing::Values(troupe::scheduler_kind::own, troupe::scheduler_kind::sharing),
                         [](const auto& which) {
                           return which.param == troupe::scheduler_kind::own ? "own" : "sharing";
                         });

} // namespace
