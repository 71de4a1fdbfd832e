// A client whose session outlives its process: what the next one knows, and what leaves before it is kept.
#include <troupe/actors/client.hpp>
#include <troupe/runtime/record_error.hpp>
#include <troupe/runtime/record_store.hpp>

#include "support/actors/resuming.hpp"
#include "support/actors/scripted_broker.hpp"
#include "support/scratch_folder.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using support::dump;
using support::resuming;
using support::scripted_broker;
using support::scripted_link;
using troupe::client;
using troupe::client_options;
using troupe::outcome;
using troupe::qos;
using troupe::protocol::errc;
using troupe::runtime::memory_records;
using troupe::runtime::record_errc;
using troupe::test::scratch_file;

/// The broker is played by the test.
struct session_store_test : testing::Test {
  client_options options() const {
    client_options result = resuming(broker.url(), "c");
    result.session_records = records;
    return result;
  }
  /// Ends a life as a killed process would: without a word.
  static void kill(client&& c) {
    c.abort().get();
    const client gone = std::move(c);
  }

  scripted_broker broker;
  troupe::stage stage;
  std::shared_ptr<memory_records> records = std::make_shared<memory_records>();
};

TEST_F(session_store_test, sends_again_with_the_same_id_in_the_next_process) {
  {
    client c{stage, options()};
    auto link = broker.accept();
    link.welcome();
    auto first = c.publish("t", "1", qos::at_least_once);
    auto second = c.publish("t", "2", qos::exactly_once);
    EXPECT_EQ(link.read(), dump("32 07 00 01 't' 00 01 00 '1'"));
    EXPECT_EQ(link.read(), dump("34 07 00 01 't' 00 02 00 '2'"));
    kill(std::move(c));
    EXPECT_EQ(first.get().error(), errc::closed);
  }
  client c{stage, options()};
  auto link = broker.accept();
  link.welcome(true);
  EXPECT_EQ(link.read(), dump("3A 07 00 01 't' 00 01 00 '1'"));
  EXPECT_EQ(link.read(), dump("3C 07 00 01 't' 00 02 00 '2'"));
  link.write("40 02 00 01  50 02 00 02");
  EXPECT_EQ(link.read(), dump("62 02 00 02"));
  link.write("70 02 00 02");
  EXPECT_TRUE(c.connected().get().ok());
  auto third = c.publish("t", "3", qos::at_least_once);
  EXPECT_EQ(link.read(), dump("32 07 00 01 't' 00 01 00 '3'")); // the ids are free again
  link.write("40 02 00 01");
  EXPECT_TRUE(third.get().ok());
}

TEST_F(session_store_test, goes_on_with_pubrel_alone_in_the_next_process) { // H04
  {
    client c{stage, options()};
    auto link = broker.accept();
    link.welcome();
    auto done = c.publish("t", "1", qos::exactly_once);
    link.read();
    link.write("50 02 00 01");
    EXPECT_EQ(link.read(), dump("62 02 00 01"));
    kill(std::move(c));
  }
  client c{stage, options()};
  auto link = broker.accept();
  link.welcome(true);
  EXPECT_EQ(link.read(), dump("62 02 00 01"));
  link.write("70 02 00 01");
}

TEST_F(session_store_test, keeps_what_was_never_sent) {
  {
    client_options offline = options();
    offline.dial_at_once = false;
    client c{stage, offline};
    auto first = c.publish("t", "1", qos::exactly_once);
    auto lost = c.publish("t", "0");
    auto second = c.publish("t", "2", qos::at_least_once);
    c.connected(); // behind them
    kill(std::move(c));
  }
  client c{stage, options()};
  auto link = broker.accept();
  link.welcome();
  EXPECT_EQ(link.read(), dump("34 07 00 01 't' 00 01 00 '1'"));
  EXPECT_EQ(link.read(), dump("32 07 00 01 't' 00 02 00 '2'"));
}

