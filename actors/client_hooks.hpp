// client_hooks: where a user has a word in what a client does by itself.
//
// Lives here: client_hooks and what its functions are told: connect_details, birth_message, auth_step.
// Holds:   every function has a default that changes nothing. Before each attempt on_connect may change
//          will and credentials of that attempt; after each CONNACK with success the birth message leaves
//          behind the subscriptions and before everything that is sent again or was queued.
// Threads: all are called on the client's home worker, one at a time, and must not block. The object is
//          shared with the client and lives as long as either.
// Errors:  what a hook throws is counted as a handler's failure; the default holds then.
// Costs:   a client without hooks pays one comparison per read and write, and nothing per message.
#pragma once

#include "client_options.hpp"

#include "../protocol/connack.hpp"
#include "../protocol/limits.hpp"
#include "../protocol/reason_code.hpp"
#include "../protocol/slice.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

namespace troupe {

/// What the broker takes, as it said on this connection.
using broker_capabilities = protocol::server_limits;

/// What CONNECT says of us, for one attempt.
struct connect_details {
  std::optional<std::string> user_name{};
  std::optional<std::string> password{};
  std::optional<troupe::will> will{};
  protocol::property_block properties{}; // authentication method and data, user properties
};

/// Said on each connection, at QoS 0.
struct birth_message {
  std::string topic{};
  std::string payload{};
  bool retain = false;
  protocol::property_block properties{};
  /// Whether a connection on which it cannot be said is given up.
  bool is_needed = false;
};

/// One step of an enhanced authentication, section 4.12.
struct auth_step {
  protocol::reason_code reason = protocol::reason_code::continue_authentication;
  std::string method{};
  std::string data{};
};

/// After a failed attempt or a lost connection.
struct retry_question {
  std::uint32_t failures = 0; // in a row
  std::error_code why{};
  std::chrono::milliseconds proposed{0};
};
struct retry_answer {
  bool gives_up = false;
  std::chrono::milliseconds wait{0};
};

enum class direction : std::uint8_t { received, sent };

class client_hooks {
public:
  client_hooks() = default;
  client_hooks(const client_hooks&) = delete;
  client_hooks& operator=(const client_hooks&) = delete;
  virtual ~client_hooks() = default;

  /// Before the CONNECT of each attempt.
  virtual void on_connect(connect_details&) {}
  /// A CONNACK with success came: everything it says, response information and user properties included.
  virtual void on_connack(const protocol::connack&) {}
  /// The broker's last words, of a CONNACK that refuses or a DISCONNECT: reason string, server reference.
  virtual void on_farewell(protocol::reason_code, protocol::properties_view) {}
  /// After a CONNACK with success.
  virtual void on_up(const broker_capabilities&, bool /*is_resumed*/) {}
  virtual std::optional<birth_message> on_birth() { return std::nullopt; }
  /// A connection ended.
  virtual void on_down(std::error_code /*why*/) {}
  virtual retry_answer on_retry(const retry_question& question) { return {false, question.proposed}; }
  /// AUTH came; the answer is sent, none ends the connection with not_authorized. For reauthenticate()
  /// it is asked with reason reauthenticate, for the first step.
  virtual std::optional<auth_step> on_auth(const auth_step&) { return std::nullopt; }
  /// Octets as they pass, in pieces of any size; called when sees_octets().
  virtual bool sees_octets() const { return false; }
  virtual void on_octets(direction, protocol::octets) {}
};

} // namespace troupe
