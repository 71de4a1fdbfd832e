// front_door: where threads that own no inlet enter a mailbox.
//
// Lives here: front_door: 16 doors that outside threads share, each with an inlet and what belongs to it.
// Holds:   every call is given a ticket (see ticket), whichever door it comes by.
// Threads: enter(): any thread, several at once. The first thread to use one of the doors owns it; when
//          all are owned, a further thread makes one of them everybody's. A pass is used by the thread that
//          got it and given back soon.
// Errors:  full and closed, as with inlets. Nothing is lost: what was not taken stays with the caller.
// Costs:   to enter: nothing locked for the owner of a door, one atomic step where a door is shared; to
//          push: one atomic step. Nobody sleeps in a door.
#pragma once

#include "thread_barrier.hpp"
#include "ticket.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace troupe::runtime {

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
  door* door_at(std::size_t index) noexcept {
    door* const found = doors_[index].load(std::memory_order_acquire);
    return found != nullptr ? found : make_door(index);
  }
  /// Whoever came first made it, or it is walled up.
  door* make_door(std::size_t index) noexcept;
  /// Stands where nobody had a door when the front door was closed.
  door* walled_up() const noexcept { return reinterpret_cast<door*>(const_cast<front_door*>(this)); }

  std::array<std::atomic<door*>, most_doors> doors_{}; // made on first use, by whoever is first
  box* target_;
  bell_ref owner_; // keeps the mailbox until close()
  const bool are_owned_ = can_bar_all_threads();
  std::atomic<bool> closed_{false};
  std::atomic<std::uint32_t> makers_{0}; // threads that make a door: close() waits, for they use the mailbox
};

// ----------------------------------------------------------------------------------------------

template <class Item, class Local>
auto front_door<Item, Local>::make_door(std::size_t index) noexcept -> door* {
  // Either we see that it is closed, or close() sees us.
  makers_.fetch_add(1, std::memory_order_seq_cst);
  door* made = walled_up();
  if (!closed_.load(std::memory_order_seq_cst)) {
    door* found = nullptr;
    made = new door{*target_, !are_owned_};
    if (!doors_[index].compare_exchange_strong(found, made, std::memory_order_acq_rel))
      delete std::exchange(made, found);
  }
  makers_.fetch_sub(1, std::memory_order_release);
  return made;
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
  if (closed_.exchange(true, std::memory_order_seq_cst)) return;
  patience until_made;
  while (makers_.load(std::memory_order_seq_cst) != 0) until_made.wait();
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

} // namespace troupe::runtime
