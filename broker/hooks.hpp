// hooks: what a program that has a broker in it may see and decide.
//
// Lives here: hooks: connect, subscribe, publish, deliver, and the end of a connection.
// Holds:   a hook is asked after access and authenticator said yes. What it says of a packet holds for that
//          packet alone: nothing is remembered.
// Threads: called on every shard's worker at the same time; an implementation guards its own state. It
//          must not block; what the views show is there during the call only.
// Errors:  a refusal is a reason code of 0x80 or more.
// Costs:   one virtual call per packet and receiver. With hooks no packet passes through as the octets
//          that came; without them nothing is paid.
#pragma once

#include "access.hpp"

#include "../protocol/publish.hpp"
#include "../protocol/reason_code.hpp"
#include "../protocol/subscribe.hpp"

#include <string_view>

namespace troupe {

class hooks {
public:
  virtual ~hooks() = default;

  /// May come in, as access and authenticator say.
  virtual protocol::reason_code on_connect(const identity&) { return protocol::reason_code::success; }
  /// CONNACK is on its way.
  virtual void on_connected(const identity&, bool /*session_present*/) {}
  /// The connection of somebody who was connected is over.
  virtual void on_disconnected(const identity&) {}
  /// One filter of a SUBSCRIBE.
  virtual protocol::reason_code on_subscribe(const identity&, const protocol::subscription&) {
    return protocol::reason_code::success;
  }
  /// A PUBLISH of a client; its topic alias is resolved. success: it goes its way. 0x80 or more: it is
  /// refused (5.0 clients at QoS 1 and 2 are told). no_matching_subscribers: it is acknowledged and given
  /// to nobody: to change a message, take it this way and publish another.
  virtual protocol::reason_code on_publish(const identity&, const protocol::publish&) {
    return protocol::reason_code::success;
  }
  /// A message for one client; false: it does not get it (counted).
  virtual bool on_deliver(std::string_view /*client_id*/, const protocol::publish&) { return true; }
};

} // namespace troupe
