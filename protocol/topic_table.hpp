// topic_table: topic names -> records, for names somebody subscribed and for names often published.
//
// Lives here: topic_record<List>, the record with its name behind it in one block; topic_table<Record>.
// Holds:   a record stays where it is until it goes. A subscribed record goes with its last subscriber; a
//          remembered one when the bounded number of them is full and it was not used lately (one hand
//          goes round: used ones get a second chance). A name is remembered on its second miss or soon
//          after, so that names published once cost nothing.
// Threads: belongs to one topic_index.
// Errors:  a probe longer than its bound leads to a new seed and a rebuilt table.
// Costs:   a find is one hash, one place of 8 octets and one record; one block of memory a record.
#pragma once

#include "topic_hash.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

template <class List>
class topic_record {
public:
  /// A record with `name` (at most 65,535 octets) behind it.
  static topic_record* make(std::string_view name, std::uint32_t hash, std::uint8_t stripe) {
    void* const block = std::malloc(sizeof(topic_record) + name.size());
    if (block == nullptr) std::abort(); // out of memory ends the process
    auto* const made = new (block) topic_record{};
    made->hash = hash;
    made->stripe = stripe;
    made->length_ = static_cast<std::uint16_t>(name.size());
    std::memcpy(made->text(), name.data(), name.size());
    return made;
  }
  static void destroy(topic_record* dead) noexcept {
    if (dead->capacity_ > few) std::free(dead->many_);
    dead->~topic_record();
    std::free(dead);
  }

  std::string_view name() const noexcept { return {reinterpret_cast<const char*>(this + 1), length_}; }
  /// The numbers of the wildcard filters that match, as of `edition`.
  std::span<const std::uint32_t> numbers() const noexcept {
    return {capacity_ > few ? many_ : few_.data(), count_};
  }
  void keep_numbers(const std::vector<std::uint32_t>& found) {
    const auto count = static_cast<std::uint32_t>(found.size());
    if (count > capacity_) {
      if (capacity_ > few) std::free(many_);
      many_ = static_cast<std::uint32_t*>(std::malloc(found.size() * sizeof(std::uint32_t)));
      if (many_ == nullptr) std::abort();
      capacity_ = count;
    }
    std::copy(found.begin(), found.end(), capacity_ > few ? many_ : few_.data());
    count_ = count;
  }

  List list{};
  std::uint64_t edition = 0; // 0 = numbers() were never found
  std::uint32_t hash = 0;    // the low half
  std::uint32_t seat = 0;    // place on the clock + 1; 0 = subscribed

private:
  static constexpr std::uint32_t few = 2;

  topic_record() noexcept : few_{} {}
  ~topic_record() = default;
  char* text() noexcept { return reinterpret_cast<char*>(this + 1); }

  std::uint32_t count_ = 0;
  std::uint32_t capacity_ = few;
  union {
    std::array<std::uint32_t, few> few_;
    std::uint32_t* many_;
  };
  std::uint16_t length_ = 0;

public:
  std::uint8_t stripe = 0; // of its first level
  bool used = false;       // since the hand went by
};

template <class Record>
class topic_table {
public:
  static constexpr std::size_t longest_probe = 128;

  explicit topic_table(std::uint64_t seed) noexcept : seed_{seed}, hash_{seed}, stripes_{seed + 1} {}
  topic_table(const topic_table&) = delete;
  topic_table& operator=(const topic_table&) = delete;
  topic_table(topic_table&& other) noexcept
      : seed_{other.seed_},
        hash_{other.hash_},
        stripes_{other.stripes_},
        places_{std::exchange(other.places_, {})},
        clock_{std::exchange(other.clock_, {})},
        seen_{std::exchange(other.seen_, {})},
        count_{std::exchange(other.count_, 0)} {}
  topic_table& operator=(topic_table&&) = delete;
  ~topic_table() {
    for (const place here : places_) {
      if (!here.is_free()) Record::destroy(here.what());
    }
  }

  std::uint64_t hash(std::string_view name) const noexcept { return hash_(name); }
  /// Of the first level of a name or filter.
  std::uint8_t stripe_of(std::string_view text) const noexcept {
    return static_cast<std::uint8_t>(stripes_(text.substr(0, text.find('/'))));
  }

