// handler_runner: what happens to a delivery in the end: the user's handler is called.
//
// Lives here: handler_runner, used by subscriber (at home) and own_thread (apart).
// Holds:   messages in order, one at a time, inside the gate. With ack_policy::handled every message is
//          settled after its handler returned: success, or a refusal when it threw.
// Threads: one at a time; several runners may serve one subscription.
// Errors:  what a handler throws ends that message and is counted.
// Costs:   per delivery two atomic steps for the gate; per message the call. With `handled`, one
//          allocation per run that settles something.
#pragma once

#include "client_front.hpp"
#include "messages.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace troupe::actors {

class handler_runner {
public:
  handler_runner(link_ref link, std::shared_ptr<client_front> front, runtime::bell_ref session)
      : link_{std::move(link)}, front_{std::move(front)}, session_{std::move(session)} {}

  void run(const delivery& what);
  /// The same once the subscription has ended: nobody is called, and what waits for its acknowledgement gets
  /// it, as do those behind it.
  void pass_over(const delivery& what);
  /// After a number of runs: tells the session what was settled.
  void flush();
  /// Lets go of the session.
  void end() noexcept { session_ = {}; }
  subscription_link& link() noexcept { return *link_; }

private:
  void run_open(const delivery& what);
  bool settles(const delivery& what) const noexcept;
  void settle(inbound_batch& batch, std::uint32_t index, protocol::reason_code how);
  bool skip_one() noexcept;

  link_ref link_;
  std::shared_ptr<client_front> front_;
  runtime::bell_ref session_;
  settled_tray::list settled_;
};

} // namespace troupe::actors
