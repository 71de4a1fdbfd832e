// client_cases: the clients that the conversations with a scripted server begin with.
#pragma once

#include "script.hpp"

#include <troupe/protocol/client_machine.hpp>

#include <chrono>

namespace support {

constexpr auto q0 = troupe::protocol::qos::at_most_once;
constexpr auto q1 = troupe::protocol::qos::at_least_once;
constexpr auto q2 = troupe::protocol::qos::exactly_once;

inline troupe::protocol::client_machine_options old_version(bool clean = true) {
  return {.protocol = troupe::protocol::version::v3_1_1, .client_id = "c", .clean_start = clean};
}

/// A session that is kept for an hour.
inline troupe::protocol::client_machine_options keeping() {
  return {.client_id = "c", .clean_start = false, .session_expiry = std::chrono::hours{1}};
}

} // namespace support
