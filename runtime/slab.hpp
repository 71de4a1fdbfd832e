// slab: a large block of memory that packets share.
//
// Lives here: slab (a keeper with an atomic count), slab_depot (where slabs that nobody holds wait for
//          their pool).
// Holds:   read_slack octets behind the capacity are readable and initialised. A slab whose last
//          reference is given back lies in its depot until the pool collects it; when the pool is
//          gone, it is freed at once. The depot lives as long as the pool or any slab of it.
// Threads: references may be taken and given back on any thread. The octets belong to whoever fills
//          them; what others were given is not written again while they hold it.
// Units:   octets.
// Costs:   one atomic step per retain or release; the last release adds one to the depot. No lock.
#pragma once

#include "../protocol/outbox.hpp"
#include "../protocol/slice.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace troupe::runtime {

class slab_depot;

class slab final : public protocol::keeper {
public:
  protocol::octet* data() noexcept { return reinterpret_cast<protocol::octet*>(this + 1); }
  std::size_t capacity() const noexcept { return capacity_; }
  /// Whether the caller's reference is the only one: then all that others read has been read.
  bool is_sole() const noexcept { return count_.load(std::memory_order_acquire) == 1; }

  void retain(std::uint32_t count) noexcept override { count_.fetch_add(count, std::memory_order_relaxed); }
  void release(std::uint32_t count) noexcept override {
    if (count_.fetch_sub(count, std::memory_order_acq_rel) == count) come_home();
  }

private:
  friend class slab_depot;
  friend class slab_pool;

  slab(slab_depot& depot, std::size_t capacity, std::uint32_t size_class) noexcept
      : depot_{&depot}, capacity_{capacity}, size_class_{size_class} {}
  ~slab() = default;
  void come_home() noexcept;

  slab* next_ = nullptr; // written by whoever holds the slab alone: releaser, depot, pool in turn
  slab_depot* depot_;
  std::size_t capacity_;
  std::atomic<std::uint32_t> count_{1}; // everybody who holds a reference; the last one owns the slab
  std::uint32_t size_class_;            // index into the pool's free lists
};

/// The doorstep of a pool. Slabs are left here by any thread and taken in by the pool's.
class slab_depot {
public:
  /// The size class of slabs that go straight back to the heap.
  static constexpr std::uint32_t unpooled = ~std::uint32_t{0};

  /// The creator holds one share.
  slab_depot() = default;
  slab_depot(const slab_depot&) = delete;
  slab_depot& operator=(const slab_depot&) = delete;

  /// Memory from the heap, with slack, zeroed; takes a share for it.
  slab* make(std::size_t capacity, std::uint32_t size_class);
  /// Back to the heap; gives the share back.
  static void unmake(slab* gone) noexcept;
  /// Leaves a slab here, or frees it when no list takes it or the depot has been closed.
  void leave(slab* idle) noexcept;
  /// All that has been left here, the latest first.
  slab* collect() noexcept;
  bool is_empty() const noexcept { return idle_.load(std::memory_order_relaxed) == nullptr; }
  /// No more visitors: frees what lies here and gives the creator's share back.
  void close() noexcept;

private:
  ~slab_depot() = default;
  static slab* closed() noexcept;
  void give_share_back() noexcept;

  std::atomic<slab*> idle_{nullptr};     // pushed by any thread, emptied as a whole by the pool's: no ABA
  std::atomic<std::uint32_t> shares_{1}; // the pool and each slab in existence
};

} // namespace troupe::runtime
