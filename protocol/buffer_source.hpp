// buffer_source: where memory comes from for frames that did not come in one piece.
//
// Lives here: fresh_buffer, buffer_source. The runtime implements it over its slabs, tests over the heap.
// Holds:   a buffer goes back to its source by itself when its last reference is given back, also when
//          its source is gone by then.
// Threads: a source belongs to one thread; references are counted as its keepers say.
// Units:   octets.
// Errors:  memory that is not to be had is an answer: sizes are claims of a peer.
#pragma once

#include "slice.hpp"

#include <cstddef>

namespace troupe::protocol {

/// Memory with one reference, the taker's.
struct fresh_buffer {
  keeper* owner = nullptr; // null: there is none
  octet* data = nullptr;
};

class buffer_source {
public:
  buffer_source(const buffer_source&) = delete;
  buffer_source& operator=(const buffer_source&) = delete;

  /// At least `size` octets, with read_slack readable ones behind them.
  virtual fresh_buffer take_buffer(std::size_t size) noexcept = 0;

protected:
  buffer_source() = default;
  ~buffer_source() = default;
};

} // namespace troupe::protocol
