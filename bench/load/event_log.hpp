// event_log: every receipt of a load as a line of its own, for those who ask for it.
//
// Lives here: event_log.
// Holds:   the first `limit` receipts, in memory until they are written; later ones are counted only.
// Threads: add() any; the rest when nothing comes any more.
// Units:   nanoseconds of the monotonic clock.
// Costs:   a lock and 40 octets a receipt: it disturbs what it looks at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <ostream>
#include <vector>

namespace troupe::bench {

struct load_event {
  std::uint32_t publisher = 0;
  std::uint64_t number = 0;
  std::int64_t due = 0;
  std::int64_t sent = 0;
  std::int64_t received = 0;
};

class event_log {
public:
  static constexpr std::size_t limit = 5'000'000;

  void add(const load_event& event) noexcept {
    const std::scoped_lock lock{mutex_};
    if (events_.size() < limit)
      events_.push_back(event);
    else
      ++left_out_;
  }
  std::uint64_t left_out() const noexcept { return left_out_; }
  /// CSV: publisher,number,due_ns,sent_ns,received_ns; times since the first one was due.
  void write(std::ostream& out) const {
    const std::int64_t start = events_.empty() ? 0 : events_.front().due;
    out << "publisher,number,due_ns,sent_ns,received_ns\n";
    for (const load_event& each : events_)
      out << each.publisher << ',' << each.number << ',' << each.due - start << ',' << each.sent - start
          << ',' << each.received - start << '\n';
  }

private:
  std::mutex mutex_;
  std::vector<load_event> events_;
  std::uint64_t left_out_ = 0;
};

} // namespace troupe::bench
