// Whose a message is, and what happens when nobody takes it.
#include <troupe/actors/client.hpp>

#include "support/actors/scripted_broker.hpp"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using support::dump;
using support::scripted_broker;
using support::scripted_link;
using troupe::ack_policy;
using troupe::client;
using troupe::client_options;
using troupe::message;
using troupe::qos;
using namespace std::chrono_literals;

class dispatchers : public testing::TestWithParam<troupe::scheduler_kind> {
protected:
  client_options options() const {
    client_options result;
    result.broker = broker.url();
    result.client_id = "c";
    result.keep_alive = 0s;
    return result;
  }
  scripted_link welcome(client& c) {
    auto link = broker.accept();
    link.welcome();
    EXPECT_TRUE(c.connected().get().ok());
    return link;
  }
  /// Everything sent before has been handled: the mark comes back.
  static void flush(client& c, scripted_link& link) {
    std::promise<void> seen;
    auto mark = c.subscribe("mark", qos::at_most_once, [&](const message&) { seen.set_value(); });
    link.grant(0);
    link.write("30 08 00 04 'mark' 00 'x'");
    seen.get_future().get();
  }

  scripted_broker broker;
  troupe::stage stage{{.scheduler = GetParam()}};
};

TEST_P(dispatchers, give_a_message_to_every_subscription_it_matches) {
  client c{stage, options()};
  auto link = welcome(c);
  std::mutex mutex;
  std::map<std::string, std::vector<std::string>> seen;
  const auto note = [&](const std::string& who) {
    return [&seen, &mutex, who](const message& m) {
      const std::scoped_lock lock{mutex};
      seen[who].emplace_back(m.text());
    };
  };
  std::vector<troupe::subscription> all;
  for (const char* filter : {"a/b", "a/+", "#", "x", "$share/g/a/b"}) {
    all.push_back(c.subscribe(filter, qos::at_most_once, note(filter)));
    link.grant(0);
  }
  link.write("30 07 00 03 'a/b' 00 '1' | 30 07 00 03 'a/c' 00 '2' | 30 07 00 03 'a/b' 00 '3' | 30 05 00 01 "
             "'y' 00 '4'"
             "| 30 08 00 04 '$SYS' 00 '5'");
  flush(c, link);
  while (all[2].statistics().delivered < 4) std::this_thread::yield();
  while (all[4].statistics().delivered < 2) std::this_thread::yield();
  const std::scoped_lock lock{mutex};
  using texts = std::vector<std::string>;
  EXPECT_EQ(seen["a/b"], (texts{"1", "3"}));
  EXPECT_EQ(seen["a/+"], (texts{"1", "2", "3"}));
  EXPECT_EQ(seen["$share/g/a/b"], (texts{"1", "3"}));
  EXPECT_EQ(seen.count("x"), 0U);
  const texts everything(seen["#"].begin(), seen["#"].begin() + 4);
  EXPECT_EQ(everything, (texts{"1", "2", "3", "4"}));
  EXPECT_EQ(c.statistics().unrouted, 1U) << "$SYS is for nobody here";
}

TEST_P(dispatchers, acknowledge_at_once_what_nobody_wants_to_decide_about) {
  client c{stage, options()};
  auto link = welcome(c);
  auto mine =
      c.subscribe("a", qos::at_least_once, [](const message&) {}, {.acknowledge = ack_policy::handled});
  link.grant(1);
  link.write("32 07 00 01 'b' 00 07 00 'x'");
  EXPECT_EQ(link.read(), dump("40 02 00 07"));
}

TEST_P(dispatchers, acknowledge_when_the_last_of_several_handlers_is_done) {
  client c{stage, options()};
  auto link = welcome(c);
  std::latch may_return{1};
  auto slow = c.subscribe("a", qos::at_least_once, [&](const message&) { may_return.wait(); },
                          {.run_on = troupe::run_on::own_thread, .acknowledge = ack_policy::handled});
  link.grant(1);
  std::promise<void> seen;
  auto quick = c.subscribe("#", qos::at_least_once, [&](const message&) { seen.set_value(); },
                           {.acknowledge = ack_policy::handled});
  link.grant(1);
  link.write("32 07 00 01 'a' 00 07 00 'x'");
  seen.get_future().get();
  EXPECT_TRUE(c.publish("t", "x").get().ok());
  EXPECT_EQ(link.read().substr(0, 2), "30") << "one of the two still runs";
  may_return.count_down();
  EXPECT_EQ(link.read(), dump("40 02 00 07"));
}

TEST_P(dispatchers, drop_the_newest_or_the_oldest_as_told_and_count_it) {
  for (const bool keeps_oldest : {true, false}) {
    client c{stage, options()};
    auto link = welcome(c);
    std::latch inside{1};
    std::latch may_return{1};
    std::vector<std::string> seen;
    auto mine = c.subscribe(
        "a", qos::at_most_once,
        [&](const message& m) {
          if (seen.empty()) {
            inside.count_down();
            may_return.wait();
          }
          seen.emplace_back(m.text());
        },
        {.run_on = troupe::run_on::own_thread,
         .when_full = keeps_oldest ? troupe::overflow::drop_newest : troupe::overflow::drop_oldest,
         .queue_items = 3});
    link.grant(0);
    link.write("30 05 00 01 'a' 00 '0'");
    inside.wait();
    for (int number = 1; number != 9; ++number) {
      link.write("30 05 00 01 'a' 00 '" + std::to_string(number) + "'");
    }
    flush(c, link);
    may_return.count_down();
    const auto expected =
        keeps_oldest ? std::vector<std::string>{"0", "1", "2"} : std::vector<std::string>{"0", "7", "8"};
    while (mine.statistics().delivered != expected.size()) std::this_thread::yield();
    EXPECT_EQ(mine.statistics().dropped, 9 - expected.size());
    mine = {}; // the handler has returned, and what it wrote may be read
    EXPECT_EQ(seen, expected);
  }
}

TEST_P(dispatchers, never_call_a_handler_after_its_subscription_has_gone) {
  client c{stage, options()};
  auto link = welcome(c);
  for (int turn = 0; turn != 50; ++turn) {
    auto alive = std::make_shared<int>(0);
    {
      auto mine = c.subscribe("a", qos::at_most_once, [watch = std::weak_ptr<int>{alive}](const message&) {
        EXPECT_FALSE(watch.expired());
      });
      link.grant(0);
      for (int count = 0; count != 20; ++count) link.write("30 05 00 01 'a' 00 'x'");
    }
    alive.reset();
    link.confirm_end();
  }
}

INSTANTIATE_TEST_SUITE_P(on, dispatchers,
                         testing::Values(troupe::scheduler_kind::own, troupe::scheduler_kind::stealing),
                         [](const auto& each) {
                           return each.param == troupe::scheduler_kind::own ? "own" : "stealing";
                         });

} // namespace
