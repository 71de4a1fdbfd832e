// batch: the packets of one read, on their way from the connection to the handlers.
//
// Lives here: inbound_batch, batch_ref (one counted reference), batch_pool.
// Holds:   packets are views into octets that the batch keeps. The connection fills it, the session says
//          what of it is a delivery, the dispatcher says whose; after each hand-over the earlier part is
//          not written again. The last reference brings the batch home. What is in flight is the
//          back-pressure of the whole way up: above the pool's bounds the connection stops reading.
// Threads: a batch has one writer at a time; references may be given back anywhere. The pool belongs to
//          its connection but for coming home; it lives until its last batch is home.
// Units:   octets as received.
// Costs:   one atomic step per hand-over that adds a holder, one per holder that ends; nothing is
//          allocated once the pool has seen its peak.
#pragma once

#include "return_stack.hpp"

#include "../protocol/packet.hpp"
#include "../protocol/receipts.hpp"
#include "../runtime/bell.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace troupe::actors {

class batch_pool;

/// A delivery whose acknowledgement waits for handlers.
struct deferred_delivery {
  std::uint32_t packet = 0; // index into packets
  protocol::delivery_tag tag{};
  std::uint32_t waiting = 0; // handlers that have not returned; written by the dispatcher, then by them
  std::uint32_t refused = 0; // one of them threw: the reason that is said

  /// One handler less; true for the last. Several may be at it on different threads.
  bool is_last_one() noexcept {
    return std::atomic_ref{waiting}.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
};

class inbound_batch {
public:
  // -- filled by the connection --------------------------------------------------
  std::vector<protocol::inbound_packet> packets;
  protocol::keeper_ref bytes;       // keeps what the packets point at
  protocol::keeper_ref first_bytes; // keeps the first packet instead, when it crossed reads
  std::error_code bad_bytes{};      // behind the packets came something that is none
  std::size_t octets = 0;
  std::uint64_t connection = 0; // which one, since the session outlives them

  // -- filled by the session -----------------------------------------------------
  std::vector<std::uint32_t> deliveries; // indices of packets to be delivered, in order
  std::forward_list<std::string> topics; // of packets that came with an alias only
  std::vector<deferred_delivery> deferred;

  // -- filled by the dispatcher ---------------------------------------------------
  std::vector<std::uint32_t> routed; // indices of packets, one run per subscriber

  const protocol::publish& publish_at(std::uint32_t index) const noexcept {
    return std::get_if<protocol::inbound_publish>(&packets[index])->packet;
  }
  protocol::keeper* owner_of(std::uint32_t index) const noexcept {
    return index == 0 && first_bytes ? first_bytes.get() : bytes.get();
  }

  inbound_batch* next = nullptr; // whoever holds it alone

  void retain() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) come_home();
  }

private:
  friend class batch_pool;
  explicit inbound_batch(batch_pool& pool, bool is_large) noexcept : pool_{pool}, is_large_{is_large} {}
  ~inbound_batch() = default;
  void come_home() noexcept;
  void clear() noexcept;

  batch_pool& pool_;
  std::atomic<std::uint32_t> count_{1}; // everybody who holds a reference
  const bool is_large_;                 // which of the pool's lists it belongs to
};

class batch_ref {
public:
  batch_ref() noexcept = default;
  /// Takes over a reference.
  static batch_ref adopt(inbound_batch* batch) noexcept {
    batch_ref result;
    result.batch_ = batch;
    return result;
  }
  batch_ref(const batch_ref& other) noexcept : batch_{other.batch_} {
    if (batch_ != nullptr) batch_->retain();
  }
  batch_ref(batch_ref&& other) noexcept : batch_{std::exchange(other.batch_, nullptr)} {}
  batch_ref& operator=(batch_ref other) noexcept {
    std::swap(batch_, other.batch_);
    return *this;
  }
  ~batch_ref() {
    if (batch_ != nullptr) batch_->release();
  }
  inbound_batch* operator->() const noexcept { return batch_; }
  inbound_batch& operator*() const noexcept { return *batch_; }
  explicit operator bool() const noexcept { return batch_ != nullptr; }

private:
  inbound_batch* batch_ = nullptr;
};

struct batch_limits {
  std::size_t octets = std::size_t{4} << 20U; // in flight before reading stops
  std::size_t batches = 4096;
};

class batch_pool {
public:
  /// Rings `owner` when a pool that was said to be full has room again.
  batch_pool(runtime::bell& owner, batch_limits limits) noexcept : owner_{owner}, limits_{limits} {}
  batch_pool(const batch_pool&) = delete;
  batch_pool& operator=(const batch_pool&) = delete;

  /// An empty batch for a read of this many octets; its reference is the caller's.
  inbound_batch* take(std::size_t octets);
  /// Octets were added to a batch that is still the caller's.
  void add(std::size_t octets) noexcept { out_octets_.fetch_add(octets, std::memory_order_relaxed); }
  bool has_room() const noexcept {
    return out_octets_.load(std::memory_order_acquire) < limits_.octets
           && out_batches_.load(std::memory_order_acquire) < limits_.batches;
  }
  /// True when the caller has to wait for the bell.
  bool wait_for_room() noexcept;
  /// No more rings: lets go of the owner.
  void silence() noexcept;
  /// The owner is being destroyed: the last batch frees the pool.
  void abandon() noexcept;

private:
  friend class inbound_batch;
  ~batch_pool();
  void take_home(inbound_batch* batch) noexcept;
  void ring() noexcept;
  void collect() noexcept;
  void give_share_back() noexcept;

  runtime::bell& owner_;
  const batch_limits limits_;
  return_stack<inbound_batch> returned_;
  std::atomic<std::size_t> out_octets_{0};  // added by the owner, subtracted by anybody
  std::atomic<std::size_t> out_batches_{0}; // likewise
  // The owner: nobody -> waiting, waiting -> nobody; whoever rings: waiting -> ringing -> nobody.
  enum class waits : std::uint8_t { nobody, waiting, ringing };
  std::atomic<waits> waits_{waits::nobody};
  runtime::bell_ref waiter_;           // the owner's while nobody waits, of the one who rings while ringing
  std::atomic<std::size_t> shares_{1}; // the owner, and each batch that is out
  inbound_batch* small_ = nullptr;     // the owner's
  inbound_batch* large_ = nullptr;     // the owner's
};

} // namespace troupe::actors
