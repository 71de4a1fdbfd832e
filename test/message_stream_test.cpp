// Messages that are fetched: by threads, by coroutines, within their bound.
#include <troupe/actors/message_stream.hpp>

#include "support/actors/household.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <thread>

namespace {

using namespace std::chrono_literals;
using troupe::client;
using troupe::message_stream;
using troupe::qos;

using message_streams = support::household;

TEST_F(message_streams, give_messages_in_order_to_whoever_asks) {
  client c{stage, options()};
  message_stream stream{c, "n/#", qos::at_least_once};
  ASSERT_TRUE(stream.granted().get().ok());
  EXPECT_FALSE(stream.try_next());
  for (int number = 0; number != 100; ++number)
    c.publish("n/" + std::to_string(number), std::to_string(number), qos::at_least_once);
  for (int number = 0; number != 100; ++number) {
    const auto next = stream.next();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->text(), std::to_string(number));
  }
}

TEST_F(message_streams, end_for_those_who_wait) {
  client c{stage, options()};
  message_stream stream{c, "n", qos::at_most_once};
  ASSERT_TRUE(stream.granted().get().ok());
  std::thread waits{[&] { EXPECT_FALSE(stream.next()); }};
  stream.close();
  waits.join();
  EXPECT_FALSE(stream.next());
}

TEST_F(message_streams, hold_the_connection_back_and_lose_nothing) {
  client c{stage, options()};
  message_stream stream{c, "n", qos::exactly_once, {.queue_items = 4}};
  ASSERT_TRUE(stream.granted().get().ok());
  for (int number = 0; number != 50; ++number)
    EXPECT_TRUE(c.publish("n", std::to_string(number), qos::exactly_once).get().ok());
  for (int number = 0; number != 50; ++number) EXPECT_EQ(stream.next()->text(), std::to_string(number));
  EXPECT_EQ(stream.dropped(), 0U);
}

TEST_F(message_streams, drop_the_oldest_if_told_so) {
  client c{stage, options()};
  message_stream stream{
      c, "n", qos::at_least_once, {.when_full = troupe::overflow::drop_oldest, .queue_items = 3}};
  message_stream last{c, "last", qos::at_least_once};
  ASSERT_TRUE(stream.granted().get().ok());
  ASSERT_TRUE(last.granted().get().ok());
  for (int number = 0; number != 10; ++number) c.publish("n", std::to_string(number), qos::at_least_once);
  c.publish("last", "", qos::at_least_once);
  ASSERT_TRUE(last.next());
  while (stream.dropped() + stream.waiting() != 10) std::this_thread::yield(); // or the test's time is over
  EXPECT_EQ(stream.dropped(), 7U);
  EXPECT_EQ(stream.waiting(), 3U);
  EXPECT_EQ(stream.next()->text(), "7");
}

boost::asio::awaitable<void> read_all(message_stream& stream, int& sum) {
  while (auto next = co_await stream.next(boost::asio::use_awaitable)) {
    sum += std::stoi(std::string{next->text()});
    if (sum == 55) stream.close();
  }
}

TEST_F(message_streams, are_read_by_coroutines) {
  client c{stage, options()};
  message_stream stream{c, "n", qos::at_least_once};
  ASSERT_TRUE(stream.granted().get().ok());
  boost::asio::io_context io;
  int sum = 0;
  boost::asio::co_spawn(io, read_all(stream, sum), boost::asio::detached);
  for (int number = 1; number != 11; ++number) c.publish("n", std::to_string(number), qos::at_least_once);
  io.run();
  EXPECT_EQ(sum, 55);
}

} // namespace
