#include "door.hpp"

#include "../protocol/errc.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace troupe::actors {

namespace {

constexpr std::size_t largest_shared_slab = std::size_t{64} << 10U;
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

void door::furnish(settlement_store& store, const std::shared_ptr<runtime::slab_rack>& slabs, quota& bounds,
                   protocol::version v, client_name* owner) {
  if (bounds_ != nullptr) return;
  version_ = v;
  pool_.emplace(slabs);
  cells_.emplace(store, owner);
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
  topic_.forget();
  run_ = nullptr;
  frames_.set(nullptr, nullptr);
  end_ = nullptr;
}

void door::begin_slab(std::size_t at_least) {
  retire_slab();
  slab_ = (*pool_)->take(std::max(at_least, next_size_));
  slab_->retain(prepaid);
  spent_ = 0;
  next_size_ = std::min(next_size_ * 2, largest_shared_slab);
  end_ = slab_->data() + slab_->capacity();
  end_ -= reinterpret_cast<std::uintptr_t>(end_) % record_line;
  frames_.set(slab_->data(), end_);
}

door::written door::write(const protocol::publish& what, std::size_t waiter_size) {
  // Records begin on cache lines of their own: one is read while the next is written.
  const std::size_t record_size =
      waiter_size == 0 ? record_line
                       : (sizeof(publish_record) + waiter_size + alignof(std::max_align_t) + record_line - 1)
                             / record_line * record_line;
  const std::size_t frame_size = protocol::encoded_size(what, version_);
  const std::size_t size = record_size + frame_size;
  if (frame_size > protocol::max_packet_size) return {nullptr, protocol::errc::packet_too_large};
  if (!may_spend(size)) return {};
  if (static_cast<std::size_t>(end_ - frames_.cursor()) < size || size >= lonely_from)
    begin_slab(size + record_line);
  protocol::octet* const frame = frames_.cursor();
  const auto encoded = protocol::encode_publish(frames_, what, version_, nullptr, protocol::role::client);
  if (!encoded) [[unlikely]] {
    bounds_->give_back({1, static_cast<std::int64_t>(size)});
    return {nullptr, encoded.error()};
  }
  auto* const record = put_record(record_size, frame, frame_size);
  record->quality = what.quality;
  record->retain = what.retain;
  record->topic_size = static_cast<std::uint16_t>(what.topic.size());
  record->payload_size = static_cast<std::uint32_t>(what.payload.size());
  record->properties_size = static_cast<std::uint32_t>(what.properties.block().size());
  record->properties_seen = what.properties.seen();
  return {record, {}};
}

} // namespace troupe::actors
