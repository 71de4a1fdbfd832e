// A client whose session outlives its process: what the next process knows, and what leaves before it is kept.
#include <troupe/actors/client.hpp>
#include <troupe/broker/broker.hpp>
#include <troupe/runtime/record_error.hpp>
#include <troupe/runtime/record_store.hpp>

#include "support/actors/scripted_broker.hpp"
#include "support/scratch_folder.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

using support::dump;
using support::scripted_broker;
using support::scripted_link;
using troupe::client;
using troupe::client_options;
using troupe::outcome;
using troupe::qos;
using troupe::protocol::errc;
using troupe::runtime::change_set;
using troupe::runtime::memory_records;
using troupe::runtime::record_errc;
using troupe::test::scratch_file;

client_options resuming(const std::string& broker, const std::string& id) {
  client_options result;
  result.broker = broker;
  result.client_id = id;
  result.clean_start = false;
  result.session_expiry = std::chrono::hours{1};
  result.keep_alive = std::chrono::seconds{0};
  result.backoff_first = std::chrono::milliseconds{1};
  result.backoff_limit = std::chrono::milliseconds{1};
  return result;
}

// -- against a broker that the test plays -----------------------------------------------------

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

// -- a process that ends after its nth step ------------------------------------------------------

/// Keeps so many sets of changes; what comes then is lost, as if the process had ended.
class mortal_records final : public troupe::runtime::record_store {
public:
  mortal_records(std::shared_ptr<memory_records> kept, std::size_t most)
      : kept_{std::move(kept)}, left_{most} {}

  std::error_code for_each(const reader& f) override { return kept_->for_each(f); }
  std::uint64_t submit(change_set& changes, troupe::runtime::bell* told) override {
    {
      const std::scoped_lock lock{mutex_};
      if (left_ == 0) {
        is_over_ = true;
        changes.clear();
        changed_.notify_all();
        return ~std::uint64_t{0};
      }
      --left_;
    }
    return kept_->submit(changes, told);
  }
  std::uint64_t committed() const noexcept override { return kept_->committed(); }
  bool settle() override { return kept_->settle(); }

  /// Something else may have happened.
  void look() {
    const std::scoped_lock lock{mutex_};
    changed_.notify_all();
  }
  /// Waits for the end or for `what`. True: the process has ended.
  template <class F>
  bool wait(F what) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return is_over_ || what(); });
    return is_over_;
  }

private:
  std::shared_ptr<memory_records> kept_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t left_;     // under mutex_
  bool is_over_ = false; // under mutex_
};

struct stepwise_session_store_test : testing::Test {
  client_options options(std::shared_ptr<troupe::runtime::record_store> store) const {
    client_options result = resuming("loopback://steps", "mortal");
    result.session_records = std::move(store);
    return result;
  }
  void note(const troupe::message& m) {
    {
      const std::scoped_lock lock{mutex};
      ++seen[std::string{m.text()}];
      order.emplace_back(m.text());
      changed.notify_all();
    }
    if (alive) alive->look();
  }
  int count(const std::string& text) {
    const std::scoped_lock lock{mutex};
    return seen[text];
  }
  std::size_t distinct() {
    const std::scoped_lock lock{mutex};
    return seen.size();
  }
  void wait_for(const std::string& text) {
    std::unique_lock lock{mutex};
    changed.wait(lock, [&] { return seen.contains(text); });
  }
  void begin() {
    const std::scoped_lock lock{mutex};
    seen.clear();
    order.clear();
    records = std::make_shared<memory_records>();
  }

  static constexpr int messages = 6;
  troupe::stage stage;
  std::shared_ptr<memory_records> records;
  std::shared_ptr<mortal_records> alive;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, int> seen; // under mutex
  std::vector<std::string> order;  // under mutex
};

