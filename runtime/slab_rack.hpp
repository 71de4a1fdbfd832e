// slab_rack: slab pools that wait for their next owner, with their slabs warm.
//
// Lives here: slab_rack (a fixture of the stage), leased_pool (a pool for the time of one owner).
// Holds:   clients come and go more often than the memory they need: a pool given back keeps up to
//          `kept` octets of idle slabs and goes to whoever asks next, the one given back last first.
//          At most `most_pools` wait; others go back to the heap. Slabs still held elsewhere come home to
//          their pool as ever.
// Threads: take and put: any. A pool belongs to the thread that uses it, and changes hands only here.
// Units:   octets.
// Errors:  std::bad_alloc, which nobody catches.
// Costs:   one mutex per owner's life; nothing per slab.
#pragma once

#include "slab_pool.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace troupe::runtime {

class slab_rack {
public:
  static constexpr std::size_t most_pools = 64;
  static constexpr std::size_t kept = std::size_t{256} << 10U;
  /// Idle octets of a pool in use above this go back to the heap: more than all that may be pending at a
  /// client by default, in slabs of up to twice its size.
  static constexpr std::size_t cached = std::size_t{24} << 20U;

  slab_rack() { waiting_.reserve(most_pools); }
  slab_rack(const slab_rack&) = delete;
  slab_rack& operator=(const slab_rack&) = delete;

  std::unique_ptr<slab_pool> take();
  void put(std::unique_ptr<slab_pool> done) noexcept;

private:
  std::mutex mutex_;                                // taken when an owner begins or ends
  std::vector<std::unique_ptr<slab_pool>> waiting_; // under mutex_; never grows
};

/// A pool from the rack, given back at the end.
class leased_pool {
public:
  explicit leased_pool(std::shared_ptr<slab_rack> rack) : rack_{std::move(rack)}, pool_{rack_->take()} {}
  leased_pool(const leased_pool&) = delete;
  leased_pool& operator=(const leased_pool&) = delete;
  ~leased_pool() { rack_->put(std::move(pool_)); }

  slab_pool& operator*() const noexcept { return *pool_; }
  slab_pool* operator->() const noexcept { return pool_.get(); }

private:
  std::shared_ptr<slab_rack> rack_;
  std::unique_ptr<slab_pool> pool_;
};

} // namespace troupe::runtime
