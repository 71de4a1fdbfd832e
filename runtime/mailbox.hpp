// mailbox: a bounded, lock-free inbox with one owner and up to 64 producers; CAF is not in here.
//
// Lives here: mailbox (queue, bounds, doorbell, who waits for room), mailbox_limits, offer, statistics.
//          Producers enter by an inlet, the owner drains by an outlet.
// Holds:   what enters by one inlet leaves in that order. Bounds are kept in items and in octets (of
//          items that have octets()); an item larger than the bound enters when the mailbox is empty.
//          Two producers at the same moment may exceed a bound by one push each. Who was answered
//          `full` and asked for room is rung when the mailbox is half empty. After closing, every item
//          that was taken has been handed to the owner, and nothing enters any more.
// Threads: statistics() and is_closed(): anybody; all else through inlet and outlet.
// Units:   at most 8 Mi items and 512 GB lie in a mailbox at a time.
// Errors:  full and closed are answers. No memory ends the process.
// Costs:   push: one atomic step; two more when the owner slept. No allocation in the steady state:
//          the queue's blocks are used again. 2-3 ns an item in batches.
#pragma once

#include "bell.hpp"
#include "concurrent_queue.hpp"
#include "counters.hpp"
#include "doorbell.hpp"
#include "sanitizer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace troupe::runtime {

struct mailbox_limits {
  std::size_t items = std::size_t{64} << 10U;
  std::size_t octets = std::size_t{512} << 10U;
};

/// What became of a push.
enum class offer : std::uint8_t {
  taken,
  full,   // nothing of it was taken: stop the source, ask for room
  closed, // the owner has ended
};

struct mailbox_statistics {
  std::uint64_t taken = 0;      // items the owner has taken out
  std::uint64_t waiting = 0;    // items inside
  std::uint64_t high_water = 0; // most items seen inside
  std::uint64_t bells = 0;      // times the owner had to be woken
  std::uint64_t full = 0;       // pushes that found no room
};

/// Items that count in octets say how many; the answer must not change while the item is inside.
template <class Item>
concept weighed = requires(const Item& item) {
  { item.octets() } -> std::convertible_to<std::size_t>;
};

/// What an item costs: items in the upper 24 bits and octets below, so that one atomic step counts
/// both. The difference of two sums is exact as long as fewer than 2^24 items and 2^40 octets lie
/// between them.
struct load {
  static constexpr unsigned octet_bits = 40;
  static constexpr std::uint64_t one_item = std::uint64_t{1} << octet_bits;
  static constexpr std::uint64_t octet_mask = one_item - 1;

  static constexpr std::uint64_t of_octets(std::uint64_t octets) noexcept {
    return one_item + std::min(octets, octet_mask >> 1U);
  }
  template <class Item>
  static constexpr std::uint64_t of(const Item& item) noexcept {
    if constexpr (weighed<Item>)
      return of_octets(item.octets());
    else
      return one_item;
  }
};

template <class Item>
class inlet;
template <class Item>
class outlet;

template <class Item>
class mailbox {
  static_assert(std::is_nothrow_move_constructible_v<Item>);

public:
  static constexpr std::size_t most_inlets = 64;

  /// Rings `owner`, whose part the mailbox usually is.
  explicit mailbox(bell& owner, mailbox_limits limits = {}) noexcept
      : owner_{owner}, limits_{limits}, queue_{0} {}
  mailbox(const mailbox&) = delete;
  mailbox& operator=(const mailbox&) = delete;
  ~mailbox();

  bool is_closed() const noexcept { return bell_.state() == owner_state::closed; }
  const mailbox_limits& limits() const noexcept { return limits_; }
  mailbox_statistics statistics() const noexcept;
  /// Who is rung, and whose part this is.
  bell& owner() const noexcept { return owner_; }

private:
  friend class inlet<Item>;
  friend class outlet<Item>;

  struct queue_traits : moodycamel::ConcurrentQueueDefaultTraits {
    static constexpr std::size_t BLOCK_SIZE = 32;
    static constexpr std::size_t EXPLICIT_INITIAL_INDEX_SIZE = 8;
    static constexpr std::size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 0;
  };
  using queue = moodycamel::ConcurrentQueue<Item, queue_traits>;

