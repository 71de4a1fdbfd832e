// subscriber_list: who wants one filter. One entry lies in the list itself, more in one block.
//
// Lives here: subscriber_list<Entry>, Entry with a member `who` that has ==.
// Holds:   a who is there at most once; the order is not kept.
// Threads: belongs to one topic_index.
// Costs:   a span to read. Adding and removing walk the list while it is short; from indexed_from on a
//          table of places is kept beside (8 octets an entry), where a who can be hashed by its octets.
#pragma once

#include "topic_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace troupe::protocol {

template <class Entry>
class subscriber_list {
  static_assert(std::is_trivially_copyable_v<Entry>);
  using who_type = std::remove_cvref_t<decltype(Entry::who)>;
  static constexpr bool can_hash = std::has_unique_object_representations_v<who_type>;

public:
  static constexpr std::uint32_t indexed_from = 128;

  subscriber_list() noexcept {}
  subscriber_list(subscriber_list&& other) noexcept { take(other); }
  subscriber_list& operator=(subscriber_list&& other) noexcept {
    if (this != &other) {
      drop();
      take(other);
    }
    return *this;
  }
  ~subscriber_list() { drop(); }

  std::span<const Entry> entries() const noexcept { return {data(), size_}; }
  bool empty() const noexcept { return size_ == 0; }
  std::uint32_t size() const noexcept { return size_; }

  /// True when new, false when an entry was replaced.
  bool put(const Entry& entry) {
    const std::uint32_t at = find(entry.who);
    if (at < size_) {
      data()[at] = entry;
      return false;
    }
    if (size_ == capacity()) grow();
    data()[size_++] = entry;
    if (is_indexed()) note(size_ - 1);
    return true;
  }
  /// False when it was not there.
  bool remove(const who_type& who) noexcept {
    const std::uint32_t at = find(who);
    if (at >= size_) return false;
    if (is_indexed()) forget(at);
    data()[at] = data()[size_ - 1];
    --size_;
    if (capacity_ != 0 && size_ <= capacity_ / 4) shrink();
    return true;
  }

private:
  // With a table, its places follow the entries: 2 * capacity_ numbers, 0 = free, else place + 1.
  static std::size_t bytes(std::uint32_t capacity) noexcept {
    const std::size_t table = can_hash && capacity > indexed_from ? capacity * 2 * sizeof(std::uint32_t) : 0;
    return round_up(capacity * sizeof(Entry)) + table;
  }
  static std::size_t round_up(std::size_t n) noexcept { return (n + 3) & ~std::size_t{3}; }

  bool is_indexed() const noexcept { return can_hash && capacity_ > indexed_from; }
  std::uint32_t capacity() const noexcept { return capacity_ == 0 ? 1 : capacity_; }
  Entry* data() noexcept { return capacity_ == 0 ? std::launder(reinterpret_cast<Entry*>(&one_)) : many_; }
  const Entry* data() const noexcept { return const_cast<subscriber_list*>(this)->data(); }
  std::uint32_t* table() noexcept {
    return reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(many_)
                                            + round_up(capacity_ * sizeof(Entry)));
  }

  std::uint32_t find(const who_type& who) noexcept {
    if (is_indexed()) return lookup(who);
    std::uint32_t at = 0;
    while (at < size_ && !(data()[at].who == who)) ++at;
    return at;
  }

  void grow() { move_to(capacity_ == 0 ? 4 : capacity_ * 2); }
  void shrink() noexcept {
    if (size_ == 1) {
      const Entry last = many_[0];
      drop();
      new (&one_) Entry(last);
      size_ = 1;
    } else if (size_ != 0) {
      move_to(std::max(4U, std::bit_ceil(size_)));
    } else {
      drop();
    }
  }
  void move_to(std::uint32_t capacity) {
    void* const block = std::malloc(bytes(capacity));
    if (block == nullptr) std::abort(); // out of memory ends the process
    if (size_ != 0) std::memcpy(block, static_cast<const void*>(data()), size_ * sizeof(Entry));
    if (capacity_ != 0) std::free(many_);
    many_ = static_cast<Entry*>(block);
    capacity_ = capacity;
    if (!is_indexed()) return;
    std::memset(table(), 0, capacity_ * 2 * sizeof(std::uint32_t));
    for (std::uint32_t at = 0; at < size_; ++at) note(at);
  }

  std::uint32_t home(const who_type& who) const noexcept {
    const topic_hash hash{capacity_};
    return static_cast<std::uint32_t>(hash({reinterpret_cast<const char*>(&who), sizeof who}))
           & (capacity_ * 2 - 1);
  }
  std::uint32_t next(std::uint32_t place) const noexcept { return (place + 1) & (capacity_ * 2 - 1); }
  std::uint32_t lookup(const who_type& who) noexcept {
    std::uint32_t place = home(who);
    while (table()[place] != 0 && !(many_[table()[place] - 1].who == who)) place = next(place);
    return table()[place] == 0 ? size_ : table()[place] - 1;
  }
  std::uint32_t place_of(std::uint32_t at) noexcept {
    std::uint32_t place = home(many_[at].who);
    while (table()[place] != at + 1) place = next(place);
    return place;
  }
  void note(std::uint32_t at) noexcept {
    std::uint32_t place = home(many_[at].who);
    while (table()[place] != 0) place = next(place);
    table()[place] = at + 1;
  }
  /// Before the last entry moves to `at`.
  void forget(std::uint32_t at) noexcept {
    std::uint32_t gap = place_of(at);
    if (at != size_ - 1) table()[place_of(size_ - 1)] = at + 1;
    table()[gap] = 0;
    for (std::uint32_t place = next(gap); table()[place] != 0; place = next(place)) {
      // many_[at] still holds the removed entry; its new tenant is the last one.
      const std::uint32_t index = table()[place] - 1;
      const std::uint32_t wanted = home(many_[index == at ? size_ - 1 : index].who);
      if (((place - wanted) & (capacity_ * 2 - 1)) < ((place - gap) & (capacity_ * 2 - 1))) continue;
      table()[gap] = std::exchange(table()[place], 0U);
      gap = place;
    }
  }

  void drop() noexcept {
    if (capacity_ != 0) std::free(many_);
    capacity_ = 0;
    size_ = 0;
  }
  void take(subscriber_list& other) noexcept {
    size_ = std::exchange(other.size_, 0U);
    capacity_ = std::exchange(other.capacity_, 0U);
    if (capacity_ != 0)
      many_ = other.many_;
    else
      std::memcpy(one_, other.one_, sizeof one_);
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0; // of many_, a power of two; 0 = the one entry lies here
  union {
    alignas(Entry) unsigned char one_[sizeof(Entry)];
    Entry* many_;
  };
};

} // namespace troupe::protocol