TEST_F(session_store_test, knows_a_repeated_message_in_the_next_process) { // H05
  const std::string message = "34 07 00 01 't' 00 09 00 'm'";
  std::vector<std::string> seen;
  std::mutex mutex;
  const auto note = [&](const troupe::message& m) {
    const std::scoped_lock lock{mutex};
    seen.emplace_back(m.text());
  };
  {
    client c{stage, options()};
    auto subscription = c.subscribe("t", qos::exactly_once, note);
    auto link = broker.accept();
    link.welcome();
    link.grant(2);
    link.write(message);
    EXPECT_EQ(link.read(), dump("50 02 00 09"));
    kill(std::move(c));
  }
  client_options later = options();
  later.dial_at_once = false;
  client c{stage, later};
  auto subscription = c.subscribe("t", qos::exactly_once, note);
  c.connect();
  auto link = broker.accept();
  link.welcome(true);
  link.grant(2);
  link.write("3C 07 00 01 't' 00 09 00 'm'");
  EXPECT_EQ(link.read(), dump("50 02 00 09"));
  link.write("62 02 00 09");
  EXPECT_EQ(link.read(), dump("70 02 00 09"));
  link.write("34 07 00 01 't' 00 09 00 'n'"); // another message
  EXPECT_EQ(link.read(), dump("50 02 00 09"));
  kill(std::move(c));
  EXPECT_EQ(seen, (std::vector<std::string>{"m", "n"}));
}

TEST_F(session_store_test, says_nothing_before_it_is_kept) {
  client c{stage, options()};
  auto link = broker.accept();
  link.welcome();
  EXPECT_TRUE(c.connected().get().ok());
  records->hold();
  auto done = c.publish("t", "1", qos::exactly_once);
  auto bare = c.publish("t", "0"); // behind it, as it was asked for
  while (records->waiting() == 0) std::this_thread::yield();
  records->commit();
  EXPECT_EQ(link.read(), dump("34 07 00 01 't' 00 01 00 '1'"));
  link.write("50 02 00 01");
  while (records->waiting() == 0) std::this_thread::yield();
  records->hold(false);
  EXPECT_EQ(link.read(), dump("30 05 00 01 't' 00 '0'"));
  records->commit();
  EXPECT_EQ(link.read(), dump("62 02 00 01"));
  link.write("70 02 00 01");
  EXPECT_TRUE(done.get().ok());
}

TEST_F(session_store_test, asks_again_for_what_was_granted_to_an_earlier_process) { // H16
  {
    client c{stage, options()};
    auto one = c.subscribe("a/+", qos::exactly_once, [](const troupe::message&) {});
    auto link = broker.accept();
    link.welcome();
    link.grant(2);
    EXPECT_TRUE(one.granted().get().ok());
    kill(std::move(c));
  }
  {
    client c{stage, options()};
    auto link = broker.accept();
    link.welcome(true); // the broker has it still
    EXPECT_TRUE(c.connected().get().ok());
    kill(std::move(c));
  }
  client c{stage, options()};
  auto link = broker.accept();
  link.welcome(false);
  EXPECT_EQ(link.grant(2).substr(0, 2), "82");
  EXPECT_TRUE(c.connected().get().ok());
}

TEST_F(session_store_test, keeps_the_id_that_the_broker_gave) {
  client_options nameless = options();
  nameless.client_id.clear();
  {
    client c{stage, nameless};
    auto link = broker.accept();
    link.read();
    link.write("20 0A 00 00 07 12 00 04 'name'");
    EXPECT_TRUE(c.connected().get().ok());
    kill(std::move(c));
  }
  client c{stage, nameless};
  auto link = broker.accept();
  EXPECT_NE(link.welcome(true).find(dump("00 04 'name'")), std::string::npos);
}

TEST_F(session_store_test, refuses_a_file_of_another_client) {
  const scratch_file file{"session.db"};
  client_options mine = options();
  mine.session_records = nullptr;
  mine.session_file = file;
  client_options theirs = mine;
  theirs.client_id = "d";
  {
    auto first = client::make(stage, mine);
    ASSERT_TRUE(first);
    auto link = broker.accept();
    link.welcome();
    EXPECT_TRUE(first->connected().get().ok());
    const auto second = client::make(stage, mine);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(), record_errc::locked);
    kill(std::move(*first));
  }
  const auto other = client::make(stage, theirs);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(), record_errc::other_owner);
  client faulted{stage, theirs};
  EXPECT_EQ(faulted.publish("t", "x", qos::at_least_once).get().error(), record_errc::other_owner);
  EXPECT_TRUE(client::make(stage, mine));
}

