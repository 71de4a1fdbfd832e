// outlet: the owner's end of his mailbox.
//
// Lives here: draining in bulk up to a budget, then sleep or more; closing.
// Holds:   the handler is called once for every item that was taken, in the order of each inlet; close()
//          hands over the last ones. A handler may push anywhere, but not drain this mailbox.
// Threads: one owner at a time.
// Errors:  when a handler throws, the items already taken with it are destroyed and the exception
//          passes on; the owner is expected to end.
// Costs:   items are moved once, in chunks; 2-3 ns each in batches.
#pragma once

#include "mailbox.hpp"
#include "pause.hpp"

namespace troupe::runtime {

/// The most one run should take from a mailbox before others get their turn.
inline constexpr std::size_t default_budget = 256;

template <class Item>
class outlet {
public:
  explicit outlet(mailbox<Item>& source) noexcept : source_{source} {}
  outlet(const outlet&) = delete;
  outlet& operator=(const outlet&) = delete;

  /// Hands up to `budget` items to `handler(Item&&)`. False: the mailbox is empty and its owner will be
  /// rung for the next item. True: there is more (or is about to be): come again later.
  template <class Handler>
  [[nodiscard]] bool drain(std::size_t budget, Handler&& handler);
  template <class Handler>
  [[nodiscard]] bool drain(Handler&& handler) {
    return drain(default_budget, handler);
  }
  /// Nothing enters any more; hands what was taken before to `handler`. Waits for producers that are
  /// between announcing and enqueuing.
  template <class Handler>
  void close(Handler&& handler);
  /// The same, but the room of the items stays taken until give_room.
  template <class Handler>
  void close_keeping_room(Handler&& handler);
  /// Closes and destroys what is left.
  void close() {
    close([](Item&&) noexcept {});
  }

  bool is_closed() const noexcept { return source_.is_closed(); }
  mailbox_statistics statistics() const noexcept { return source_.statistics(); }
  /// Takes up to `chunk_size` items; their room stays taken until give_room. For outlets that keep
  /// items back (see ticket).
  template <class Handler>
  std::size_t take_chunk(std::size_t most, Handler&& handler);
  void give_room(std::uint64_t amount) noexcept { source_.give_room(amount); }
  /// Whether the owner may sleep; to be asked when nothing was taken.
  [[nodiscard]] bool may_sleep() noexcept;
  /// To be called when nothing could be taken although may_sleep() said no: lets the producer go on.
  void wait_for_producer() noexcept { patience_.wait(); }

private:
  static constexpr std::size_t chunk_size =
      std::max<std::size_t>(8, std::min<std::size_t>(64, std::size_t{8192} / sizeof(Item)));

  // The items of one chunk; those not handed over yet go with it.
  struct chunk {
    alignas(Item) std::byte memory[chunk_size * sizeof(Item)];
    std::size_t next = 0;
    std::size_t count = 0;

    chunk() noexcept {} // NOLINT(modernize-use-equals-default): leaves the memory as it is
    chunk(const chunk&) = delete;
    chunk& operator=(const chunk&) = delete;
    ~chunk() {
      for (; next != count; ++next) std::destroy_at(at(next));
    }
    Item* raw() noexcept { return reinterpret_cast<Item*>(memory); }
    Item* at(std::size_t index) noexcept { return std::launder(raw() + index); }
  };

  mailbox<Item>& source_;
  patience patience_;
};

// ----------------------------------------------------------------------------------------------

template <class Item>
bool outlet<Item>::may_sleep() noexcept {
  if (!source_.bell_.may_sleep()) return false;
  // The fence of may_sleep lies between giving room and this look, as in wait_for_room the other way.
  if (source_.waiting_.load(std::memory_order_relaxed) != nullptr) source_.ring_those_who_wait();
  return true;
}

template <class Item>
template <class Handler>
std::size_t outlet<Item>::take_chunk(std::size_t most, Handler&& handler) {
  chunk items;
  items.count = source_.take(items.raw(), std::min(most, chunk_size));
  if (items.count == 0) return 0;
  patience_.reset();
  std::uint64_t amount = 0;
  for (std::size_t index = 0; index != items.count; ++index) amount += load::of(*items.at(index));
  source_.bell_.took(amount);
  for (; items.next != items.count; ++items.next) {
    auto* item = items.at(items.next);
    handler(std::move(*item));
    std::destroy_at(item);
  }
  return items.count;
}

template <class Item>
template <class Handler>
bool outlet<Item>::drain(std::size_t budget, Handler&& handler) {
  while (budget != 0) {
    std::uint64_t amount = 0;
    const auto count = take_chunk(budget, [&](Item&& item) {
      amount += load::of(item);
      handler(std::move(item));
    });
    budget -= count;
    if (count != 0) {
      give_room(amount);
      if (count == chunk_size && budget != 0) continue;
    }
    if (may_sleep()) return false;
    if (count == 0) {
      wait_for_producer();
      return true;
    }
  }
  return true;
}

template <class Item>
template <class Handler>
void outlet<Item>::close(Handler&& handler) {
  close_keeping_room([&](Item&& item) {
    give_room(load::of(item));
    handler(std::move(item));
  });
}

template <class Item>
template <class Handler>
void outlet<Item>::close_keeping_room(Handler&& handler) {
  if (is_closed()) return;
  source_.bell_.close();
  for (;;) {
    if (take_chunk(chunk_size, handler) != 0) continue;
    if (source_.bell_.is_even()) break;
    wait_for_producer();
  }
  source_.ring_those_who_wait();
}

} // namespace troupe::runtime
