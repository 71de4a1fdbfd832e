#include "client_state.hpp"

namespace troupe {

std::string_view name(client_state state) noexcept {
  switch (state) {
  case client_state::connecting: return "connecting";
  case client_state::handshaking: return "handshaking";
  case client_state::connected: return "connected";
  case client_state::waiting: return "waiting";
  case client_state::disconnecting: return "disconnecting";
  case client_state::disconnected: return "disconnected";
  case client_state::faulted: return "faulted";
  }
  return "unknown";
}

} // namespace troupe