TEST_F(session_store_test, keeps_the_id_of_a_cancelled_message_until_the_broker_has_let_it_go) {
  const auto publish_and_cancel = [](client& c, scripted_link& link) {
    boost::asio::cancellation_signal leave;
    std::promise<outcome> told;
    c.publish(
        "t", "1", qos::exactly_once,
        boost::asio::bind_cancellation_slot(leave.slot(), [&](const outcome& how) { told.set_value(how); }));
    EXPECT_EQ(link.read(), dump("34 07 00 01 't' 00 01 00 '1'"));
    leave.emit(boost::asio::cancellation_type::terminal);
    EXPECT_EQ(told.get_future().get().error(), errc::cancelled);
  };
  {
    client c{stage, options()};
    auto link = broker.accept();
    link.welcome();
    publish_and_cancel(c, link);
    kill(std::move(c));
  }
  {
    client c{stage, options()};
    auto link = broker.accept();
    link.welcome(true);
    EXPECT_EQ(link.read(), dump("62 02 00 01"));
    auto other = c.publish("t", "2", qos::exactly_once);
    EXPECT_EQ(link.read(), dump("34 07 00 01 't' 00 02 00 '2'"));
    link.write("70 02 00 01  50 02 00 02");
    EXPECT_EQ(link.read(), dump("62 02 00 02"));
    link.write("70 02 00 02");
    EXPECT_TRUE(other.get().ok());
    publish_and_cancel(c, link);
    link.write("50 02 00 01");
    EXPECT_EQ(link.read(), dump("62 02 00 01"));
    link.write("70 02 00 01");
    auto next = c.publish("t", "3", qos::exactly_once);
    auto id_1 = link.read();
    if (id_1 == dump("34 07 00 01 't' 00 02 00 '3'")) { // it was faster than PUBCOMP
      link.write("50 02 00 02");
      EXPECT_EQ(link.read(), dump("62 02 00 02"));
      link.write("70 02 00 02");
      EXPECT_TRUE(next.get().ok());
      c.publish("t", "3", qos::exactly_once);
      id_1 = link.read();
    }
    EXPECT_EQ(id_1, dump("34 07 00 01 't' 00 01 00 '3'"));
    kill(std::move(c));
  }
  client c{stage, options()};
  auto link = broker.accept();
  link.welcome(true);
  EXPECT_EQ(link.read(),
            dump("3C 07 00 01 't' 00 01 00 '3'")); // the id is this one's, and nothing else is said
}

TEST_F(session_store_test, keeps_the_id_of_a_message_that_was_given_up_by_an_end) {
  {
    client_options hasty = options();
    hasty.disconnect_timeout = std::chrono::milliseconds{2};
    client c{stage, hasty};
    auto link = broker.accept();
    link.welcome();
    auto lost = c.publish("t", "1", qos::exactly_once);
    EXPECT_EQ(link.read(), dump("34 07 00 01 't' 00 01 00 '1'"));
    c.abort().get();
    EXPECT_EQ(lost.get().error(), errc::closed);
    c.connect();
    auto again = broker.accept();
    again.welcome(true);
    EXPECT_EQ(again.read(), dump("62 02 00 01"));
    kill(std::move(c));
  }
  client c{stage, options()};
  auto link = broker.accept();
  link.welcome(true);
  EXPECT_EQ(link.read(), dump("62 02 00 01"));
}

TEST_F(session_store_test, says_in_another_version_what_was_written_in_the_one_before) {
  client_options old = options();
  old.dial_at_once = false;
  old.version = troupe::version::v3_1_1;
  client_options idle = options();
  idle.dial_at_once = false;
  {
    client c{stage, old};
    auto left = c.publish("t", "1", qos::at_least_once);
    c.connected(); // behind it
    kill(std::move(c));
  }
  kill(client{stage, idle}); // reads it, and leaves it to the next
  client c{stage, options()};
  auto link = broker.accept();
  link.welcome();
  EXPECT_EQ(link.read(), dump("32 07 00 01 't' 00 01 00 '1'"));
}

TEST_F(session_store_test, ends_in_order_or_in_time_when_the_disk_does_not_answer) {
  client_options hasty = options();
  hasty.disconnect_timeout = std::chrono::milliseconds{10};
  client c{stage, hasty};
  auto link = broker.accept();
  link.welcome();
  EXPECT_TRUE(c.connected().get().ok());
  records->hold();
  auto kept_back = c.publish("t", "1", qos::at_least_once);
  EXPECT_TRUE(c.disconnect().get().ok());
  EXPECT_EQ(kept_back.get().error(), errc::closed);
}

} // namespace
