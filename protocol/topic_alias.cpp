#include "topic_alias.hpp"

#include "errc.hpp"

#include <bit>
#include <functional>

namespace troupe::protocol {

result<std::string_view> inbound_aliases::resolve(std::uint16_t alias, std::string_view topic) {
  if (alias == 0 || alias > maximum_) return errc::topic_alias_invalid;
  if (topic.empty()) {
    if (alias > topics_.size() || topics_[alias - 1U].empty()) return errc::topic_alias_invalid;
    return std::string_view{topics_[alias - 1U]};
  }
  if (alias > topics_.size()) topics_.resize(alias);
  topics_[alias - 1U].assign(topic);
  return std::string_view{topics_[alias - 1U]};
}

// A short topic costs less than its alias.
outbound_aliases::choice outbound_aliases::pick(std::string_view topic) {
  constexpr std::size_t property_size = 3;
  if (maximum_ == 0 || topic.size() <= property_size) return {};
  if (buckets_.empty()) {
    buckets_.resize(std::bit_ceil(std::size_t{maximum_}));
    places_.reserve(std::min<std::size_t>(maximum_, 64));
  }
  const std::uint64_t hash = std::hash<std::string_view>{}(topic);
  if (const std::uint16_t alias = find(topic, hash); alias != 0) {
    to_front(alias);
    const bool known = at(alias).told;
    at(alias).told = true;
    return {alias, known};
  }
  const std::uint16_t alias = take_place();
  enter(alias, topic, hash);
  return {alias, false};
}

void outbound_aliases::forget(std::uint16_t alias) noexcept {
  if (alias != 0) at(alias).told = false;
}

std::uint16_t outbound_aliases::find(std::string_view topic, std::uint64_t hash) noexcept {
  std::uint16_t alias = bucket(hash);
  while (alias != 0 && (at(alias).hash != hash || at(alias).topic != topic)) alias = at(alias).next;
  return alias;
}

std::uint16_t outbound_aliases::take_place() {
  if (places_.size() < maximum_) {
    places_.emplace_back();
    return static_cast<std::uint16_t>(places_.size());
  }
  const std::uint16_t alias = oldest_;
  leave_bucket(alias);
  leave_order(alias);
  return alias;
}

void outbound_aliases::enter(std::uint16_t alias, std::string_view topic, std::uint64_t hash) {
  place& entry = at(alias);
  entry.topic.assign(topic);
  entry.hash = hash;
  entry.told = true;
  entry.next = bucket(hash);
  bucket(hash) = alias;
  entry.older = newest_;
  entry.newer = 0;
  (newest_ == 0 ? oldest_ : at(newest_).newer) = alias;
  newest_ = alias;
}

void outbound_aliases::leave_bucket(std::uint16_t alias) noexcept {
  std::uint16_t* link = &bucket(at(alias).hash);
  while (*link != alias) link = &at(*link).next;
  *link = at(alias).next;
}

void outbound_aliases::to_front(std::uint16_t alias) noexcept {
  if (newest_ == alias) return;
  leave_order(alias);
  at(alias).older = newest_;
  at(alias).newer = 0;
  (newest_ == 0 ? oldest_ : at(newest_).newer) = alias;
  newest_ = alias;
}

void outbound_aliases::leave_order(std::uint16_t alias) noexcept {
  const place& entry = at(alias);
  (entry.newer == 0 ? newest_ : at(entry.newer).older) = entry.older;
  (entry.older == 0 ? oldest_ : at(entry.older).newer) = entry.newer;
}

} // namespace troupe::protocol
