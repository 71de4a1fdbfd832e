// held_output: what a client is to be told as soon as it is true for good.
//
//   appended --seal(pledge)--> held --pledge redeemed, its turn--> the transport's outbox
//
// Lives here: held_output: the outbox of a peer in a broker with a store.
// Holds:   octets leave in the order in which they were appended: what needs no pledge waits behind what
//          does. Nothing of an event leaves before its pledge is redeemed.
// Threads: belongs to one peer.
// Costs:   one more copy of what is sent; no allocation once it has seen its peak.
#pragma once

#include "octet_outbox.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace troupe::brokerage {

/// Names one thing that a shard has to see kept before it may tell; 0: nothing.
using pledge_number = std::uint64_t;

class held_output {
public:
  protocol::outbox& out() noexcept { return octets_; }
  std::size_t size() const noexcept { return octets_.size(); }
  bool empty() const noexcept { return octets_.empty(); }
  /// What was appended since the last call waits for `pledge`.
  void seal(pledge_number pledge) {
    const std::size_t fresh = octets_.size() - sealed_;
    if (fresh == 0) return;
    sealed_ += fresh;
    if (!parts_.empty() && parts_.back().pledge == pledge)
      parts_.back().size += fresh;
    else
      parts_.push_back({pledge, fresh});
  }
  /// Moves to `to` what may leave: `is_redeemed(pledge)` says so. False: nothing.
  template <class F>
  bool release(protocol::outbox& to, F is_redeemed) {
    bool has_moved = false;
    while (!parts_.empty() && (parts_.front().pledge == 0 || is_redeemed(parts_.front().pledge))) {
      move(to, parts_.front().size);
      parts_.pop_front();
      has_moved = true;
    }
    return has_moved;
  }

private:
  struct part {
    pledge_number pledge = 0;
    std::size_t size = 0;
  };
  static constexpr std::size_t portion = std::size_t{32} << 10U;

  void move(protocol::outbox& to, std::size_t count) {
    sealed_ -= count;
    while (count != 0) {
      const std::size_t now = std::min(count, portion);
      protocol::octet* const at = to.reserve(now);
      std::memcpy(at, octets_.octets().data(), now);
      to.commit(at + now);
      octets_.consume(now);
      count -= now;
    }
  }

  octet_outbox octets_{};
  std::deque<part> parts_{};
  std::size_t sealed_ = 0; // octets in parts_
};

} // namespace troupe::brokerage
