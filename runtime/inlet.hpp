// inlet: one producer's private entrance to somebody's mailbox.
//
// Lives here: the token that keeps this producer's order; the ring that wakes the owner.
// Holds:   what enters by one inlet leaves in that order; two inlets have no order. While an inlet
//          exists, the owner (and with him the mailbox) exists: drop inlets when you end. At most 64
//          inlets lead to a mailbox; one more is born closed.
// Threads: used by one producer at a time, on whatever thread he runs. Made and dropped anywhere.
// Errors:  full and closed are answers, never exceptions.
// Costs:   a push is one atomic step, whatever the number of its items, and one ring at most each time
//          the owner fell asleep.
#pragma once

#include "mailbox.hpp"

#include <iterator>
#include <span>

namespace troupe::runtime {

/// Tickets wrap at this many bits; fewer items than half of that lie in a mailbox.
inline constexpr unsigned ticket_bits = 24;
inline constexpr std::uint32_t ticket_mask = (std::uint32_t{1} << ticket_bits) - 1;

/// How a push of several ended.
struct pushed {
  offer answer = offer::taken; // `taken` when all were
  std::size_t count = 0;       // how many, from the front
};

template <class Item>
class inlet {
public:
  inlet() noexcept = default;
  explicit inlet(mailbox<Item>& target) noexcept : entrance_{target.enter_producer()} {
    if (entrance_ == nullptr) return;
    target_ = &target;
    owner_ = bell_ref{target.owner()};
  }
  inlet(inlet&& other) noexcept
      : target_{std::exchange(other.target_, nullptr)},
        entrance_{std::exchange(other.entrance_, nullptr)},
        owner_{std::move(other.owner_)} {}
  inlet& operator=(inlet&& other) noexcept {
    if (this != &other) {
      drop();
      target_ = std::exchange(other.target_, nullptr);
      entrance_ = std::exchange(other.entrance_, nullptr);
      owner_ = std::move(other.owner_);
    }
    return *this;
  }
  ~inlet() { drop(); }

  /// Whether it leads anywhere and the owner still takes something.
  bool is_open() const noexcept { return target_ != nullptr && !target_->is_closed(); }

  /// Takes `item` when the answer is `taken`, else leaves it in the caller's hand.
  [[nodiscard]] offer push(Item& item) noexcept {
    return push_one(item, [](Item&, std::uint32_t) noexcept {});
  }
  [[nodiscard]] offer push(Item&& item) noexcept { return push(item); }
  /// The same with a stamp, see below.
  template <class Stamp>
  [[nodiscard]] offer push_one(Item& item, Stamp stamp) noexcept;
  /// Takes as many as there is room for, from the front, with one announcement and one ring.
  [[nodiscard]] pushed push(std::span<Item> items) noexcept {
    return push(items, [](Item&, std::uint32_t) noexcept {});
  }
  /// The same; before an item enters, `stamp(item, ticket)` tells it how many items were announced
  /// before it by all inlets together, modulo 2^ticket_bits. A closing mailbox may leave gaps.
  template <class Stamp>
  [[nodiscard]] pushed push(std::span<Item> items, Stamp&& stamp) noexcept;
  /// To be asked after `full`. True: there is room already, try again. False: `waiter` is rung once
  /// the mailbox is half empty (or closed).
  [[nodiscard]] bool when_room(bell& waiter) noexcept;
  /// Whether nothing has been announced behind the item that was stamped with `ticket`.
  [[nodiscard]] bool is_last(std::uint32_t ticket) const noexcept {
    if (target_ == nullptr) return false;
    const auto next = static_cast<std::uint32_t>(target_->bell_.pushed() >> load::octet_bits);
    return ((next - 1) & ticket_mask) == ticket;
  }
  /// Whether something of `octets` would be taken now.
  [[nodiscard]] bool has_room(std::size_t octets = 0) noexcept;

  /// Gives the place in the mailbox and the hold on its owner back.
  void drop() noexcept;

private:
  using box = mailbox<Item>;

