#include "record_store.hpp"

#include <algorithm>
#include <utility>

namespace troupe::runtime {

std::error_code memory_records::for_each(const reader& f) {
  const std::lock_guard lock{mutex_};
  for (const auto& [key, value] : kept_) f(key, value);
  return {};
}

std::uint64_t memory_records::submit(change_set& changes, bell* told) {
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock{mutex_};
    waiting_.push_back({changes, told != nullptr ? bell_ref{*told} : bell_ref{}});
    ticket = committed_.load(std::memory_order_relaxed) + waiting_.size();
  }
  changes.clear();
  if (!is_held_) commit();
  return ticket;
}

std::size_t memory_records::commit(std::size_t count) {
  std::vector<handed_over> now;
  {
    const std::lock_guard lock{mutex_};
    count = std::min(count, waiting_.size());
    for (std::size_t at = 0; at < count; ++at) now.push_back(std::move(waiting_[at]));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
    for (const handed_over& one : now) keep(one.changes);
    committed_.store(committed_.load(std::memory_order_relaxed) + count, std::memory_order_release);
  }
  for (const handed_over& one : now)
    if (one.told) one.told.ring();
  return count;
}

bool memory_records::settle() {
  commit();
  return true;
}

std::size_t memory_records::waiting() const {
  const std::lock_guard lock{mutex_};
  return waiting_.size();
}

void memory_records::lose() {
  const std::lock_guard lock{mutex_};
  waiting_.clear();
}

memory_records::wall_time memory_records::wall_now() const {
  return wall_ == wall_time{} ? std::chrono::system_clock::now() : wall_;
}

void memory_records::keep(const change_set& changes) {
  for_each_change(changes.octets(), [this](const change& one) {
    const std::string key{one.key};
    switch (one.kind) {
    case change_kind::add:
    case change_kind::put: kept_.insert_or_assign(key, std::string{one.value}); return;
    case change_kind::erase: kept_.erase(key); return;
    case change_kind::erase_prefix: break;
    }
    const auto begin = kept_.lower_bound(key);
    auto end = begin;
    while (end != kept_.end() && end->first.starts_with(key)) ++end;
    kept_.erase(begin, end);
  });
}

} // namespace troupe::runtime
