// slab_pool: slabs to be had without asking the heap.
//
// Lives here: slab_pool: free lists by size class, and the slab that reads of this thread share.
// Holds:   classes are the powers of two from 4 KB to 2 MB; larger slabs come from the heap and go back
//          to it. At most `cached` octets lie idle; what exceeds that is freed. Slabs may outlive
//          their pool.
// Threads: belongs to one thread (worker or front door, the latter under its owner's lock). Slabs come
//          back from any thread.
// Units:   octets.
// Errors:  std::bad_alloc, which nobody catches; take_buffer() answers that there is none.
// Costs:   no allocation and no lock once the pool has seen its peak; the slab given back last is handed
//          out first, while it is in the cache.
#pragma once

#include "slab.hpp"

#include "../protocol/buffer_source.hpp"

#include <array>
#include <span>

namespace troupe::runtime {

inline constexpr std::size_t smallest_slab = std::size_t{4} << 10U;
inline constexpr std::size_t largest_pooled_slab = std::size_t{2} << 20U;
/// What reads share: the usual size, and the size while sockets bring more than that at a time.
inline constexpr std::size_t reading_slab = std::size_t{64} << 10U;
inline constexpr std::size_t busy_reading_slab = std::size_t{256} << 10U;

class slab_pool final : public protocol::buffer_source {
public:
  static constexpr std::size_t default_cached = std::size_t{64} << 20U;

  explicit slab_pool(std::size_t cached = default_cached);
  ~slab_pool();

  /// A slab of at least this capacity with one reference, the caller's. Its octets are whatever was
  /// there before.
  slab* take(std::size_t at_least);
  protocol::fresh_buffer take_buffer(std::size_t size) noexcept override;

  /// Where the next read should put its octets: what is left of the shared reading slab. Valid until
  /// the next call of a member.
  std::span<protocol::octet> reading_room();
  /// The first `count` octets of the last reading_room(), with a reference of their own.
  protocol::slice finish_read(std::size_t count);

  /// Gives what lies idle back to the heap, the largest first, but for `keep` octets.
  void trim(std::size_t keep = 0) noexcept;
  /// Octets that lie idle in the free lists; of those on the doorstep nobody knows.
  std::size_t idle() const noexcept { return idle_; }
  /// Slabs made from the heap so far. Constant in the steady state.
  std::uint64_t made() const noexcept { return made_; }

private:
  static constexpr std::uint32_t classes = 10; // 4 KB << 0 ... 4 KB << 9
  static constexpr std::uint32_t unpooled = slab_depot::unpooled;

  static std::uint32_t class_of(std::size_t at_least) noexcept;
  void take_in() noexcept;
  void keep_or_free(slab* idle) noexcept;
  void renew_reading_slab();

  slab_depot* depot_;
  std::array<slab*, classes> free_{};
  std::size_t idle_ = 0;
  std::size_t cached_;
  std::uint64_t made_ = 0;

  slab* reading_ = nullptr;
  std::size_t filled_ = 0;       // of reading_
  std::size_t room_ = 0;         // given out by the last reading_room()
  std::size_t largest_read_ = 0; // since reading_ was taken
  std::size_t reading_size_ = reading_slab;
};

} // namespace troupe::runtime
