// bridge_transport: a transport for an actor that does not run on the thread of its sockets.
//
// Lives here: bridge().
// Holds:   what transport says, with the actor's runs in place of the home's thread. What the actor
//          writes in one run goes to the socket together, in the next one. At most
//          `transport_options::high_mark` octets wait for the actor; then the socket is no longer read.
// Threads: bridge() on the home's thread; the result belongs to the actor's runs.
// Costs:   two hand-overs between threads for each burst; what is read is always handed over as it came
//          (wanted() is not asked). Where actor and sockets share a thread: nothing.
#pragma once

#include "desk.hpp"
#include "transport.hpp"
#include "transport_options.hpp"

#include <memory>

namespace troupe::runtime {

/// `real` itself, when the actor of the line is at home. May be handed to the actor by any way; when it
/// gets lost on it, `real` is aborted on its own thread.
transport_ptr bridge(const std::shared_ptr<desk_line>& line, transport_ptr real,
                     const transport_options& options = {});

} // namespace troupe::runtime
