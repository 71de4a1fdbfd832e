// access: who somebody is, and who may connect, publish, subscribe.
//
// Lives here: identity, whom all of it is about; access, the face that judges; authenticator, the face that
//          finds out whether a name is rightly borne; auth_dialogue, which asks more than one question.
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
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// A client as CONNECT and transport describe it.
struct identity {
  std::string_view client_id{}; // empty while the broker has not assigned one
  std::optional<std::string_view> user_name{};
  std::string_view peer_name{}; // "127.0.0.1:40123", "loopback://name"
  bool is_certified = false;    // the name stands in a certificate that was checked
};

/// What follows from one step of enhanced authentication.
struct auth_answer {
  /// continue_authentication: the client is to answer; success; 0x80 or more: it goes.
  protocol::reason_code how = protocol::reason_code::not_authorized;
  std::string data{}; // Authentication Data for the client; of a refusal it hears the code alone
};

/// Enhanced authentication of one client [MQTT-4.12]: made for its CONNECT, and anew each time that it
/// authenticates again. Belongs to one worker; must not block.
class auth_dialogue {
public:
  virtual ~auth_dialogue() = default;
  /// What the client says: first with CONNECT (or AUTH 0x19), then with each AUTH.
  virtual auth_answer step(const identity& who, std::optional<protocol::octets> data) = 0;
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
  /// The same for a client whose CONNECT names an authentication method; prove() is not asked then, the
  /// certificate of such a client is not enough. Null: that method is not known here (0x8C).
  virtual std::unique_ptr<auth_dialogue> begin(const identity& who, std::string_view method) {
    static_cast<void>(who), static_cast<void>(method);
    return nullptr;
  }
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
