// client_front: what the user's threads and the actors of a client share.
//
// Lives here: client_front: state, counters, quota.
// Holds:   lives as long as the client or one of its actors.
// Threads: every member says who writes it; everybody reads.
#pragma once

#include "client_hooks.hpp"
#include "client_options.hpp"
#include "client_state.hpp"
#include "door.hpp"
#include "settled_tray.hpp"
#include "state_watch.hpp"
#include "time_histogram.hpp"

#include "../runtime/counters.hpp"

#include <atomic>
#include <mutex>
#include <system_error>

namespace troupe::actors {

struct client_front {
  explicit client_front(const client_options& options) noexcept
      : bounds{options.pending_items, options.pending_octets},
        hooks{options.hooks},
        last_will{options.will},
        drops_offline_qos_0{options.drop_offline_qos_0} {}

  quota bounds;
  const std::shared_ptr<client_hooks> hooks;
  const std::optional<will> last_will;
  const bool drops_offline_qos_0;
  std::atomic<int> actors{3}; // session, supervisor, dispatcher: until they have stopped
  wait_spot gone;             // for that
  settled_tray settled;
  std::atomic<client_state> state{client_state::connecting}; // the supervisor
  state_board board;                                         // told by the supervisor, after `state`
  std::atomic<bool> wants_end{false}; // set by the user's call, before anything follows from it; cleared
                                      // when the supervisor starts again
  void actor_ended() noexcept {
    actors.fetch_sub(1, std::memory_order_acq_rel);
    gone.wake();
  }
  /// Why the last connection ended, or the last attempt failed.
  std::error_code last_error() const {
    const std::scoped_lock lock{error_mutex_};
    return last_error_;
  }
  broker_capabilities capabilities() const {
    const std::scoped_lock lock{error_mutex_};
    return capabilities_;
  }
  void set_capabilities(const broker_capabilities& now) {
    const std::scoped_lock lock{error_mutex_};
    capabilities_ = now;
  }
  void set_last_error(std::error_code why) {
    const std::scoped_lock lock{error_mutex_};
    last_error_ = why;
  }

  runtime::own_tally connections;        // the session
  runtime::own_tally resumed;            // the session
  runtime::own_tally failed_attempts;    // the supervisor
  runtime::own_tally published;          // the session
  runtime::own_tally publish_failures;   // the session
  runtime::own_tally received;           // the session
  runtime::own_tally unrouted;           // the dispatcher
  runtime::own_tally attempts;           // the supervisor
  runtime::own_tally transitions;        // the supervisor
  runtime::own_tally batches;            // the session
  runtime::own_tally redirects;          // the supervisor
  std::atomic<std::size_t> in_flight{0}; // the session
  std::atomic<std::size_t> queued{0};    // the session
  time_tally connecting;                 // the supervisor
  time_tally publishing;                 // the session
  runtime::tally dropped;                // dispatcher and subscribers
  runtime::tally handler_failures;       // whoever ran it

private:
  mutable std::mutex error_mutex_;     // taken when a connection begins or ends
  broker_capabilities capabilities_{}; // under error_mutex_
  std::error_code last_error_{};       // under error_mutex_
};

} // namespace troupe::actors
