// postbox: where messages wait for somebody who fetches them, instead of being handed to a handler.
//
// Lives here: postbox, between a subscription's handler and whoever pulls: a stream, an actor.
// Holds:   messages in the order of arrival, at most `limit`; a full box does what the subscription's
//          policy says. With overflow::block the handler waits, so it must run on a thread of its own;
//          the connection then stops reading as for any handler that lags behind. Closing lets
//          everybody go; what lay inside may still be fetched. Cancelling ends one wait, and takes nothing
//          out.
// Threads: put: the handler; all else: anybody.
// Costs:   a lock per message put, one per portion taken; no allocation once the box has seen its peak.
#pragma once

#include "client_options.hpp"
#include "message.hpp"

#include "../protocol/result.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace troupe::actors {

class postbox {
public:
  postbox(std::size_t limit, overflow policy) noexcept : limit_{limit == 0 ? 1 : limit}, policy_{policy} {}
  postbox(const postbox&) = delete;
  postbox& operator=(const postbox&) = delete;

  /// Who is told that something lies here, or that the box was closed: once, until take() found it
  /// empty. Called on the thread of whoever puts or closes, outside of the lock.
  void tell(std::function<void()> listener);

  void put(const message& m);
  /// Up to `most` messages, appended to `into`. Answers how many.
  std::size_t take(std::vector<message>& into, std::size_t most);
  std::optional<message> take_one();
  /// The next one, waiting for it until `until`; else errc::closed, errc::cancelled (also when a stop is
  /// requested) or std::errc::timed_out.
  protocol::result<message> wait(std::chrono::steady_clock::time_point until,
                                 const std::stop_token& stop = {});
  /// Ends the wait that is under way; if there is none, the next one.
  void cancel() noexcept;
  /// Whether somebody cancelled since; once.
  bool take_cancel() noexcept;
  void close() noexcept;

  bool is_closed() const;
  std::size_t size() const;
  std::uint64_t dropped() const;

private:
  bool make_room(std::unique_lock<std::mutex>& lock);
  std::optional<message> take_first();

  const std::size_t limit_;
  const overflow policy_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;  // something came, something went, the end
  std::deque<message> messages_;     // under mutex_, as all below
  std::function<void()> listener_{}; // set once, before messages come
  std::uint64_t dropped_ = 0;
  bool is_announced_ = false;
  bool is_closed_ = false;
  bool is_cancelled_ = false; // one wait is to end
};

} // namespace troupe::actors
