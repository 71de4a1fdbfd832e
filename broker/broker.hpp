// broker: start, listen, connect in process, stop.
//
// Lives here: broker_options, broker.
// Holds:   stop() ends within a bounded time, every client having been sent DISCONNECT 0x8B (5.0);
//          the ports are free afterwards.
// Threads: every member may be called from any outside thread.
// Errors:  listen() answers the operating system's error.
//
// The public face, to be completed by this room:
//
//   struct broker_options;                         // flat aggregate: limits of the CONNACK, ...
//   class broker {
//   public:
//     broker(stage&, broker_options = {});
//     ~broker();                                   // stops
//     // "mqtt://127.0.0.1:0", "loopback://name"; answers the endpoint really bound (port filled in)
//     protocol::result<std::string> listen(std::string_view endpoint);
//     void stop();
//     broker_statistics statistics() const;        // connections, sessions, subscriptions, messages, drops
//   };
#pragma once

#include "../protocol/result.hpp"
#include "../runtime/stage.hpp"
