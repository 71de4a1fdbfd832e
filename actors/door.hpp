// door: what a thread finds behind one of the client's doors: memory for records, cells, an allowance.
//
// Lives here: door (local to one door of a runtime::front_door), quota (the bounds all doors share).
// Holds:   a record lies in one slab, holding one reference. References are bought in advance, so that
//          writing a record counts nothing. Allowances are drawn from the quota in portions; what the
//          session has ended flows back to the quota.
// Threads: a door under its guard; the quota is everybody's.
// Units:   items and octets of records.
// Errors:  no allowance is an answer.
// Costs:   a record: a few stores. An atomic step per portion and per slab. Slabs grow from 4 to 64 KB.
#pragma once

#include "request.hpp"
#include "settlement.hpp"
#include "wait_spot.hpp"

#include "../runtime/slab_pool.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

namespace troupe::actors {

class quota {
public:
  quota(std::size_t items, std::size_t octets) noexcept;

  struct portion {
    std::int64_t items = 0;
    std::int64_t octets = 0;
  };
  /// At least one item of `octets`, more if there is plenty; nothing when it would exceed the bounds.
  /// What is larger than all of the bound passes when nothing else is outside.
  portion draw(std::size_t octets) noexcept;
  /// What has ended, or was drawn for nothing.
  void give_back(portion unused) noexcept;
  /// Waits until draw(octets) may answer something.
  bool wait(std::size_t octets, std::chrono::steady_clock::time_point until) noexcept;
  /// Wakes everybody who waits, for good.
  void close() noexcept;
  bool is_closed() const noexcept { return closed_.load(std::memory_order_acquire); }

private:
  static constexpr std::size_t doors = 16;

  bool may_draw(std::int64_t octets) const noexcept;
  bool is_nearly_all(std::int64_t octets) const noexcept;

  const std::int64_t all_items_;
  const std::int64_t all_octets_;
  const portion step_; // what a draw takes when there is plenty
  // What is left. Taken by doors, given back by the session; below 0 for a moment only.
  alignas(64) std::atomic<std::int64_t> items_;
  std::atomic<std::int64_t> octets_;
  wait_spot waiting_;
  std::atomic<bool> closed_{false}; // set once, by the client's end
};

class door {
public:
  door() noexcept = default;
  ~door();
  door(const door&) = delete;
  door& operator=(const door&) = delete;

  /// Before anything else; more than once does nothing.
  void furnish(settlement_store& store, quota& bounds, protocol::version v);

  /// The record of a publish, all but its asker. Neither record nor refusal: no allowance. `waiter_size`
  /// octets for a waiter, 0 for none.
  struct written {
    publish_record* record = nullptr;
    std::error_code refusal{}; // what no packet can say
  };
  written write(const protocol::publish& what, std::size_t waiter_size);
  cell take_cell() { return cells_->take(); }

private:
  /// Where packets are encoded: room has been made before.
  class frame_space final : public protocol::outbox {
  public:
    void set(protocol::octet* begin, protocol::octet* end) noexcept {
      cursor_ = begin;
      end_ = end;
    }
    protocol::octet* cursor() const noexcept { return cursor_; }
    void borrow(protocol::octets, protocol::keeper*) override { std::terminate(); }

  private:
    void grow(std::size_t) override { std::terminate(); }
  };

  bool may_spend(std::size_t octets) noexcept;
  void begin_slab(std::size_t at_least);
  void retire_slab() noexcept;

  static constexpr std::uint32_t prepaid = 1U << 16U; // references; no slab has room for as many records

  std::optional<runtime::slab_pool> pool_;
  std::optional<settlement_ring> cells_;
  quota* bounds_ = nullptr;
  quota::portion allowance_;
  protocol::version version_{};
  runtime::slab* slab_ = nullptr;
  frame_space frames_;             // of slab_, upwards
  protocol::octet* end_ = nullptr; // of what is free: records come down to here
  std::uint32_t spent_ = 0;        // of the prepaid references
  std::size_t next_size_ = runtime::smallest_slab;
};

} // namespace troupe::actors
