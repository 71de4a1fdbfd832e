#include "door.hpp"

#include <algorithm>
#include <new>

namespace troupe::actors {

namespace {

constexpr std::size_t largest_shared_slab = std::size_t{64} << 10U;
/// Records above this do not share: they would waste what is left of a slab.
constexpr std::size_t lonely_from = std::size_t{16} << 10U;
/// Idle slabs of a door above this go back to the heap.
constexpr std::size_t cached_octets = std::size_t{16} << 20U;
constexpr std::size_t alignment = alignof(publish_record);

protocol::octet* put(protocol::octet* at, const void* from, std::size_t count) noexcept {
  if (count != 0) std::memcpy(at, from, count);
  return at + count;
}

std::int64_t step_of(std::int64_t all, std::int64_t most) noexcept {
  return std::clamp<std::int64_t>(all / 64, 1, most);
}

} // namespace

quota::quota(std::size_t items, std::size_t octets) noexcept
    : all_items_{static_cast<std::int64_t>(items)},
      all_octets_{static_cast<std::int64_t>(octets)},
      step_{step_of(all_items_, 256), step_of(all_octets_, 64 * 1024)},
      items_{all_items_},
      octets_{all_octets_} {}

quota::portion quota::draw(std::size_t octets) noexcept {
  const auto needed = static_cast<std::int64_t>(octets);
  const portion wanted{step_.items, std::max(step_.octets, needed)};
  for (const portion& asked : {wanted, portion{1, needed}}) {
    const std::int64_t items = items_.fetch_sub(asked.items, std::memory_order_acq_rel) - asked.items;
    const std::int64_t left = octets_.fetch_sub(asked.octets, std::memory_order_acq_rel) - asked.octets;
    if (items >= 0 && (left >= 0 || is_nearly_all(left + asked.octets))) return asked;
    give_back(asked);
  }
  return {};
}

void quota::give_back(portion unused) noexcept {
  items_.fetch_add(unused.items, std::memory_order_acq_rel);
  octets_.fetch_add(unused.octets, std::memory_order_acq_rel);
  waiting_.wake();
}

bool quota::may_draw(std::int64_t octets) const noexcept {
  const std::int64_t left = octets_.load(std::memory_order_acquire);
  return is_closed()
         || (items_.load(std::memory_order_acquire) > 0 && (left >= octets || is_nearly_all(left)));
}

bool quota::is_nearly_all(std::int64_t octets) const noexcept {
  // Doors that are not used keep what they drew last.
  return octets >= all_octets_ - static_cast<std::int64_t>(doors) * step_.octets;
}

bool quota::wait(std::size_t octets, std::chrono::steady_clock::time_point until) noexcept {
  return waiting_.wait(until, [&] { return may_draw(static_cast<std::int64_t>(octets)); });
}

void quota::close() noexcept {
  closed_.store(true, std::memory_order_seq_cst);
  waiting_.wake();
}

void door::furnish(settlement_store& store, quota& bounds) {
  if (bounds_ != nullptr) return;
  pool_.emplace(cached_octets);
  cells_.emplace(store);
  bounds_ = &bounds;
}

door::~door() { retire_slab(); }

bool door::may_spend(std::size_t octets) noexcept {
  const auto needed = static_cast<std::int64_t>(octets);
  if (allowance_.items < 1 || allowance_.octets < needed) {
    // The rest goes back first: a large record is measured against everything that is free.
    bounds_->give_back(std::exchange(allowance_, {}));
    allowance_ = bounds_->draw(octets);
    if (allowance_.items < 1) return false;
  }
  allowance_.items -= 1;
  allowance_.octets -= needed;
  return true;
}

void door::retire_slab() noexcept {
  if (slab_ == nullptr) return;
  slab_->release(prepaid + 1 - spent_);
  slab_ = nullptr;
  cursor_ = end_ = nullptr;
}

void door::begin_slab(std::size_t at_least) {
  retire_slab();
  slab_ = pool_->take(std::max(at_least, next_size_));
  slab_->retain(prepaid);
  spent_ = 0;
  next_size_ = std::min(next_size_ * 2, largest_shared_slab);
  cursor_ = slab_->data();
  const auto skew = reinterpret_cast<std::uintptr_t>(cursor_) % alignment;
  end_ = slab_->data() + slab_->capacity();
  if (skew != 0) cursor_ += alignment - skew;
}

void* door::allocate(std::size_t octets) {
  if (static_cast<std::size_t>(end_ - cursor_) < octets) begin_slab(octets + alignment);
  ++spent_;
  return std::exchange(cursor_, cursor_ + octets);
}

publish_record* door::write(const protocol::publish& what, std::size_t waiter_size) {
  const auto block = what.properties.block();
  const std::size_t waiter = waiter_size == 0 ? 0 : waiter_size + alignof(std::max_align_t);
  const std::size_t size = publish_record::room(waiter, what.topic.size(), what.payload.size(), block.size());
  if (!may_spend(size)) return nullptr;
  if (size >= lonely_from) begin_slab(size + alignment);
  auto* const record = ::new (allocate(size)) publish_record;
  record->memory = slab_;
  record->payload_size = static_cast<std::uint32_t>(what.payload.size());
  record->properties_size = static_cast<std::uint32_t>(block.size());
  record->topic_size = static_cast<std::uint16_t>(what.topic.size());
  record->waiter_size = static_cast<std::uint16_t>(waiter);
  record->quality = what.quality;
  record->retain = what.retain;
  auto* at = reinterpret_cast<protocol::octet*>(record + 1) + waiter;
  if (!block.empty()) {
    const std::uint64_t seen = what.properties.seen();
    at = put(at, &seen, sizeof seen);
  }
  at = put(at, what.topic.data(), what.topic.size());
  at = put(at, what.payload.data(), what.payload.size());
  put(at, block.data(), block.size());
  return record;
}

} // namespace troupe::actors
