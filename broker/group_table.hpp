// group_table: the $share groups that this shard owns.
//
// Lives here: group_table: by name and by number; which shard owns what.
// Holds:   a group exists while it has members. Its number says which shard owns it.
// Threads: belongs to one shard; the questions about ownership to everybody.
// Costs:   look-ups are one hash.
#pragma once

#include "shared_group.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace troupe::brokerage {

class group_table {
public:
  static std::uint32_t owner_of(std::string_view name, std::uint32_t shards) noexcept {
    return static_cast<std::uint32_t>(std::hash<std::string_view>{}(name) % shards);
  }
  static std::uint32_t owner_of(std::uint32_t number) noexcept { return number >> 24U; }

  /// The number of the nth group that a shard makes, counted from 1.
  static std::uint32_t number_of(std::uint32_t owner, std::uint32_t nth) noexcept {
    return owner << 24U | (nth & 0xFF'FFFFU);
  }

  explicit group_table(std::uint32_t self) noexcept : self_{self} {}

  shared_group* find(std::uint32_t number) const noexcept {
    const auto known = by_number_.find(number);
    return known == by_number_.end() ? nullptr : known->second;
  }
  shared_group* find(const std::string& name) const noexcept {
    const auto known = by_name_.find(name);
    return known == by_name_.end() ? nullptr : known->second.get();
  }
  shared_group& add(const std::string& name) {
    const std::uint32_t number = number_of(self_, ++last_);
    auto& place = by_name_[name];
    place = std::make_unique<shared_group>(name, number);
    by_number_[number] = place.get();
    return *place;
  }
  void remove(const shared_group& who) {
    by_number_.erase(who.number());
    by_name_.erase(std::string{who.name()});
  }

private:
  std::uint32_t self_;
  std::uint32_t last_ = 0;
  std::unordered_map<std::string, std::unique_ptr<shared_group>> by_name_{};
  std::unordered_map<std::uint32_t, shared_group*> by_number_{};
};

} // namespace troupe::brokerage