  // One place for a producer. Stays until the mailbox goes; used again by later inlets.
  struct entrance {
    explicit entrance(queue& of) : token{of} {}
    typename queue::producer_token_t token; // used by the producer to enqueue, by the owner to dequeue
    entrance* next = nullptr;               // all entrances; written before it is published
    std::uint64_t released_seen = 0;        // the producer's: what he last knew of released_
    std::atomic<bool> in_use{true};         // taken and given back by inlets
    std::atomic<bool> waits{false};         // set by the producer, cleared by the owner before he rings
    entrance* next_waiting = nullptr;       // owned by whoever holds the list of those who wait
    bell_ref waiter;                        // likewise
  };

  static constexpr unsigned octet_bits = load::octet_bits;
  static constexpr std::uint64_t octet_mask = load::octet_mask;
  entrance* enter_producer() noexcept;
  void leave_producer(entrance& mine) noexcept { mine.in_use.store(false, std::memory_order_release); }
  /// What lies inside, packed.
  std::uint64_t level() const noexcept { return bell_.pushed() - released_.load(std::memory_order_acquire); }
  /// Whether `more` may enter where `inside` lies already.
  bool fits(std::uint64_t inside, std::uint64_t more) const noexcept;
  /// Producer: looks at the owner's line only when what he knew does not suffice.
  bool has_room(entrance& mine, std::uint64_t more) const noexcept;
  bool is_half_empty() const noexcept;
  void wait_for_room(entrance& mine, bell& waiter) noexcept;
  void ring_those_who_wait() noexcept;
  void ring_owner() noexcept;
  /// Moves up to `most` items to raw memory, a few from every entrance in turn.
  std::size_t take(Item* where, std::size_t most) noexcept;
  void give_room(std::uint64_t amount) noexcept;

  doorbell<> bell_;
  bell& owner_;
  const mailbox_limits limits_;
  std::atomic<entrance*> entrances_{nullptr}; // pushed to by inlets; never shrinks
  std::atomic<std::uint32_t> entrance_count_{0};
  std::atomic<entrance*> waiting_{nullptr};            // pushed to by producers, taken whole by the owner
  tally full_;                                         // producers
  tally bells_;                                        // producers
  alignas(64) std::atomic<std::uint64_t> released_{0}; // written by the owner, read by producers
  std::atomic<std::uint64_t> taken_{0};                // written by the owner, read by statistics
  std::atomic<std::uint64_t> high_water_{0};           // likewise
  entrance* cursor_ = nullptr;                         // the owner's: whose turn it is
  queue queue_;
};

// ----------------------------------------------------------------------------------------------

namespace detail {

/// Constructs what is assigned to it in raw memory.
template <class Item>
class constructing_iterator {
public:
  using iterator_category = std::output_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = void;

  explicit constructing_iterator(Item* at) noexcept : at_{at} {}
  constructing_iterator& operator*() noexcept { return *this; }
  constructing_iterator& operator++() noexcept {
    ++at_;
    return *this;
  }
  constructing_iterator operator++(int) noexcept { return constructing_iterator{at_++}; }
  constructing_iterator& operator=(Item&& item) noexcept {
    ::new (static_cast<void*>(at_)) Item(std::move(item));
    return *this;
  }

private:
  Item* at_;
};

} // namespace detail

template <class Item>
mailbox<Item>::~mailbox() {
  ring_those_who_wait();
  for (auto* each = entrances_.load(std::memory_order_acquire); each != nullptr;)
    delete std::exchange(each, each->next);
}

template <class Item>
mailbox_statistics mailbox<Item>::statistics() const noexcept {
  return {.taken = taken_.load(std::memory_order_relaxed),
          .waiting = level() >> octet_bits,
          .high_water = high_water_.load(std::memory_order_relaxed),
          .bells = bells_.value(),
          .full = full_.value()};
}