  [[nodiscard]] offer refusal() const noexcept { return is_open() ? offer::full : offer::closed; }
  /// How many of `items` there is room for, and what they weigh.
  std::size_t fit(std::span<const Item> items, std::uint64_t& amount) noexcept;
  /// Announces `amount`; false when the owner has ended.
  bool announce(std::uint64_t amount, doorbell<>::announcement& announced) noexcept;
  template <class Iterator>
  void enqueue(const doorbell<>::announcement& announced, Iterator first, std::size_t count) noexcept;

  box* target_ = nullptr;
  typename box::entrance* entrance_ = nullptr;
  bell_ref owner_; // keeps the mailbox
};

// ----------------------------------------------------------------------------------------------

template <class Item>
void inlet<Item>::drop() noexcept {
  if (target_ == nullptr) return;
  target_->leave_producer(*entrance_);
  target_ = nullptr;
  entrance_ = nullptr;
  owner_ = {};
}

template <class Item>
bool inlet<Item>::announce(std::uint64_t amount, doorbell<>::announcement& announced) noexcept {
  announced = target_->bell_.announce(amount);
  if (announced.seen != owner_state::closed) [[likely]]
    return true;
  target_->bell_.withdraw(amount);
  return false;
}

template <class Item>
template <class Iterator>
void inlet<Item>::enqueue(const doorbell<>::announcement& announced, Iterator first,
                          std::size_t count) noexcept {
  take_over(&target_->queue_);
  // The form that allocates: a queue born empty has no block to give otherwise.
  if (!target_->queue_.enqueue_bulk(entrance_->token, first, count)) std::terminate();
  hand_over(&target_->queue_);
  if (target_->bell_.must_ring(announced)) target_->ring_owner();
}

template <class Item>
template <class Stamp>
offer inlet<Item>::push_one(Item& item, Stamp stamp) noexcept {
  if (target_ == nullptr) return offer::closed;
  const auto amount = load::of(item);
  if (!target_->has_room(*entrance_, amount)) [[unlikely]] {
    target_->full_.add(1);
    return refusal();
  }
  doorbell<>::announcement announced{};
  if (!announce(amount, announced)) [[unlikely]]
    return offer::closed;
  stamp(item, static_cast<std::uint32_t>(announced.before >> load::octet_bits) & ticket_mask);
  take_over(&target_->queue_);
  // The form that allocates: a queue born empty has no block to give otherwise.
  if (!target_->queue_.enqueue(entrance_->token, std::move(item))) std::terminate();
  hand_over(&target_->queue_);
  if (target_->bell_.must_ring(announced)) target_->ring_owner();
  return offer::taken;
}

template <class Item>
std::size_t inlet<Item>::fit(std::span<const Item> items, std::uint64_t& amount) noexcept {
  std::size_t count = 0;
  for (const auto& item : items) {
    const auto more = amount + load::of(item);
    if (!target_->has_room(*entrance_, more)) break;
    const bool enters_alone = (more & load::octet_mask) > target_->limits_.octets;
    if (enters_alone && count != 0) break;
    amount = more;
    ++count;
    if (enters_alone || more >> load::octet_bits >= target_->limits_.items) break;
  }
  return count;
}

template <class Item>
template <class Stamp>
pushed inlet<Item>::push(std::span<Item> items, Stamp&& stamp) noexcept {
  if (target_ == nullptr) return {offer::closed, 0};
  std::uint64_t amount = 0;
  const auto count = fit(items, amount);
  if (count != 0) {
    doorbell<>::announcement announced{};
    if (!announce(amount, announced)) return {offer::closed, 0};
    auto ticket = static_cast<std::uint32_t>(announced.before >> load::octet_bits);
    for (auto& item : items.first(count)) stamp(item, ticket++ & ticket_mask);
    enqueue(announced, std::make_move_iterator(items.begin()), count);
  }
  if (count == items.size()) return {offer::taken, count};
  target_->full_.add(1);
  return {refusal(), count};
}

template <class Item>
bool inlet<Item>::when_room(bell& waiter) noexcept {
  if (target_ == nullptr) return true;
  target_->wait_for_room(*entrance_, waiter);
  standard_atomics::full_fence();
  return target_->is_half_empty() || target_->is_closed();
}

template <class Item>
bool inlet<Item>::has_room(std::size_t octets) noexcept {
  return target_ != nullptr && target_->has_room(*entrance_, load::of_octets(octets))
         && !target_->is_closed();
}

} // namespace troupe::runtime
