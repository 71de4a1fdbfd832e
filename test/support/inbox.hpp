// inbox: a handler that remembers, and a thread that waits for what it was told.
//
// Lives here: letter, inbox.
// Threads: put() on any, the rest on the test's own.
// Errors:  fails the test instead of hanging.
#pragma once

#include <troupe/actors/message.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

namespace troupe::test {

struct letter {
  std::string topic{};
  std::string text{};
  troupe::qos quality{};
  bool is_retained = false;
  bool is_duplicate = false;
};

class inbox {
public:
  void put(const message& m) {
    const std::lock_guard lock{mutex_};
    letters_.push_back(
        {std::string{m.topic()}, std::string{m.text()}, m.quality(), m.retained(), m.duplicate()});
    ++count_;
    changed_.notify_all();
  }
  /// For client::subscribe; the inbox must outlive the subscription.
  auto handler() {
    return [this](const message& m) { put(m); };
  }
  letter next() {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, std::chrono::seconds{60}, [this] { return !letters_.empty(); })) {
      ADD_FAILURE() << "no message for a minute";
      return {};
    }
    letter first = std::move(letters_.front());
    letters_.pop_front();
    return first;
  }
  /// Waits until so many have come in all.
  void await(std::size_t count) {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds{60}, [&] { return count_ >= count; }))
        << count_ << " of " << count << " messages in a minute";
  }
  /// Waits until this text has come and has not been taken.
  void await(const std::string& text) {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds{60},
                                  [&] {
                                    return std::any_of(letters_.rbegin(), letters_.rend(),
                                                       [&](const letter& each) { return each.text == text; });
                                  }))
        << text << " did not come in a minute";
  }
  bool is_empty() const {
    const std::lock_guard lock{mutex_};
    return letters_.empty();
  }

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<letter> letters_; // under mutex_
  std::size_t count_ = 0;      // under mutex_
};

} // namespace troupe::test
