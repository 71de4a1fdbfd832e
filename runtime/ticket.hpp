// ticket: the order of calls that come from many threads.
//
// Lives here: ticketed (an item and its place in the order), ticket_order and front_outlet (the owner handles
//          items in ticket order). Callers come by a front_door.
// Holds:   a call that happened before another is handled before it, also when they were ordered by a
//          join or by a coroutine that changed threads. Ticket order is the order in which the mailbox
//          was told of the items (one atomic step, see doorbell), so a mailbox with a front door has
//          no other inlets.
// Threads: the owner of the mailbox.
// Costs:   an item that came early waits in a ring, its room in the mailbox stays taken.
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
