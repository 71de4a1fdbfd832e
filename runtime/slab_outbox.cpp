#include "slab_outbox.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace troupe::runtime {

slab_outbox::slab_outbox(slab_pool& pool, borrowing how, std::size_t largest_chunk)
    : pool_{pool}, largest_chunk_{largest_chunk}, how_{how} {}

slab_outbox::~slab_outbox() { give_up_slab(); }

void slab_outbox::borrow(protocol::octets payload, protocol::keeper* owner) {
  const bool fits = static_cast<std::size_t>(end_ - cursor_) >= payload.size();
  if (owner == nullptr || (how_ == borrowing::crowded && fits)) {
    protocol::octet* const to = reserve(payload.size());
    if (!payload.empty()) std::memcpy(to, payload.data(), payload.size());
    commit(to + payload.size());
    return;
  }
  seal();
  segments_.push_back({payload, protocol::keeper_ref{owner}, false});
  sealed_ += payload.size();
  batch_ += payload.size();
}

void slab_outbox::grow(std::size_t count) {
  seal();
  give_up_slab();
  open_ = pool_.take(std::max(count, chunk_));
  chunk_ = std::min(chunk_ * 4, largest_chunk_);
  open_begin_ = cursor_ = open_->data();
  end_ = cursor_ + open_->capacity();
}

void slab_outbox::seal() {
  if (cursor_ == open_begin_) return;
  const protocol::octets bytes{open_begin_, cursor_};
  segments_.push_back({bytes, protocol::keeper_ref{open_}, true});
  sealed_ += bytes.size();
  batch_ += bytes.size();
  open_begin_ = cursor_;
}

void slab_outbox::give_up_slab() noexcept {
  if (open_ != nullptr) std::exchange(open_, nullptr)->release(1);
  cursor_ = end_ = open_begin_ = nullptr;
}

std::size_t slab_outbox::gather(std::span<iovec> into, std::size_t at_most) {
  seal();
  gathered_ = 0;
  std::size_t used = 0;
  for (auto i = head_; i < segments_.size() && used < into.size() && gathered_ < at_most; ++i) {
    const protocol::octets bytes = segments_[i].bytes;
    const std::size_t count = std::min(bytes.size(), at_most - gathered_);
    // The interface of the system is older than const.
    into[used++] = {const_cast<protocol::octet*>(bytes.data()), count};
    gathered_ += count;
  }
  return used;
}

void slab_outbox::consume(std::size_t count) noexcept {
  sealed_ -= count;
  while (count != 0) {
    outbox_segment& first = segments_[head_];
    if (count < first.bytes.size()) {
      first.bytes = first.bytes.subspan(count);
      break;
    }
    count -= first.bytes.size();
    first.owner = {};
    ++head_;
  }
  if (empty())
    end_batch();
  else
    compact();
}

void slab_outbox::end_batch() noexcept {
  segments_.clear();
  head_ = 0;
  give_up_slab();
  chunk_ = std::clamp(std::bit_ceil(batch_), smallest_slab, largest_chunk_);
  batch_ = 0;
}

void slab_outbox::compact() noexcept {
  if (head_ < 64 || head_ * 2 < segments_.size()) return;
  segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
}

std::size_t slab_outbox::move_to(std::vector<outbox_segment>& into, std::size_t at_most) {
  seal();
  give_up_slab();
  std::size_t moved = 0;
  for (; head_ < segments_.size() && moved < at_most; ++head_) {
    moved += segments_[head_].bytes.size();
    into.push_back(std::move(segments_[head_]));
  }
  sealed_ -= moved;
  if (sealed_ == 0)
    end_batch();
  else
    compact();
  return moved;
}

void slab_outbox::clear() noexcept {
  segments_.clear();
  sealed_ = 0;
  open_begin_ = cursor_;
  batch_ = 0;
  end_batch();
}

} // namespace troupe::runtime
