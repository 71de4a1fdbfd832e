// Request and response: one reply subscription, found by correlation data, answered once.
#include <troupe/actors/requester.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/household.hpp"

#include <atomic>
#include <future>
#include <set>

namespace {

using namespace std::chrono_literals;
using troupe::client;
using troupe::message;
using troupe::qos;
using troupe::reply;
using troupe::requester;
using troupe::response;
using troupe::protocol::errc;

using requesters = support::household;

TEST_F(requesters, get_the_reply_to_their_request) {
  client server{stage, options("server")};
  auto serving =
      troupe::respond(server, "double", qos::at_least_once, [](const message& m, const response& answer) {
        EXPECT_TRUE(answer.send(std::to_string(2 * std::stoi(std::string{m.text()}))));
      });
  ASSERT_TRUE(serving.granted().get().ok());
  client c{stage, options()};
  requester asks{c};
  ASSERT_TRUE(asks.ready().get().ok());
  for (int number = 0; number != 20; ++number) {
    const reply answer = asks.ask("double", std::to_string(number));
    ASSERT_TRUE(answer.ok()) << answer.error.message();
    EXPECT_EQ(answer.what->text(), std::to_string(2 * number));
  }
  EXPECT_EQ(asks.open(), 0U);
  EXPECT_EQ(broker.statistics().subscriptions, 2U); // one for all replies
}

TEST_F(requesters, tell_replies_apart_that_come_in_any_order) {
  client server{stage, options("server")};
  std::vector<message> held;
  auto serving = troupe::respond(server, "ask", qos::at_least_once, [&](const message& m, const response&) {
    held.push_back(m);
    if (held.size() != 3) return;
    for (auto each = held.rbegin(); each != held.rend(); ++each)
      response{server, *each, qos::at_least_once}.send(each->text());
  });
  ASSERT_TRUE(serving.granted().get().ok());
  client c{stage, options()};
  requester asks{c};
  ASSERT_TRUE(asks.ready().get().ok());
  std::promise<std::string> answers[3];
  for (int number = 0; number != 3; ++number)
    asks.ask("ask", std::to_string(number), [&answers, number](const reply& what) {
      answers[number].set_value(std::string{what.what->text()});
    });
  for (int number = 0; number != 3; ++number)
    EXPECT_EQ(answers[number].get_future().get(), std::to_string(number));
}

TEST_F(requesters, get_a_stream_of_replies_up_to_its_end) {
  client server{stage, options("server")};
  auto serving =
      troupe::respond(server, "count", qos::at_least_once, [](const message& m, const response& answer) {
        for (int number = 0; number != std::stoi(std::string{m.text()}); ++number)
          answer.send(std::to_string(number));
        answer.end();
      });
  ASSERT_TRUE(serving.granted().get().ok());
  client c{stage, options()};
  requester asks{c};
  ASSERT_TRUE(asks.ready().get().ok());
  std::string all;
  std::promise<std::error_code> end;
  asks.ask_many("count", "5", [&](const reply& part) {
    if (part.ok())
      all += part.what->text();
    else
      end.set_value(part.error);
  });
  EXPECT_FALSE(end.get_future().get());
  EXPECT_EQ(all, "01234");
}

TEST_F(requesters, do_not_wait_for_ever) {
  client c{stage, options()};
  requester asks{c};
  ASSERT_TRUE(asks.ready().get().ok());
  const reply none = asks.ask("nobody", "?", {.timeout = 1ms});
  EXPECT_EQ(none.error, std::errc::timed_out);
}

TEST_F(requesters, answer_everybody_when_they_end) {
  client c{stage, options()};
  std::promise<std::error_code> end;
  {
    requester asks{c};
    ASSERT_TRUE(asks.ready().get().ok());
    asks.ask("nobody", "?", [&](const reply& what) { end.set_value(what.error); });
  }
  EXPECT_EQ(end.get_future().get(), errc::closed);
}

TEST_F(requesters, have_a_bound) {
  client c{stage, options()};
  requester asks{c, {.most_open = 1}};
  asks.ask("nobody", "?", [](const reply&) {});
  EXPECT_EQ(asks.ask("nobody", "?").error, errc::backpressure);
}

} // namespace
