// A client whose process ends after its nth step, for each n in turn: what its session makes good.
#include <troupe/actors/client.hpp>
#include <troupe/broker/broker.hpp>
#include <troupe/runtime/record_store.hpp>

#include "support/actors/resuming.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

using support::resuming;
using troupe::client;
using troupe::client_options;
using troupe::outcome;
using troupe::qos;
using troupe::runtime::change_set;
using troupe::runtime::memory_records;

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
