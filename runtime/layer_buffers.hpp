// layer_buffers: octets on their way between a layer and the stream below it.
//
// Lives here: layer_input (read, not yet understood), layer_output (made, not yet sent).
// Holds:   a slab is held only while octets lie in it: an idle layer owns no memory.
// Threads: the home's, whose slab pool it is.
// Units:   octets.
// Costs:   no allocation once the pool has seen its peak; nothing is moved but what is left over when the
//          slab is full.
#pragma once

#include "octet_stream.hpp"
#include "slab_pool.hpp"

#include "../protocol/slice.hpp"

#include <cstddef>

namespace troupe::runtime {

class layer_input {
public:
  static constexpr std::size_t usual_read = std::size_t{64} << 10U;

  explicit layer_input(slab_pool& pool) noexcept : pool_{pool} {}
  layer_input(const layer_input&) = delete;
  layer_input& operator=(const layer_input&) = delete;
  ~layer_input() { give_up(); }

  bool empty() const noexcept { return begin_ == end_; }
  protocol::octets unread() const noexcept;
  void consume(std::size_t count) noexcept { begin_ += count; }
  /// Reads once from `below`, behind what is unread. `is_drained`: it has nothing more now.
  octet_stream::step fill(octet_stream& below, bool& is_drained);
  /// To be called when the caller has done what it could: gives the slab back when nothing is unread.
  void rest() noexcept {
    if (empty()) give_up();
  }

private:
  void give_up() noexcept;

  slab_pool& pool_;
  slab* slab_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

class layer_output {
public:
  explicit layer_output(slab_pool& pool) noexcept : pool_{pool} {}
  layer_output(const layer_output&) = delete;
  layer_output& operator=(const layer_output&) = delete;
  ~layer_output() { clear(); }

  bool empty() const noexcept { return begin_ == end_; }
  std::size_t size() const noexcept { return end_ - begin_; }
  /// Room for `count` octets behind what waits.
  protocol::octet* room(std::size_t count);
  void commit(std::size_t count) noexcept { end_ += count; }
  void append(protocol::octets what);
  /// Sends what it can, what `below` has kept first; what finds no room now goes on waiting, and is no
  /// error.
  std::error_code send(octet_stream& below) noexcept;
  void clear() noexcept;

private:
  slab_pool& pool_;
  slab* slab_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

} // namespace troupe::runtime
