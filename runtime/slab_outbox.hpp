// slab_outbox: the outbox over slabs, and the queue of what has to leave.
//
// Lives here: outbox_segment, slab_outbox.
// Holds:   segments leave in the order in which they were committed. A slab is held only while octets
//          in it wait: an outbox that has been emptied owns no memory but its list.
// Threads: belongs to one transport. The pool must be of the same thread, and outlive the outbox.
// Units:   octets.
// Costs:   slabs grow from 4 KB to `largest_chunk` within one batch, and begin at the size of the last
//          one; two atomic steps per segment; no allocation once the list has seen its peak.
#pragma once

#include "slab_pool.hpp"

#include <sys/uio.h>

#include <cstdint>
#include <span>
#include <vector>

namespace troupe::runtime {

struct outbox_segment {
  protocol::octets bytes;
  protocol::keeper_ref owner;
  /// In a slab, so that read_slack octets behind it may be read; a borrowed payload promises nothing.
  bool is_padded = true;
};

/// What becomes of payloads that could be borrowed.
enum class borrowing : std::uint8_t {
  always,  // a segment of its own: the system gathers
  crowded, // copied behind its header while the slab has room for it, so that frames stay whole
};

class slab_outbox final : public protocol::outbox {
public:
  static constexpr std::size_t default_largest_chunk = std::size_t{64} << 10U;

  explicit slab_outbox(slab_pool& pool, borrowing how = borrowing::always,
                       std::size_t largest_chunk = default_largest_chunk);
  ~slab_outbox();

  void borrow(protocol::octets payload, protocol::keeper* owner) override;

  /// Octets committed and not yet consumed.
  std::size_t size() const noexcept { return sealed_ + static_cast<std::size_t>(cursor_ - open_begin_); }
  bool empty() const noexcept { return size() == 0; }

  /// Describes the first octets, up to `at_most` of them, in `into`; answers how many entries were used.
  std::size_t gather(std::span<iovec> into, std::size_t at_most);
  /// Octets that the last gather() described.
  std::size_t gathered() const noexcept { return gathered_; }
  /// The first `count` octets are gone; slabs without octets go back to their pool.
  void consume(std::size_t count) noexcept;

  /// Moves the first segments to the end of `into`, until `at_most` octets are reached or passed; answers
  /// how many octets. The slab being filled is given up, since others may read behind its end from now
  /// on.
  std::size_t move_to(std::vector<outbox_segment>& into, std::size_t at_most);
  /// Drops everything.
  void clear() noexcept;

private:
  void grow(std::size_t count) override;
  /// Makes a segment of what was committed to the open slab.
  void seal();
  void give_up_slab() noexcept;
  void end_batch() noexcept;
  void compact() noexcept;

  slab_pool& pool_;
  std::vector<outbox_segment> segments_; // [head_, end) wait
  std::size_t head_ = 0;
  std::size_t sealed_ = 0; // octets in segments_
  std::size_t gathered_ = 0;
  slab* open_ = nullptr; // the slab that cursor_ lies in
  protocol::octet* open_begin_ = nullptr;
  std::size_t chunk_ = smallest_slab; // of the next slab
  std::size_t batch_ = 0;             // octets committed since the outbox was last empty
  std::size_t largest_chunk_;
  borrowing how_;
};

} // namespace troupe::runtime
