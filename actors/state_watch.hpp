// state_watch: who is told when a client's state changes.
//
// Lives here: state_board (the watchers of a client), state_watch (one of them, in the user's hand),
//          state_stream (the same, to be pulled).
// Holds:   every watcher is told every change, in order, beginning with the present state. A watcher is
//          not told any more once its object is gone. A stream that nobody reads drops its oldest.
// Threads: handlers run on the client's home worker (the first call: on the thread that began to watch)
//          and must not block; the objects belong to one thread at a time.
// Errors:  what a handler throws is swallowed: it is a bystander.
// Costs:   nothing per message; a lock per change.
#pragma once

#include "client_state.hpp"
#include "handler_gate.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <vector>

namespace troupe {

struct state_change {
  client_state state = client_state::connecting;
  std::error_code why{}; // of `waiting` and `faulted`; redirect_errc of `connecting` somewhere else
};

using state_handler = std::function<void(const state_change&)>;

namespace actors {

struct state_watcher {
  explicit state_watcher(state_handler what_to_call) : handler{std::move(what_to_call)} {}
  void tell(const state_change& change) noexcept;

  handler_gate gate;
  state_handler handler;
};

class state_board {
public:
  /// Tells everybody.
  void show(const state_change& change) noexcept;
  /// `handler` is told the present state before this returns.
  std::shared_ptr<state_watcher> add(state_handler handler);

private:
  // Recursive: who is told may begin to watch.
  std::recursive_mutex mutex_;
  std::vector<std::weak_ptr<state_watcher>> watchers_; // under mutex_
  state_change now_{};                                 // under mutex_
};

} // namespace actors

class [[nodiscard("watching ends with this object")]] state_watch {
public:
  state_watch() noexcept = default;
  explicit state_watch(std::shared_ptr<actors::state_watcher> who) noexcept : who_{std::move(who)} {}
  state_watch(state_watch &&) noexcept = default;
  state_watch& operator=(state_watch&& other) noexcept;
  ~state_watch() { end(); }

private:
  void end() noexcept;
  std::shared_ptr<actors::state_watcher> who_;
};

class state_stream {
public:
  /// Remembers at most `limit` changes that nobody has read.
  explicit state_stream(std::size_t limit = 64);
  /// For client::watch; the stream may end before its client.
  state_handler handler() const;

  std::optional<state_change> try_next();
  /// None: nothing changed in this time.
  std::optional<state_change> next_for(std::chrono::nanoseconds time);
  /// Reads on until `state` was shown; false: not in this time.
  bool wait_until(client_state state, std::chrono::nanoseconds time);
  std::uint64_t dropped() const;

private:
  struct shelf {
    std::mutex mutex;
    std::condition_variable came;
    std::deque<state_change> changes; // under mutex, as below
    std::size_t limit = 0;
    std::uint64_t dropped = 0;
  };
  std::shared_ptr<shelf> shelf_;
};

} // namespace troupe
