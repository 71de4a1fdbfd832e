// Messages that are fetched: by threads, by coroutines, within their bound.
#include <troupe/actors/message_stream.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/household.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using troupe::client;
using troupe::message_stream;
using troupe::qos;
using troupe::protocol::errc;

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

TEST_F(message_streams, say_why_there_is_no_message) {
  client c{stage, options()};
  message_stream stream{c, "n", qos::at_least_once};
  ASSERT_TRUE(stream.granted().get().ok());
  stream.cancel(); // the next wait
  EXPECT_EQ(stream.fetch().error(), errc::cancelled);
  c.publish("n", "1", qos::at_least_once);
  EXPECT_EQ(stream.fetch()->text(), "1") << "one wait alone was cancelled";
  stream.close();
  EXPECT_EQ(stream.fetch().error(), errc::closed);
}

TEST_F(message_streams, lose_nothing_when_a_wait_is_cancelled) {
  client c{stage, options()};
  message_stream stream{c, "n", qos::at_least_once};
  ASSERT_TRUE(stream.granted().get().ok());
  ASSERT_TRUE(c.publish("n", "1", qos::at_least_once).get().ok());
  while (stream.waiting() == 0) std::this_thread::yield(); // or the test's time is over
  stream.cancel();
  EXPECT_FALSE(stream.next());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(stream.fetch(stop.get_token()).error(), errc::cancelled);
  EXPECT_EQ(stream.next()->text(), "1");
}

TEST_F(message_streams, end_the_wait_of_a_thread_from_another_one) {
  client c{stage, options()};
  message_stream stream{c, "n", qos::at_least_once};
  ASSERT_TRUE(stream.granted().get().ok());
  std::stop_source stop;
  std::thread first{[&] { EXPECT_EQ(stream.fetch(stop.get_token()).error(), errc::cancelled); }};
  stop.request_stop();
  first.join();
  std::thread second{[&] { EXPECT_EQ(stream.fetch().error(), errc::cancelled); }};
  stream.cancel();
  second.join();
  c.publish("n", "1", qos::at_least_once);
  EXPECT_EQ(stream.next()->text(), "1") << "the stream goes on";
}

using fetched = troupe::protocol::result<troupe::message>;

TEST_F(message_streams, end_the_wait_of_a_handler_by_its_slot_or_for_everybody) {
  client c{stage, options()};
  message_stream stream{c, "n", qos::at_least_once};
  ASSERT_TRUE(stream.granted().get().ok());
  boost::asio::io_context io;
  boost::asio::cancellation_signal signal;
  std::vector<std::string> told;
  const auto note = [&](fetched next) {
    told.push_back(next ? std::string{next->text()} : next.error().message());
  };
  const auto handler = [&] {
    return boost::asio::bind_cancellation_slot(signal.slot(),
                                               boost::asio::bind_executor(io.get_executor(), note));
  };
  stream.fetch(handler());
  signal.emit(boost::asio::cancellation_type::terminal);
  signal.emit(boost::asio::cancellation_type::terminal); // nobody waits
  io.run();
  stream.fetch(handler());
  stream.cancel();
  io.restart();
  io.run();
  stream.cancel(); // nobody waits: the next one
  stream.fetch(handler());
  io.restart();
  io.run();
  const std::string cancelled = make_error_code(errc::cancelled).message();
  EXPECT_EQ(told, (std::vector<std::string>{cancelled, cancelled, cancelled}));
  stream.fetch(handler());
  c.publish("n", "1", qos::at_least_once);
  io.restart();
  io.run();
  EXPECT_EQ(told.back(), "1");
}

TEST_F(message_streams, end_the_wait_of_a_coroutine) {
  client c{stage, options()};
  message_stream stream{c, "n", qos::at_least_once};
  ASSERT_TRUE(stream.granted().get().ok());
  boost::asio::io_context io;
  std::vector<std::error_code> told;
  const auto wait = [&]() -> boost::asio::awaitable<void> {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    told.push_back((co_await stream.fetch(boost::asio::use_awaitable)).error());
  };
  boost::asio::cancellation_signal signal;
  boost::asio::co_spawn(io, wait(),
                        boost::asio::bind_cancellation_slot(signal.slot(), boost::asio::detached));
  while (io.poll_one() != 0) {}
  signal.emit(boost::asio::cancellation_type::terminal);
  io.restart();
  io.run();
  EXPECT_EQ(told, (std::vector<std::error_code>{errc::cancelled}));
}

} // namespace
