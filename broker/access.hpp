// access: who somebody is, and who may connect, publish, subscribe.
//
// Lives here: identity, whom all of it is about; access, the face that judges; authenticator, the face that
//          finds out whether a name is rightly borne.
// Holds:   one object judges for all shards; what it decides it decides at once.
// Threads: called on every shard's worker at the same time; an implementation that changes its mind
//          guards its own state. It must not block: an authenticator that needs time takes it elsewhere.
// Errors:  a refusal is a reason code of 0x80 or more.
// Costs:   one virtual call per CONNECT and per filter; per PUBLISH only when the topic differs from the
//          publisher's last one.
#pragma once

#include "../protocol/reason_code.hpp"
#include "../protocol/slice.hpp"

#include <functional>
#include <optional>
#include <string_view>

namespace troupe {

/// A client as CONNECT and transport describe it.
struct identity {
  std::string_view client_id{}; // empty while the broker has not assigned one
  std::optional<std::string_view> user_name{};
  std::string_view peer_name{}; // "127.0.0.1:40123", "loopback://name"
  bool is_certified = false;    // the name stands in a certificate that was checked
};

class authenticator {
public:
  virtual ~authenticator() = default;
  /// To be called once, on any thread; too late is no harm.
  using reply = std::function<void(protocol::reason_code)>;
  /// Whether `who` is who it says; asked after access::may_connect said yes, and not of those whose
  /// certificate proves it. Answers at once (then `later` is not used), or nothing and `later` afterwards:
  /// the client waits within the broker's connect_timeout, nobody else does.
  virtual std::optional<protocol::reason_code> prove(const identity& who,
                                                     std::optional<protocol::octets> password,
                                                     reply later) = 0;
};

class access {
public:
  virtual ~access() = default;
  /// success, bad_user_name_or_password, not_authorized, banned, ...
  virtual protocol::reason_code may_connect(const identity& who,
                                            std::optional<protocol::octets> password) const = 0;
  virtual protocol::reason_code may_publish(const identity& who, std::string_view topic) const = 0;
  virtual protocol::reason_code may_subscribe(const identity& who, std::string_view filter) const = 0;
};

} // namespace troupe
