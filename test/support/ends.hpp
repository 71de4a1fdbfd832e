// ends: what tests of transports share: a sink that remembers, and ways onto a home's thread.
//
// Lives here: at (runs something on a home's thread and waits), recorder, put, pattern.
// Threads: a recorder is called on its home's thread and may be asked on any.
#pragma once

#include <troupe/runtime/home.hpp>
#include <troupe/runtime/house.hpp>
#include <troupe/runtime/stage.hpp>
#include <troupe/runtime/transport.hpp>

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::test {

/// Runs `what` on the thread of `where`; answers what it answers.
template <class Function>
auto at(runtime::home& where, Function&& what) {
  std::packaged_task<std::invoke_result_t<Function&>()> job{std::ref(what)};
  auto done = job.get_future();
  where.post([job = std::move(job)]() mutable { job(); });
  return done.get();
}

/// Waits until `where` has had an idle point: what was written before has been offered to the system.
inline void idle(runtime::home& where) {
  class marker final : public runtime::flushable {
  public:
    void flush() override { passed.set_value(); }
    std::promise<void> passed;
  };
  for (int i = 0; i < 2; ++i) {
    auto mark = std::make_shared<marker>();
    auto passed = mark->passed.get_future();
    where.post([mark, &where] { where.flush_later(*mark); });
    passed.get();
    at(where, [&] { mark.reset(); });
  }
}

/// Fails instead of hanging.
inline constexpr std::chrono::seconds patience{30};

class recorder final : public runtime::transport_sink {
public:
  // Before start, or on the home's thread.
  std::function<void(protocol::slice)> when_read;
  std::function<void()> when_writable;
  std::function<void(std::error_code)> when_closed;
  std::size_t wants = 0; // octets to be read straight into our own memory

  std::span<protocol::octet> wanted() noexcept override {
    if (wants == 0) return {};
    direct_.resize(wants);
    return direct_;
  }
  void on_filled(std::size_t count) override {
    note([&] {
      EXPECT_LE(count, wants);
      received_.append(reinterpret_cast<const char*>(direct_.data()), count);
      wants -= count;
      filled_ += count;
    });
  }
  void on_read(protocol::slice bytes) override {
    EXPECT_EQ(wants, 0U);
    EXPECT_FALSE(bytes.empty());
    // The slack must be readable; AddressSanitizer watches.
    unsigned sum = 0;
    for (std::size_t i = 0; i < protocol::read_slack; ++i) sum += bytes.bytes().data()[bytes.size() + i];
    note([&] {
      slack_ += sum;
      ++reads_;
      received_.append(bytes.text());
    });
    if (when_read) when_read(std::move(bytes));
  }
  void on_writable() override {
    note([&] { ++writables_; });
    if (when_writable) when_writable();
  }
  void on_closed(std::error_code why) override {
    if (when_closed) when_closed(why);
    note([&] { // last: whoever waits for it may let go of this
      ++closes_;
      why_ = why;
    });
  }

  /// Waits until `condition` holds; it is looked at after every call and may use the members below.
  template <class Condition>
  [[nodiscard]] bool wait(Condition condition) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, patience, [&] { return condition(); });
  }
  [[nodiscard]] bool wait_for_octets(std::size_t count) {
    return wait([&] { return received_.size() >= count; });
  }
  [[nodiscard]] bool wait_for_close() {
    return wait([&] { return closes_ != 0; });
  }
  std::string received() {
    const std::lock_guard lock{mutex_};
    return received_;
  }
  std::size_t octets() {
    const std::lock_guard lock{mutex_};
    return received_.size();
  }
  int closes() {
    const std::lock_guard lock{mutex_};
    return closes_;
  }
  int reads() {
    const std::lock_guard lock{mutex_};
    return reads_;
  }
  int writables() {
    const std::lock_guard lock{mutex_};
    return writables_;
  }
  std::size_t filled() {
    const std::lock_guard lock{mutex_};
    return filled_;
  }
  std::error_code why() {
    const std::lock_guard lock{mutex_};
    return why_;
  }

private:
  template <class Change>
  void note(Change change) {
    const std::lock_guard lock{mutex_};
    EXPECT_EQ(closes_, 0) << "a call after the last one";
    change();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<protocol::octet> direct_;
  std::string received_;
  std::size_t filled_ = 0;
  unsigned slack_ = 0;
  int reads_ = 0;
  int writables_ = 0;
  int closes_ = 0;
  std::error_code why_;
};

/// Appends `text`, as an encoder would.
inline void put(runtime::transport& to, std::string_view text) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, 1000);
    protocol::octet* const at = to.out().reserve(part.size());
    std::memcpy(at, part.data(), part.size());
    to.out().commit(at + part.size());
    text.remove_prefix(part.size());
  }
  to.flush_later();
}

/// Text that is different everywhere.
inline std::string pattern(std::size_t size, unsigned seed = 1) {
  std::string text(size, '\0');
  std::uint32_t state = seed * 2654435761U + 1;
  for (char& each : text) {
    state = state * 1664525U + 1013904223U;
    each = static_cast<char>(state >> 24U);
  }
  return text;
}

} // namespace troupe::test
