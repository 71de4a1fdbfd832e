// transport_options: the numbers of a byte pipe.
//
// Lives here: transport_options, nothing else.
// Threads: a value.
// Units:   octets, and durations of the home's clock.
#pragma once

#include <chrono>
#include <cstddef>

namespace troupe::runtime {

struct transport_options {
  /// Backlog above which a transport calls itself congested, and below which it recovers. More octets
  /// in flight than the processor's cache holds make everything slower.
  std::size_t high_mark = std::size_t{512} << 10U;
  std::size_t low_mark = std::size_t{128} << 10U;
  /// How long close() waits for the peer to take what is left, and to close its side.
  std::chrono::milliseconds linger{1000};
  /// Send at once instead of waiting for more (TCP_NODELAY).
  bool no_delay = true;
  /// Buffers of the system for each socket; 0 leaves the choice to it.
  std::size_t send_buffer = 0;
  std::size_t receive_buffer = 0;
};

} // namespace troupe::runtime
