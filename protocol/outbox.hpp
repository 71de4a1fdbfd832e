// outbox: where encoded packets go.
//
// Lives here: the face that encoders and machines write to. The runtime implements it over
//          slabs, tests over a vector.
// Holds:   what was committed leaves in the order of the calls; one packet is never interleaved
//          with another.
// Threads: belongs to whoever encodes.
// Errors:  none: growing may allocate, and out of memory ends the process.
// Costs:   reserve/commit are inline; a virtual call only when the current chunk is full or a
//          payload is borrowed.
#pragma once

#include "slice.hpp"

#include <cstddef>

namespace troupe::protocol {

/// Payloads of at least this many octets are borrowed instead of copied, when they have an owner.
/// Measured on loopback TCP: copying wins below 1 KB, borrowing from 2 KB.
inline constexpr std::size_t borrow_threshold = 2048;

class outbox {
public:
  outbox(const outbox&) = delete;
  outbox& operator=(const outbox&) = delete;

  /// At least `count` writable, contiguous octets. Valid until the next call on this outbox.
  octet* reserve(std::size_t count) {
    if (static_cast<std::size_t>(end_ - cursor_) < count) grow(count);
    return cursor_;
  }
  /// Says that everything up to `end` (inside the last reservation) has been written.
  void commit(octet* end) noexcept { cursor_ = end; }
  /// Appends `payload` by reference; `owner` keeps it until it has been written.
  virtual void borrow(octets payload, keeper* owner) = 0;

protected:
  outbox() = default;
  ~outbox() = default;
  /// Makes `cursor_` point at `count` or more writable octets, all earlier ones kept.
  virtual void grow(std::size_t count) = 0;

  octet* cursor_ = nullptr;
  octet* end_ = nullptr;
};

} // namespace troupe::protocol
