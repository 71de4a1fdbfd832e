// client_state: what a client is doing, as anybody may see it.
//
// Lives here: client_state and its names.
// Holds:   a glance: it may have changed when it is looked at.
#pragma once

#include <cstdint>
#include <string_view>

namespace troupe {

/// What a client is doing.
///
///   connecting -> handshaking -> connected -> disconnecting -> disconnected
///       ^  \___________\____________|\                             | connect()
///       |______ waiting <___________/  \--> faulted (connect() starts again)
enum class client_state : std::uint8_t {
  connecting,  // dialling
  handshaking, // CONNECT sent, or subscriptions being renewed
  connected,
  waiting,       // until the next attempt
  disconnecting, // the user asked for the end
  disconnected,  // the user's end
  faulted,       // an end that dialling again would not mend
};

std::string_view name(client_state state) noexcept;

} // namespace troupe
