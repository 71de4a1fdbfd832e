// health: what a supervisor of processes wants to know of a client.
//
// Lives here: health, health_of, client_report (a snapshot for diagnostics), report_on.
// Holds:   connected is healthy; on the way there or back is degraded; faulted is unhealthy, and so is
//          an end that somebody asked for when a service should be there.
// Threads: anybody.
// Costs:   a few loads.
#pragma once

#include "client.hpp"

#include <cstdint>
#include <string_view>
#include <system_error>

namespace troupe {

enum class health : std::uint8_t { healthy, degraded, unhealthy };

constexpr health health_of(client_state state) noexcept {
  switch (state) {
  case client_state::connected: return health::healthy;
  case client_state::connecting:
  case client_state::handshaking:
  case client_state::waiting: return health::degraded;
  default: return health::unhealthy;
  }
}

constexpr std::string_view name(health how) noexcept {
  switch (how) {
  case health::healthy: return "healthy";
  case health::degraded: return "degraded";
  default: return "unhealthy";
  }
}

struct client_report {
  client_state state = client_state::connecting;
  troupe::health health = troupe::health::degraded;
  std::error_code last_error{};
  client_statistics counts{};
};

inline client_report report_on(const client& whose) {
  const client_state state = whose.state();
  return {state, health_of(state), whose.last_error(), whose.statistics()};
}

} // namespace troupe
