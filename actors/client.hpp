// client: the front door.
//
// Lives here: client_options, client, subscription; no CAF type.
// Holds:   wire order is call order. Construction never fails or blocks: bad settings become state
//          faulted and every outcome's error. A publish before the connection is up is queued.
// Threads: every member may be called from any thread, also from handlers.
// Units:   durations are std::chrono; sizes in octets.
// Errors:  in the outcome of each operation; client::make answers bad settings as a result.
// Costs:   publish: one ticket, one copy of topic and payload into a pooled slab, one mailbox push; no
//          allocation, no lock in the steady state.
//
// The public face, to be completed by this room (completion tokens, pending):
//
//   struct client_options;                        // flat aggregate, every member initialised
//   class client {
//     client(stage&, client_options);
//     static protocol::result<client> make(stage&, client_options);
//     template <token> auto publish(topic, payload (text or octets), qos, [publish_options], token);
//     template <token> auto publish_many(std::span<const publication>, token);  // one push, one wake
//     template <token> auto connected(token);       // completes when connected (or faulted)
//     subscription subscribe(filter, qos, handler, [subscribe_options]);  // handler: void(const message&)
//     template <token> auto unsubscribe(filter, token);
//     template <token> auto disconnect(token);
//     client_state state() const;
//   };
//   The signature of every operation is void(outcome); without a token: pending<outcome> with get().
#pragma once

#include "message.hpp"
#include "outcome.hpp"

#include "../runtime/stage.hpp"
