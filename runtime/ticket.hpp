// ticket: the order of calls that come from many threads.
//
// Lives here: ticketed (an item and its place in the order), front_door (outside threads share its
//          doors), ticket_order and front_outlet (the owner handles items in ticket order).
// Holds:   a call that happened before another is handled before it, also when they were ordered by a
//          join or by a coroutine that changed threads. Ticket order is the order in which the mailbox
//          was told of the items (one atomic step, see doorbell), so a mailbox with a front door has
//          no other inlets.
// Threads: enter(): any thread, several at once; a thread sticks to one of 16 doors as long as nobody
//          else is in it. A pass is used by the thread that got it and given back soon. front_outlet:
//          the owner.
// Errors:  full and closed, as with inlets. Nothing is lost: what was not taken stays with the caller.
// Costs:   one atomic step to enter, one to push. Nobody sleeps in a door. An item that came early waits
//          in a ring, its room in the mailbox stays taken.
#pragma once

#include "inlet.hpp"
#include "outlet.hpp"

#include <array>
#include <optional>
#include <vector>

namespace troupe::runtime {

template <class Item>
struct ticketed {
  std::uint32_t ticket = 0; // written by the door
  Item item;

  std::size_t octets() const noexcept requires weighed<Item> { return item.octets(); }
};

/// A number that differs between threads, most of the time.
std::size_t thread_mark() noexcept;

/// `Local` is what belongs to a door and is used under its guard: memory pools, reply slots. It is
/// made when a door is first used.
template <class Item, class Local>
class front_door {
public:
  static constexpr std::size_t most_doors = 16;
  using box = mailbox<ticketed<Item>>;

  explicit front_door(box& target) noexcept : target_{&target}, owner_{target.owner()} {}
  front_door(const front_door&) = delete;
  front_door& operator=(const front_door&) = delete;
  ~front_door() {
    close();
    for (auto& each : doors_)
      if (auto* made = each.load(std::memory_order_acquire); made != walled_up()) delete made;
  }

private:
  struct alignas(64) door {
    explicit door(box& target) : way{target} {}
    std::atomic<bool> busy{false}; // whoever set it uses the rest
    Local local{};
    inlet<ticketed<Item>> way;
  };

public:
  /// The right to use one door. Held for the time of one call.
  class pass {
  public:
    pass(pass&& other) noexcept : door_{std::exchange(other.door_, nullptr)} {}
    pass& operator=(pass&&) = delete;
    ~pass() {
      if (door_ != nullptr) door_->busy.store(false, std::memory_order_release);
    }

    /// False: the front door is closed, and there is no local.
    explicit operator bool() const noexcept { return door_ != nullptr; }
    Local& local() noexcept { return door_->local; }
    /// Takes `item.item` when the answer is `taken`.
    [[nodiscard]] offer push(ticketed<Item>& item) noexcept {
      if (door_ == nullptr) return offer::closed;
      return door_->way.push_one(
          item, [](ticketed<Item>& stamped, std::uint32_t ticket) noexcept { stamped.ticket = ticket; });
    }
    [[nodiscard]] offer push(ticketed<Item>&& item) noexcept { return push(item); }
    /// As many as there is room for, from the front; consecutive tickets, one ring at most.
    [[nodiscard]] pushed push_many(std::span<ticketed<Item>> items) noexcept {
      if (door_ == nullptr) return {offer::closed, 0};
      return door_->way.push(
          items, [](ticketed<Item>& item, std::uint32_t ticket) noexcept { item.ticket = ticket; });
    }
    /// Whether something of `octets` would be taken now.
    [[nodiscard]] bool has_room(std::size_t octets) noexcept {
      return door_ != nullptr && door_->way.has_room(octets);
    }
    /// See inlet::when_room.
    [[nodiscard]] bool when_room(bell& waiter) noexcept {
      return door_ == nullptr || door_->way.when_room(waiter);
    }

  private:
    friend class front_door;
    explicit pass(door* entered) noexcept : door_{entered} {}
    door* door_; // none: closed
  };

  [[nodiscard]] pass enter() noexcept;
  /// All inlets are dropped, whoever is inside is waited for; later pushes answer `closed`. Locals stay
  /// until the front door goes.
  void close() noexcept;

private:
  door* door_at(std::size_t index) noexcept;
  /// Stands where nobody had a door when the front door was closed.
  door* walled_up() const noexcept { return reinterpret_cast<door*>(const_cast<front_door*>(this)); }

  std::array<std::atomic<door*>, most_doors> doors_{}; // made on first use, by whoever is first
  box* target_;
  bell_ref owner_; // keeps the mailbox until close()
  std::atomic<bool> closed_{false};
};

/// Hands items on in ticket order, keeping back those that came early.
template <class Item>
class ticket_order {
public:
  /// Hands on `in` and whoever waited for it, or keeps it.
  template <class Handler>
  void accept(ticketed<Item>&& in, Handler&& handler);
  /// Hands on what is kept, in order, over the gaps.
  template <class Handler>
  void flush(Handler&& handler);
  std::size_t kept() const noexcept { return kept_; }

private:
  void keep(ticketed<Item>&& in);
  std::optional<Item>& slot(std::uint32_t ticket) noexcept { return ring_[ticket & (ring_.size() - 1)]; }

  std::uint32_t next_ = 0;
  std::size_t kept_ = 0;
  std::vector<std::optional<Item>> ring_; // a power of two, grows to the largest gap seen
};

/// The owner's end of a mailbox with a front door.
template <class Item>
class front_outlet {
public:
  explicit front_outlet(mailbox<ticketed<Item>>& source) noexcept : outlet_{source} {}

