// load_meter: what happened so far, told by whoever saw it; and the gate that messages pass on their way out.
//
// Lives here: load_meter, load_gate.
// Holds:   sent: handed to the client; acknowledged: its outcome was good (QoS 0: taken by the connection,
//          QoS 1 and 2: the broker's acknowledgement); received: a subscriber's handler was called.
//          Latencies count for messages that were due within the measured span, whenever they arrived.
//          Who sees a receipt in the count sees what its receiver wrote about it.
// Threads: any; counts are atomic.
// Units:   nanoseconds of the monotonic clock.
#pragma once

#include "event_log.hpp"
#include "message_stamp.hpp"
#include "news.hpp"
#include "shared_histogram.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <string>

namespace troupe::bench {

/// Latency from when a message was due, and from when it was really sent.
struct latency_pair {
  shared_histogram corrected{};
  shared_histogram uncorrected{};
};

struct load_meter {
  alignas(64) std::atomic<std::uint64_t> sent{0};
  alignas(64) std::atomic<std::uint64_t> acknowledged{0};
  alignas(64) std::atomic<std::uint64_t> received{0};
  alignas(64) std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> damaged{0};
  std::atomic<std::uint64_t> foreign{0}; // received, but not of this run

  void count_receipt() noexcept {
    if (received.fetch_add(1, std::memory_order_seq_cst) + 1 == awaited.load(std::memory_order_seq_cst))
      told.tell();
  }
  std::atomic<std::uint64_t> awaited{0}; // receipts that a drain waits for; written by it alone
  news told{};                           // connected, subscribed, every outcome there, every receipt there

  latency_pair acknowledgement{};
  latency_pair end_to_end{}; // in a round trip: until the response came
  // An open loop with a window, while nobody has room.
  std::atomic<bool> is_room_wanted{false};
  news room{};

  event_log* events = nullptr; // set before the first message; null: nobody asked for it
  shared_histogram lag{};      // how late the open loop was

  // Clients that leave and come back: from leaving to CONNACK, or to CONNECT's refusal.
  shared_histogram reconnect{};
  std::atomic<std::uint64_t> reconnect_failures{0};
  std::atomic<std::uint64_t> away{0}; // now
  // What was stored: until a subscriber has the first, and all.
  shared_histogram first_stored{};
  shared_histogram all_stored{};
  // Subscribers that take their time.
  shared_histogram slow_end_to_end{};
  std::atomic<std::uint64_t> slow_received{0};

  void measure_from(std::int64_t time) noexcept { from_.store(time, std::memory_order_relaxed); }
  void measure_to(std::int64_t time) noexcept { to_.store(time, std::memory_order_relaxed); }
  bool is_measured(std::int64_t due) const noexcept {
    return due >= from_.load(std::memory_order_relaxed) && due < to_.load(std::memory_order_relaxed);
  }
  void record(latency_pair& into, std::int64_t due, std::int64_t sent_at, std::int64_t now) noexcept {
    if (!is_measured(due)) return;
    into.corrected.record(now - due);
    if (sent_at != due || is_open_) into.uncorrected.record(now - sent_at);
  }
  /// Messages become due by a schedule, so that the two latencies differ.
  void open_loop() noexcept { is_open_ = true; }

  /// Something failed, in words. Rare.
  void note(const std::string& failure) {
    const std::scoped_lock lock{mutex_};
    if (failures_.size() < 100 || failures_.contains(failure)) ++failures_[failure];
  }
  std::map<std::string, std::uint64_t> failures() const {
    const std::scoped_lock lock{mutex_};
    return failures_;
  }

private:
  alignas(64) std::atomic<std::int64_t> from_{std::numeric_limits<std::int64_t>::max()};
  std::atomic<std::int64_t> to_{std::numeric_limits<std::int64_t>::max()};
  bool is_open_ = false; // set before the first message
  mutable std::mutex mutex_{};
  std::map<std::string, std::uint64_t> failures_{}; // under mutex_
};

/// Lets exactly `limit` messages pass (0: any number) until it is closed.
class load_gate {
public:
  explicit load_gate(std::uint64_t limit) noexcept : limit_{limit} {}
  bool pass() noexcept {
    if (is_closed()) return false;
    return limit_ == 0 || passed_.fetch_add(1, std::memory_order_relaxed) < limit_;
  }
  /// In one order with everything else that is sequentially consistent: whoever sees nobody at work
  /// afterwards knows that nobody will pass.
  void close() noexcept { is_closed_.store(true, std::memory_order_seq_cst); }
  bool is_closed() const noexcept { return is_closed_.load(std::memory_order_seq_cst); }

private:
  std::uint64_t limit_;
  alignas(64) std::atomic<std::uint64_t> passed_{0};
  std::atomic<bool> is_closed_{false};
};

} // namespace troupe::bench
