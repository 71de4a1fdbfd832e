// socket_options: what a user may say of the sockets that are dialled.
//
// Lives here: socket_options, address_family.
// Threads: values.
// Units:   octets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace troupe {

enum class address_family : std::uint8_t { any, v4, v6 };

struct socket_options {
  /// Send at once instead of waiting for more (TCP_NODELAY).
  bool no_delay = true;
  /// The system's own probes of a silent peer (SO_KEEPALIVE), beside MQTT's pings.
  bool keep_alive = false;
  /// Buffers of the system; 0 leaves the choice to it.
  std::size_t send_buffer = 0;
  std::size_t receive_buffer = 0;
  /// Which addresses of a host are tried.
  address_family family = address_family::any;
  /// An address of this machine, in digits, to dial from; it also decides the family. Empty: the system
  /// chooses.
  std::string local_address{};

  friend bool operator==(const socket_options&, const socket_options&) = default;
};

} // namespace troupe
