#include "slab_pool.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace troupe::runtime {

namespace {

/// Less room than this is not worth a system call: a new slab is begun instead. While sockets bring much
/// at a time, half a slab is too little: what one write of the peer's brought would take two reads.
constexpr std::size_t least_reading_room = std::size_t{16} << 10U;
constexpr std::size_t least_busy_room = busy_reading_slab / 2;

/// Where the next read may begin. The gap lets another thread read the slack of earlier octets while
/// this one fills later ones; whole cache lines keep the two from disturbing each other.
std::size_t next_mark(std::size_t filled) noexcept {
  constexpr std::size_t line = 64;
  return (filled + protocol::read_slack + line - 1) / line * line;
}

} // namespace

slab_pool::slab_pool(std::size_t cached) : depot_{new slab_depot}, cached_{cached} {}

slab_pool::~slab_pool() {
  if (reading_ != nullptr) reading_->release(1);
  trim();
  depot_->close();
}

std::uint32_t slab_pool::class_of(std::size_t at_least) noexcept {
  if (at_least > largest_pooled_slab) return unpooled;
  const auto wanted = std::bit_ceil(std::max(at_least, smallest_slab));
  return static_cast<std::uint32_t>(std::countr_zero(wanted) - std::countr_zero(smallest_slab));
}

slab* slab_pool::take(std::size_t at_least) {
  if (!depot_->is_empty()) take_in();
  const std::uint32_t size_class = class_of(at_least);
  if (size_class != unpooled && free_[size_class] != nullptr) {
    slab* const found = free_[size_class];
    free_[size_class] = std::exchange(found->next_, nullptr);
    idle_ -= found->capacity_;
    found->count_.store(1, std::memory_order_relaxed);
    return found;
  }
  ++made_;
  return depot_->make(size_class == unpooled ? at_least : smallest_slab << size_class, size_class);
}

protocol::fresh_buffer slab_pool::take_buffer(std::size_t size) noexcept {
  try {
    slab* const taken = take(size);
    return {taken, taken->data()};
  } catch (const std::bad_alloc&) {
    return {};
  }
}

void slab_pool::take_in() noexcept {
  // The depot is a stack. Turned round once, the slab left last is put down last and found first.
  slab* turned = nullptr;
  for (slab* left = depot_->collect(); left != nullptr;) {
    slab* const next = std::exchange(left->next_, turned);
    turned = left;
    left = next;
  }
  while (turned != nullptr) {
    slab* const next = turned->next_;
    keep_or_free(turned);
    turned = next;
  }
}

void slab_pool::keep_or_free(slab* idle) noexcept {
  if (idle_ + idle->capacity_ > cached_) {
    slab_depot::unmake(idle);
    return;
  }
  idle->next_ = std::exchange(free_[idle->size_class_], idle);
  idle_ += idle->capacity_;
}

std::span<protocol::octet> slab_pool::reading_room() {
  if (reading_ != nullptr && filled_ != 0 && reading_->is_sole() && reading_->capacity_ == reading_size_)
    filled_ = 0; // everything read into it has been used: fill it again while it is warm
  const std::size_t least = reading_size_ == busy_reading_slab ? least_busy_room : least_reading_room;
  if (reading_ == nullptr || reading_->capacity_ < filled_ + least) renew_reading_slab();
  room_ = reading_->capacity_ - filled_;
  return {reading_->data() + filled_, room_};
}

void slab_pool::renew_reading_slab() {
  if (reading_ != nullptr) {
    if (largest_read_ < least_reading_room) reading_size_ = reading_slab;
    reading_->release(1);
  }
  reading_ = take(reading_size_);
  filled_ = 0;
  largest_read_ = 0;
}

protocol::slice slab_pool::finish_read(std::size_t count) {
  const protocol::octets bytes{reading_->data() + filled_, count};
  protocol::slice result{bytes, protocol::keeper_ref{reading_}};
  largest_read_ = std::max(largest_read_, count);
  if (count == room_ && count >= least_reading_room)
    reading_size_ = busy_reading_slab; // the next slab; more was there than we could take
  filled_ = std::min(next_mark(filled_ + count), reading_->capacity_);
  return result;
}

void slab_pool::trim(std::size_t keep) noexcept {
  take_in();
  for (auto list = free_.rbegin(); list != free_.rend(); ++list) {
    while (*list != nullptr && idle_ > keep) {
      slab* const next = (*list)->next_;
      idle_ -= (*list)->capacity_;
      slab_depot::unmake(*list);
      *list = next;
    }
  }
}

} // namespace troupe::runtime
