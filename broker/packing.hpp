// packing: a publish as octets of its own, to be sent to another shard; and the way back.
//
// Lives here: packer, for_each_publish().
// Holds:   what is packed is written as 5.0 says, whatever its publisher speaks, and decodes to the same
//          message (QoS 1 and 2 with a packet id that means nothing). Small packets share a slab, each
//          with read_slack octets behind it that nobody writes while it is held.
// Threads: a packer belongs to one shard, or to its owner's lock. A packed run may be dropped on any
//          thread, also when its packer is gone.
// Errors:  pack() answers a run without packets when the message is too large to be written as one.
// Costs:   one copy and one atomic step per pack; no allocation once the pool has seen its peak.
#pragma once

#include "routing_messages.hpp"

#include "../protocol/outbox.hpp"
#include "../protocol/publish.hpp"
#include "../runtime/slab_pool.hpp"

namespace troupe::brokerage {

class packer final : private protocol::outbox {
public:
  packer() = default;
  ~packer() { give_up_slab(); }

  publish_run pack(const protocol::publish& packet, session_number from, protocol::time_point received);
  /// Slabs made so far. Constant in the steady state.
  std::uint64_t slabs_made() const noexcept { return pool_.made(); }

private:
  void borrow(protocol::octets payload, protocol::keeper* owner) override;
  void grow(std::size_t count) override;
  void close_packet() noexcept;
  void give_up_slab() noexcept;

  /// Idle octets above this go back to the heap: as many as one shard may owe another.
  static constexpr std::size_t cached = std::size_t{4} << 20U;
  runtime::slab_pool pool_{cached};
  runtime::slab* open_ = nullptr; // the slab that cursor_ lies in
};

/// Calls `f(publish, whole)` for each packet of a run.
template <class F>
void for_each_publish(protocol::octets frames, protocol::version form, F f) {
  while (!frames.empty()) {
    std::size_t at = 1;
    std::size_t length = 0;
    for (unsigned shift = 0;; shift += 7U) {
      length |= static_cast<std::size_t>(frames[at] & 0x7FU) << shift;
      if ((frames[at++] & 0x80U) == 0) break;
    }
    const protocol::octets whole = frames.first(at + length);
    frames = frames.subspan(whole.size());
    const auto packet = protocol::decode_publish(whole[0], whole.subspan(at), form, protocol::role::server);
    if (packet) f(*packet, whole);
  }
}

} // namespace troupe::brokerage