  /// As outlet::drain, in ticket order.
  template <class Handler>
  [[nodiscard]] bool drain(std::size_t budget, Handler&& handler);
  /// Hands on up to `most` items in ticket order and says how many were taken. The owner stays awake, so
  /// producers need not ring him: he comes back, and asks may_sleep() when there was nothing.
  template <class Handler>
  std::size_t take(std::size_t most, Handler&& handler);
  /// After nothing was taken: true when the owner will be rung for the next item.
  [[nodiscard]] bool may_sleep() noexcept {
    if (outlet_.may_sleep()) return true;
    outlet_.wait_for_producer();
    return false;
  }
  template <class Handler>
  void close(Handler&& handler);
  bool is_closed() const noexcept { return outlet_.is_closed(); }

private:
  outlet<ticketed<Item>> outlet_;
  ticket_order<Item> order_;
};

// ----------------------------------------------------------------------------------------------

template <class Item, class Local>
auto front_door<Item, Local>::door_at(std::size_t index) noexcept -> door* {
  auto* found = doors_[index].load(std::memory_order_acquire);
  if (found != nullptr) [[likely]]
    return found;
  auto* fresh = new door{*target_};
  if (doors_[index].compare_exchange_strong(found, fresh, std::memory_order_acq_rel)) return fresh;
  delete fresh;
  return found;
}

template <class Item, class Local>
auto front_door<Item, Local>::enter() noexcept -> pass {
  const auto mark = thread_mark();
  patience wait;
  for (std::size_t attempt = 0; !closed_.load(std::memory_order_acquire); ++attempt) {
    auto* entered = door_at((mark + attempt) % most_doors);
    if (entered != walled_up() && !entered->busy.load(std::memory_order_relaxed)
        && !entered->busy.exchange(true, std::memory_order_acquire))
      return pass{entered};
    if (attempt % most_doors == most_doors - 1) wait.wait();
  }
  return pass{nullptr};
}

template <class Item, class Local>
void front_door<Item, Local>::close() noexcept {
  if (closed_.exchange(true, std::memory_order_acq_rel)) return;
  for (auto& each : doors_) {
    door* found = nullptr;
    if (each.compare_exchange_strong(found, walled_up(), std::memory_order_acq_rel)) continue;
    patience wait;
    while (found->busy.exchange(true, std::memory_order_acquire)) wait.wait();
    found->way.drop();
    found->busy.store(false, std::memory_order_release);
  }
  owner_ = {};
}

template <class Item>
template <class Handler>
void ticket_order<Item>::accept(ticketed<Item>&& in, Handler&& handler) {
  if (in.ticket != next_) {
    keep(std::move(in));
    return;
  }
  next_ = (next_ + 1) & ticket_mask;
  handler(std::move(in.item));
  while (kept_ != 0) {
    auto& waiting = slot(next_);
    if (!waiting) return;
    next_ = (next_ + 1) & ticket_mask;
    --kept_;
    auto item = std::move(*waiting);
    waiting.reset();
    handler(std::move(item));
  }
}

template <class Item>
void ticket_order<Item>::keep(ticketed<Item>&& in) {
  const auto ahead = static_cast<std::size_t>((in.ticket - next_) & ticket_mask);
  if (ahead >= ring_.size()) {
    std::vector<std::optional<Item>> larger(std::bit_ceil(std::max<std::size_t>(ahead + 1, 64)));
    for (std::size_t index = 0; index != ring_.size(); ++index) {
      const auto ticket = (next_ + static_cast<std::uint32_t>(index)) & ticket_mask;
      if (auto& old = slot(ticket)) larger[ticket & (larger.size() - 1)] = std::move(old);
    }
    ring_ = std::move(larger);
  }
  slot(in.ticket).emplace(std::move(in.item));
  ++kept_;
}

template <class Item>
template <class Handler>
void ticket_order<Item>::flush(Handler&& handler) {
  for (; kept_ != 0; next_ = (next_ + 1) & ticket_mask) {
    auto& waiting = slot(next_);
    if (!waiting) continue;
    --kept_;
    auto item = std::move(*waiting);
    waiting.reset();
    handler(std::move(item));
  }
}

template <class Item>
template <class Handler>
std::size_t front_outlet<Item>::take(std::size_t most, Handler&& handler) {
  std::uint64_t amount = 0;
  const auto count = outlet_.take_chunk(most, [&](ticketed<Item>&& in) {
    order_.accept(std::move(in), [&](Item&& item) {
      amount += load::of(item);
      handler(std::move(item));
    });
  });
  if (amount != 0) outlet_.give_room(amount);
  return count;
}

template <class Item>
template <class Handler>
bool front_outlet<Item>::drain(std::size_t budget, Handler&& handler) {
  while (budget != 0) {
    const auto count = take(budget, handler);
    budget -= count;
    if (outlet_.may_sleep()) return false;
    if (count != 0) continue;
    outlet_.wait_for_producer();
    return true;
  }
  return true;
}

template <class Item>
template <class Handler>
void front_outlet<Item>::close(Handler&& handler) {
  if (is_closed()) return;
  const auto last = [&](Item&& item) {
    outlet_.give_room(load::of(item));
    handler(std::move(item));
  };
  outlet_.close_keeping_room([&](ticketed<Item>&& in) { order_.accept(std::move(in), last); });
  order_.flush(last);
}

} // namespace troupe::runtime