TEST_F(stepwise_session_store_test, a_publisher_delivers_exactly_once_wherever_it_ends) {
  bool has_ended = true;
  std::size_t steps = 0;
  for (; has_ended && steps < 200; ++steps) {
    SCOPED_TRACE(steps);
    begin();
    troupe::broker broker{stage};
    ASSERT_TRUE(broker.listen("loopback://steps"));
    client listener{stage, {.broker = "loopback://steps", .client_id = "listener"}};
    auto all = listener.subscribe("t", qos::exactly_once, [this](const troupe::message& m) { note(m); });
    ASSERT_TRUE(all.granted().get().ok());
    alive = std::make_shared<mortal_records>(records, steps);
    std::vector<bool> promised(messages + 1);
    int done = 0; // with promised, under mutex
    {
      client c{stage, options(alive)};
      for (int each = 1; each <= messages; ++each)
        c.publish("t", std::to_string(each), qos::exactly_once, [&, each](outcome how) {
          {
            const std::scoped_lock lock{mutex};
            promised[static_cast<std::size_t>(each)] = how.ok();
            done += how.ok() ? 1 : 0;
          }
          alive->look();
        });
      has_ended = alive->wait([&] {
        const std::scoped_lock lock{mutex};
        return done == messages;
      });
      c.abort().get();
    }
    {
      client c{stage, options(records)};
      EXPECT_TRUE(c.publish("t", "end", qos::exactly_once).get().ok());
      wait_for("end");
      c.abort().get();
    }
    const std::scoped_lock lock{mutex};
    for (const auto& [text, times] : seen) EXPECT_EQ(times, 1) << text;
    for (int each = 1; each <= messages; ++each)
      if (promised[static_cast<std::size_t>(each)]) {
        EXPECT_EQ(seen[std::to_string(each)], 1);
      }
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end())); // "end" is behind the digits
    alive.reset();
  }
  EXPECT_FALSE(has_ended);
  EXPECT_GT(steps, 3U);
}

TEST_F(stepwise_session_store_test, a_subscriber_misses_nothing_wherever_it_ends) {
  bool has_ended = true;
  std::size_t steps = 0;
  for (; has_ended && steps < 200; ++steps) {
    SCOPED_TRACE(steps);
    begin();
    troupe::broker broker{stage};
    ASSERT_TRUE(broker.listen("loopback://steps"));
    alive = std::make_shared<mortal_records>(records, steps);
    bool is_granted = false; // under mutex
    bool is_published = false;
    {
      client c{stage, options(alive)};
      auto all = c.subscribe("t", qos::exactly_once, [this](const troupe::message& m) { note(m); });
      all.granted([&](outcome how) {
        {
          const std::scoped_lock lock{mutex};
          is_granted = how.ok();
        }
        alive->look();
      });
      has_ended = alive->wait([&] {
        const std::scoped_lock lock{mutex};
        return is_granted;
      });
      if (!has_ended) {
        is_published = true;
        for (int each = 1; each <= messages; ++each)
          ASSERT_TRUE(broker.publish("t", std::to_string(each), qos::exactly_once));
        has_ended = alive->wait([&] { return distinct() == messages; });
      }
      c.abort().get();
    }
    alive.reset();
    client_options later = options(records);
    later.dial_at_once = false;
    client c{stage, later};
    auto all = c.subscribe("t", qos::exactly_once, [this](const troupe::message& m) { note(m); });
    c.connect().get();
    ASSERT_TRUE(all.granted().get().ok());
    ASSERT_TRUE(broker.publish("t", "end", qos::exactly_once));
    wait_for("end");
    c.abort().get();
    // What a handler has done is not undone with its process: in the step in which it ended, it may be called
    // again.
    const std::scoped_lock lock{mutex};
    for (int each = 1; is_published && each <= messages; ++each) {
      const int times = seen[std::to_string(each)];
      EXPECT_GE(times, 1) << each;
      EXPECT_LE(times, has_ended ? 2 : 1) << each;
    }
  }
  EXPECT_FALSE(has_ended);
  EXPECT_GT(steps, 3U);
}

} // namespace