template <class Item>
auto mailbox<Item>::enter_producer() noexcept -> entrance* {
  for (auto* each = entrances_.load(std::memory_order_acquire); each != nullptr; each = each->next)
    // One that is still on the list of those who wait is rung first; until then it is not given away.
    if (!each->in_use.load(std::memory_order_acquire) && !each->waits.load(std::memory_order_acquire)
        && !each->in_use.exchange(true, std::memory_order_acquire)) {
      each->released_seen = released_.load(std::memory_order_acquire);
      return each;
    }
  if (entrance_count_.fetch_add(1, std::memory_order_relaxed) >= most_inlets) {
    entrance_count_.fetch_sub(1, std::memory_order_relaxed);
    return nullptr;
  }
  auto* fresh = new entrance{queue_};
  fresh->released_seen = released_.load(std::memory_order_acquire);
  fresh->next = entrances_.load(std::memory_order_relaxed);
  while (!entrances_.compare_exchange_weak(fresh->next, fresh, std::memory_order_acq_rel)) {}
  return fresh;
}

template <class Item>
bool mailbox<Item>::fits(std::uint64_t inside, std::uint64_t more) const noexcept {
  if (inside == 0) return true;
  return ((inside + more) >> octet_bits) <= limits_.items
         && (inside & octet_mask) + (more & octet_mask) <= limits_.octets;
}

template <class Item>
bool mailbox<Item>::has_room(entrance& mine, std::uint64_t more) const noexcept {
  const auto pushed = bell_.pushed();
  if (fits(pushed - mine.released_seen, more)) return true;
  mine.released_seen = released_.load(std::memory_order_acquire);
  return fits(pushed - mine.released_seen, more);
}

template <class Item>
bool mailbox<Item>::is_half_empty() const noexcept {
  const auto inside = level();
  return (inside >> octet_bits) <= limits_.items / 2 && (inside & octet_mask) <= limits_.octets / 2;
}

template <class Item>
void mailbox<Item>::wait_for_room(entrance& mine, bell& waiter) noexcept {
  if (mine.waits.exchange(true, std::memory_order_acquire)) return; // already on the list
  mine.waiter = bell_ref{waiter};
  mine.next_waiting = waiting_.load(std::memory_order_relaxed);
  while (!waiting_.compare_exchange_weak(mine.next_waiting, &mine, std::memory_order_seq_cst)) {}
}

template <class Item>
void mailbox<Item>::ring_those_who_wait() noexcept {
  auto* each = waiting_.exchange(nullptr, std::memory_order_seq_cst);
  while (each != nullptr) {
    auto waiter = std::move(each->waiter);
    auto* next = each->next_waiting;
    each->waits.store(false, std::memory_order_release);
    if (waiter) waiter.ring();
    each = next;
  }
}

template <class Item>
void mailbox<Item>::ring_owner() noexcept {
  bells_.add(1);
  owner_.ring();
}

template <class Item>
std::size_t mailbox<Item>::take(Item* where, std::size_t most) noexcept {
  auto* const first = entrances_.load(std::memory_order_acquire);
  if (first == nullptr) return 0;
  take_over(&queue_);
  auto* const start = cursor_ != nullptr ? cursor_ : first;
  auto* each = start;
  std::size_t count = 0;
  do {
    detail::constructing_iterator<Item> out{where + count};
    count += queue_.try_dequeue_bulk_from_producer(each->token, out, most - count);
    each = each->next != nullptr ? each->next : first;
  } while (count < most && each != start);
  cursor_ = each;
  hand_over(&queue_);
  return count;
}

template <class Item>
void mailbox<Item>::give_room(std::uint64_t amount) noexcept {
  const auto before = released_.load(std::memory_order_relaxed);
  const auto items = (bell_.pushed() - before) >> octet_bits;
  if (items > high_water_.load(std::memory_order_relaxed))
    high_water_.store(items, std::memory_order_relaxed);
  taken_.store(taken_.load(std::memory_order_relaxed) + (amount >> octet_bits), std::memory_order_relaxed);
  released_.store(before + amount, std::memory_order_release);
  if (waiting_.load(std::memory_order_relaxed) != nullptr && is_half_empty()) ring_those_who_wait();
}

} // namespace troupe::runtime
