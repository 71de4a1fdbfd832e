// client_actor: a client as a CAF actor among others.
//
// Lives here: spawn_client, client_handle (its typed face).
// Holds:   every request is answered once, also when the client ends. Messages reach a receiver in
//          portions of client_mail, never more than it gave credit for; a receiver that dies ends its
//          subscriptions. Loss of the connection is no death of the actor but a `state_changed`.
//          caf::exit_reason::user_shutdown and its kind end the connection in order, within
//          disconnect_timeout, then the actor, with that reason; kill closes it at once, so that the
//          broker says the will. Handlers of one receiver never delay another.
// Threads: the actor lives on its stage like the client itself; no thread is added but for subscriptions
//          that stop the connection when there is no credit.
// Errors:  as client_mail says; spawning never fails or blocks: bad settings make a client that is
//          faulted and says so in every answer.
// Costs:   a request is a CAF message and its answer another: for rates beyond some 100,000 a second use
//          the client itself. Delivery: a lock a message and a CAF message a portion.
//
// The stage may own the actor system or borrow the user's: `troupe::stage stage{system};`, at full speed
// when runtime::configure(config) was called before. It is destroyed before the system is.
#pragma once

#include "client_mail.hpp"
#include "client_options.hpp"

#include "../runtime/stage.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/spawn_options.hpp>
#include <caf/typed_actor.hpp>

namespace troupe {

using client_handle =
    caf::typed_actor<caf::replies_to<mail::publish>::with<mail::ended>,
                     caf::replies_to<mail::subscribe>::with<mail::subscribed>,
                     caf::replies_to<mail::unsubscribe>::with<mail::ended>, caf::reacts_to<mail::credit>,
                     caf::replies_to<mail::wait_connected>::with<mail::ended>,
                     caf::replies_to<mail::connect>::with<mail::ended>,
                     caf::replies_to<mail::disconnect>::with<mail::ended>, caf::reacts_to<mail::watch>>;

client_handle spawn_client(stage& where, client_options options);

/// From an actor: caf::linked and caf::monitored mean what they mean for spawn().
template <caf::spawn_options Options = caf::no_spawn_options>
client_handle spawn_client(caf::local_actor& parent, stage& where, client_options options) {
  client_handle fresh = spawn_client(where, std::move(options));
  if constexpr (caf::has_link_flag(Options))
    static_cast<caf::monitorable_actor&>(parent).link_to(fresh.address());
  if constexpr (caf::has_monitor_flag(Options)) parent.monitor(fresh);
  return fresh;
}

} // namespace troupe
