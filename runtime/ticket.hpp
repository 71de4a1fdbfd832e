// ticket: the order of calls that come from many threads.
//
// Lives here: ticketed (an item and its place in the order), front_door (outside threads share its
//          doors), ticket_order and front_outlet (the owner handles items in ticket order).
// Holds:   a call that happened before another is handled before it, also when they were ordered by a
//          join or by a coroutine that changed threads. Ticket order is the order in which the mailbox
//          was told of the items (one atomic step, see doorbell), so a mailbox with a front door has
//          no other inlets.
// Threads: enter(): any thread, several at once. The first thread to use one of the 16 doors owns it; when
//          all are owned, a further thread makes one of them everybody's. A pass is used by the thread that
//          got it and given back soon. front_outlet: the owner of the mailbox.
// Errors:  full and closed, as with inlets. Nothing is lost: what was not taken stays with the caller.
// Costs:   to enter: nothing locked for the owner of a door, one atomic step where a door is shared; to
//          push: one atomic step. Nobody sleeps in a door. An item that came early waits in a ring, its
//          room in the mailbox stays taken.
#pragma once

#include "inlet.hpp"
#include "outlet.hpp"
#include "thread_barrier.hpp"

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

/// Differs between threads that live at the same time. A later thread may be given that of one that ended.
using thread_mark = const void*;
thread_mark this_thread() noexcept;

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
  // Who may use local and way: the owner, having set `inside`, as long as is_revoked is not set; once
  // is_shared is set, whoever sets `busy`.
  //   owner    inside = true    looks at is_revoked: not set, goes in;  set: inside = false, as everybody
  //   revoker  is_revoked = true    barrier on all threads    waits for inside == false    is_shared = true
  // Either the owner's look comes behind the barrier and sees is_revoked, or `inside` was set before it and
  // the revoker sees that (see thread_barrier).
  struct alignas(64) door {
    door(box& target, bool shared) : is_revoked{shared}, is_shared{shared}, way{target} {}

    bool enter_as_owner() noexcept;
    bool enter_shared() noexcept {
      return is_shared.load(std::memory_order_acquire) && !busy.load(std::memory_order_relaxed)
             && !busy.exchange(true, std::memory_order_acquire);
    }
    /// Returns when nobody owns it any more.
    void share() noexcept;

    std::atomic<thread_mark> owner{nullptr}; // set once, by the first to come
    std::atomic<bool> inside{false};         // written by the owner
    std::atomic<bool> is_revoked;            // set once
    std::atomic<bool> is_shared;             // set once, behind is_revoked
    std::atomic<bool> busy{false};
    Local local{};
    inlet<ticketed<Item>> way;
  };

public:
  /// The right to use one door. Held for the time of one call.
  class pass {
  public:
    pass(pass&& other) noexcept : door_{std::exchange(other.door_, nullptr)}, flag_{other.flag_} {}
    pass& operator=(pass&&) = delete;
    ~pass() {
      if (door_ != nullptr) flag_->store(false, std::memory_order_release);
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
    /// Whether no other call, by whatever door, has come behind the one that was given `ticket`.
    [[nodiscard]] bool is_last(std::uint32_t ticket) const noexcept {
      return door_ != nullptr && door_->way.is_last(ticket);
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
    pass() noexcept = default;
    pass(door& entered, std::atomic<bool>& flag) noexcept : door_{&entered}, flag_{&flag} {}
    door* door_ = nullptr; // none: closed
    std::atomic<bool>* flag_ = nullptr;
  };

  [[nodiscard]] pass enter() noexcept {
    const thread_mark me = this_thread();
    door* const mine = doors_[first_door(me)].load(std::memory_order_acquire);
    if (mine != nullptr && mine != walled_up() && mine->owner.load(std::memory_order_relaxed) == me
        && mine->enter_as_owner()) [[likely]]
      return pass{*mine, mine->inside};
    return find_door(me);
  }
  /// All inlets are dropped, whoever is inside is waited for; later pushes answer `closed`. Locals stay
  /// until the front door goes.
  void close() noexcept;

private:
  static std::size_t first_door(thread_mark who) noexcept {
    // Marks are as far from each other as stacks are: the upper half of a product tells them apart.
    return (reinterpret_cast<std::uintptr_t>(who) * std::uint64_t{0x9E3779B97F4A7C15}) >> 40U
           & (most_doors - 1);
  }
  pass find_door(thread_mark me) noexcept;
  door* door_at(std::size_t index) noexcept;
  /// Stands where nobody had a door when the front door was closed.
  door* walled_up() const noexcept { return reinterpret_cast<door*>(const_cast<front_door*>(this)); }

  std::array<std::atomic<door*>, most_doors> doors_{}; // made on first use, by whoever is first
  box* target_;
  bell_ref owner_; // keeps the mailbox until close()
  const bool are_owned_ = can_bar_all_threads();
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
  auto* fresh = new door{*target_, !are_owned_};
  if (doors_[index].compare_exchange_strong(found, fresh, std::memory_order_acq_rel)) return fresh;
  delete fresh;
  return found;
}

template <class Item, class Local>
bool front_door<Item, Local>::door::enter_as_owner() noexcept {
  // A thread of the same mark that has ended was here before: what it wrote is ours to see. One that is
  // inside already, further up its stack, takes another door.
  if (inside.load(std::memory_order_acquire)) return false;
  inside.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!is_revoked.load(std::memory_order_relaxed)) [[likely]]
    return true;
  inside.store(false, std::memory_order_release);
  return false;
}

template <class Item, class Local>
void front_door<Item, Local>::door::share() noexcept {
  patience wait;
  if (!is_revoked.exchange(true, std::memory_order_seq_cst)) {
    bar_all_threads();
    while (inside.load(std::memory_order_acquire)) wait.wait();
    is_shared.store(true, std::memory_order_release);
  }
  while (!is_shared.load(std::memory_order_acquire)) wait.wait();
}

template <class Item, class Local>
auto front_door<Item, Local>::find_door(thread_mark me) noexcept -> pass {
  patience wait;
  const std::size_t first = first_door(me);
  for (std::size_t attempt = 0; !closed_.load(std::memory_order_acquire); ++attempt) {
    door* const found = door_at((first + attempt) % most_doors);
    if (found == walled_up()) continue;
    thread_mark owner = found->owner.load(std::memory_order_relaxed);
    if (owner == nullptr && !found->is_revoked.load(std::memory_order_relaxed)
        && found->owner.compare_exchange_strong(owner, me, std::memory_order_relaxed))
      owner = me;
    if (owner == me && found->enter_as_owner()) return pass{*found, found->inside};
    if (found->enter_shared()) return pass{*found, found->busy};
    if (attempt % most_doors != most_doors - 1) continue;
    // All are taken: ours becomes one of those that several threads use.
    if (door* const ours = door_at(first); ours != walled_up()) ours->share();
    wait.wait();
  }
  return {};
}

template <class Item, class Local>
void front_door<Item, Local>::close() noexcept {
  if (closed_.exchange(true, std::memory_order_acq_rel)) return;
  for (auto& each : doors_) {
    door* found = nullptr;
    if (each.compare_exchange_strong(found, walled_up(), std::memory_order_acq_rel)) continue;
    found->share();
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