  Record* find(std::string_view name, std::uint64_t hash) noexcept {
    if (places_.empty()) return nullptr;
    for (std::size_t at = hash & mask();; at = next(at)) {
      const place here = places_[at];
      if (here.is_free()) return nullptr;
      if (here.bears(hash) && here.what()->name() == name) return touch(here.what());
    }
  }
  /// The record of a name somebody subscribes.
  Record& subscribed(std::string_view name, std::uint64_t hash) {
    Record* known = find(name, hash);
    if (known == nullptr)
      known = add(name, hash);
    else if (known->seat != 0)
      leave_clock(*known);
    return *known;
  }
  /// Nobody subscribes it any more.
  void drop(Record* gone) noexcept { remove(gone); }
  /// The record of a name without subscribers that was looked up; null = not yet worth one.
  Record* remember(std::string_view name, std::uint64_t hash) {
    if (!was_seen(hash)) return nullptr;
    while (clock_.size() >= most_remembered()) evict();
    Record* const added = add(name, hash);
    clock_.push_back(added);
    added->seat = static_cast<std::uint32_t>(clock_.size());
    return added;
  }
  std::size_t remembered() const noexcept { return clock_.size(); }
  /// A quarter of what is subscribed, but some thousands in any case.
  std::size_t most_remembered() const noexcept {
    return std::max<std::size_t>(16'384, (count_ - clock_.size()) / 4);
  }
  std::size_t size() const noexcept { return count_; }

private:
  // A pointer with 16 bits of the hash above it: no address of a process reaches so high on the systems
  // this is built for, and make() of one that did would end the process here.
  class place {
  public:
    place() noexcept = default;
    place(Record* what, std::uint64_t hash) noexcept
        : bits_{reinterpret_cast<std::uintptr_t>(what) | (hash & tag_mask)} {
      if ((reinterpret_cast<std::uintptr_t>(what) & tag_mask) != 0) std::abort();
    }
    bool is_free() const noexcept { return bits_ == 0; }
    bool bears(std::uint64_t hash) const noexcept { return ((bits_ ^ hash) & tag_mask) == 0; }
    Record* what() const noexcept { return reinterpret_cast<Record*>(bits_ & ~tag_mask); }

  private:
    static constexpr std::uint64_t tag_mask = 0xFFFF'0000'0000'0000U;
    static_assert(sizeof(std::uintptr_t) == sizeof(std::uint64_t));
    std::uint64_t bits_ = 0;
  };

  std::size_t mask() const noexcept { return places_.size() - 1; }
  std::size_t next(std::size_t at) const noexcept { return (at + 1) & mask(); }
  Record* touch(Record* known) noexcept {
    if (known->seat != 0) known->used = true;
    return known;
  }

  // Grows while names go by faster than it can hold them, up to as many as may be remembered. A mark gives
  // way to another every second time only: names that share a place and come by turns would else keep
  // each other out for ever.
  bool was_seen(std::uint64_t hash) {
    if (misses_++ >= 2 * seen_.size() && seen_.size() < most_remembered()) {
      seen_.assign(std::max<std::size_t>(256, seen_.size() * 2), 0);
      misses_ = 1;
    }
    std::uint32_t& mark = seen_[hash & (seen_.size() - 1)];
    const auto tag = static_cast<std::uint32_t>(hash >> 32U) | 1U;
    if (mark == tag) return true;
    if (mark == 0 || hash_.join(misses_, hash) % 2 == 0) mark = tag;
    return false;
  }

  Record* add(std::string_view name, std::uint64_t hash) {
    if ((count_ + 1) * 8 > places_.size() * 5) rebuild(std::max<std::size_t>(16, places_.size() * 2));
    Record* const added = Record::make(name, static_cast<std::uint32_t>(hash), stripe_of(name));
    ++count_;
    while (!seat(added, hash)) {
      reseed();
      hash = hash_(name);
      added->hash = static_cast<std::uint32_t>(hash);
    }
    return added;
  }
  /// False when the probe grew too long.
  bool seat(Record* what, std::uint64_t hash) noexcept {
    std::size_t at = hash & mask();
    for (std::size_t probe = 0; !places_[at].is_free(); ++probe, at = next(at)) {
      if (probe == longest_probe) return false;
    }
    places_[at] = {what, hash};
    return true;
  }
  void reseed() {
    seed_ = hash_.join(seed_, count_);
    hash_ = topic_hash{seed_};
    rebuild(places_.size());
  }
  void rebuild(std::size_t size) {
    std::vector<Record*> all;
    all.reserve(count_);
    for (const place here : places_) {
      if (!here.is_free()) all.push_back(here.what());
    }
    for (bool seated = false; !seated; size *= 2) {
      places_.assign(size, place{});
      seated = std::all_of(all.begin(), all.end(), [&](Record* each) {
        const std::uint64_t hash = hash_(each->name());
        each->hash = static_cast<std::uint32_t>(hash);
        return seat(each, hash);
      });
    }
  }

  void remove(Record* gone) noexcept {
    if (gone->seat != 0) leave_clock(*gone);
    std::size_t gap = gone->hash & mask();
    while (places_[gap].what() != gone) gap = next(gap);
    places_[gap] = place{};
    for (std::size_t at = next(gap); !places_[at].is_free(); at = next(at)) {
      if (((at - places_[at].what()->hash) & mask()) < ((at - gap) & mask())) continue;
      places_[gap] = std::exchange(places_[at], place{});
      gap = at;
    }
    Record::destroy(gone);
    --count_;
  }
  void leave_clock(Record& leaving) noexcept {
    Record* const last = clock_.back();
    clock_[leaving.seat - 1] = last;
    last->seat = leaving.seat;
    clock_.pop_back();
    leaving.seat = 0;
  }
  void evict() noexcept {
    for (;;) {
      hand_ = (hand_ + 1) % clock_.size();
      if (!std::exchange(clock_[hand_]->used, false)) {
        remove(clock_[hand_]);
        return;
      }
    }
  }

  std::uint64_t seed_;
  topic_hash hash_;
  topic_hash stripes_;              // stays when hash_ changes: records know their stripe
  std::vector<place> places_;       // a power of two below 2^32, or empty
  std::vector<Record*> clock_;      // the remembered ones
  std::vector<std::uint32_t> seen_; // tags of names missed lately; a power of two, or empty
  std::size_t misses_ = 0;          // since seen_ grew
  std::size_t hand_ = 0;
  std::size_t count_ = 0;
};

} // namespace troupe::protocol
