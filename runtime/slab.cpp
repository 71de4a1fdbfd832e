#include "slab.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace troupe::runtime {

void slab::come_home() noexcept { depot_->leave(this); }

slab* slab_depot::make(std::size_t capacity, std::uint32_t size_class) {
  // Zeroed memory: the slack is read by vector instructions, and so is what lies behind a short fill. What
  // is not pooled has the size of its contents, which may be a mere claim of a peer: not worth the touch.
  const std::size_t size = sizeof(slab) + capacity + protocol::read_slack;
  void* const memory = size_class == unpooled ? std::malloc(size) : std::calloc(1, size);
  if (memory == nullptr) throw std::bad_alloc{};
  if (size_class == unpooled)
    std::memset(static_cast<unsigned char*>(memory) + size - protocol::read_slack, 0, protocol::read_slack);
  shares_.fetch_add(1, std::memory_order_relaxed);
  return new (memory) slab{*this, capacity, size_class};
}

void slab_depot::unmake(slab* gone) noexcept {
  slab_depot* const depot = gone->depot_;
  gone->~slab();
  std::free(gone);
  depot->give_share_back();
}

void slab_depot::leave(slab* idle) noexcept {
  if (idle->size_class_ == unpooled) {
    unmake(idle);
    return;
  }
  slab* top = idle_.load(std::memory_order_relaxed);
  do {
    if (top == closed()) {
      unmake(idle);
      return;
    }
    idle->next_ = top;
  } while (!idle_.compare_exchange_weak(top, idle, std::memory_order_release, std::memory_order_relaxed));
}

slab* slab_depot::collect() noexcept { return idle_.exchange(nullptr, std::memory_order_acquire); }

void slab_depot::close() noexcept {
  slab* left = idle_.exchange(closed(), std::memory_order_acquire);
  while (left != nullptr) {
    slab* const next = left->next_;
    unmake(left);
    left = next;
  }
  give_share_back();
}

slab* slab_depot::closed() noexcept {
  // An address that no slab can have; never looked into.
  alignas(slab) static constinit unsigned char mark[sizeof(slab)] = {};
  return reinterpret_cast<slab*>(mark);
}

void slab_depot::give_share_back() noexcept {
  if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

} // namespace troupe::runtime
