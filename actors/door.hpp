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

#include "door_run.hpp"
#include "request.hpp"
#include "settlement.hpp"
#include "wait_spot.hpp"

#include "../protocol/topic.hpp"
#include "../protocol/topic_memory.hpp"
#include "../runtime/slab_rack.hpp"

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
  void furnish(settlement_store& store, const std::shared_ptr<runtime::slab_rack>& slabs, quota& bounds,
               protocol::version v, client_name* owner = nullptr);

  /// The record of a publish, all but its asker. Neither record nor refusal: no allowance. `waiter_size`
  /// octets for a waiter, 0 for none.
  struct written {
    publish_record* record = nullptr;
    std::error_code refusal{}; // what no packet can say
  };
  written write(const protocol::publish& what, std::size_t waiter_size);
  cell take_cell() { return cells_->take(); }

  /// The packet of what most publishes are: no properties, no waiter, room in slab and allowance. A run stands
  /// for it.
  struct plain {
    protocol::octet* frame = nullptr; // null: it is none of these, or not sayable; ask write()
    std::size_t size = 0;
  };
  plain write_plain(std::string_view topic, protocol::octets payload, protocol::qos quality, bool retain);
  /// Lets it join the run begun last. False: it has to begin one.
  bool join_run(const plain& what, const cell& where) noexcept;
  door_run& begin_run(const plain& what, const cell& where) noexcept;
  /// The same for publishes that one group waits for: answers `run`, which the session does not know yet, when
  /// that took it in, or a new one. Nothing else may have been written since.
  door_run* extend_run(door_run* run, const plain& what, publish_group* group) noexcept;
  /// The ticket of the run begun last. No longer to be joined: no ticket, when it was refused.
  void set_run_ticket(std::optional<std::uint32_t> ticket) noexcept {
    if (ticket)
      run_ticket_ = *ticket;
    else
      run_ = nullptr;
  }
  std::uint32_t run_ticket() const noexcept { return run_ticket_; }

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
  protocol::octet* put_frame(const protocol::bare_publish& packet, std::string_view topic,
                             protocol::octets payload, protocol::qos quality, bool retain);
  void keep_room_for_record(const plain& what) noexcept;
  door_run& new_run(const plain& what, const asker& who) noexcept;
  publish_record* put_record(std::size_t size, protocol::octet* frame, std::size_t frame_size);
  void begin_slab(std::size_t at_least);
  void retire_slab() noexcept;

  /// Records above this do not share what is left of a slab: they would waste it.
  static constexpr std::size_t lonely_from = std::size_t{16} << 10U;
  static constexpr std::uint32_t prepaid = 1U << 16U; // references; no slab has room for as many records

  std::optional<runtime::leased_pool> pool_;
  std::optional<settlement_ring> cells_;
  quota* bounds_ = nullptr;
  quota::portion allowance_;
  protocol::version version_{};
  runtime::slab* slab_ = nullptr;
  frame_space frames_;             // of slab_, upwards
  protocol::topic_memory topic_;   // of the bare record before, in slab_
  protocol::octet* end_ = nullptr; // of what is free: records come down to here
  std::uint32_t spent_ = 0;        // of the prepaid references
  door_run* run_ = nullptr;        // the one begun last, in slab_; null when nothing may join it
  cell run_next_{};                // the cell of whoever joins
  std::uint32_t run_ticket_ = 0;
  std::size_t next_size_ = runtime::smallest_slab;
};

// ----------------------------------------------------------------------------------------------

inline publish_record* door::put_record(std::size_t size, protocol::octet* frame, std::size_t frame_size) {
  run_ = nullptr; // nothing joins it any more: its packets and records lie side by side
  ++spent_;
  end_ -= size;
  frames_.set(frame + frame_size, end_);
  auto* const record = ::new (static_cast<void*>(end_)) publish_record;
  record->waiter_size = static_cast<std::uint16_t>(size - sizeof(publish_record));
  record->frame = frame;
  record->memory = slab_;
  record->frame_size = static_cast<std::uint32_t>(frame_size);
  return record;
}

/// Null when there is no room for it, or its topic is not sayable.
inline protocol::octet* door::put_frame(const protocol::bare_publish& packet, std::string_view topic,
                                        protocol::octets payload, protocol::qos quality, bool retain) {
  const std::size_t size = record_line + packet.size();
  protocol::octet* const frame = frames_.cursor();
  // Room for a record, and for a run that may have to begin.
  const bool fits = static_cast<std::size_t>(end_ - frame) >= size + record_line && size < lonely_from
                    && allowance_.items >= 1 && allowance_.octets >= static_cast<std::int64_t>(size);
  if (!fits) [[unlikely]]
    return nullptr;
  const bool is_known = topic_.knows_exact(topic);
  if (!is_known && !protocol::check_topic_name(topic)) [[unlikely]]
    return nullptr;
  allowance_.items -= 1;
  allowance_.octets -= static_cast<std::int64_t>(size);
  packet.write(frame, topic, payload, quality, retain, 1);
  if (!is_known) topic_.remember({frame + packet.topic_at(), topic.size()});
  return frame;
}

inline auto door::write_plain(std::string_view topic, protocol::octets payload, protocol::qos quality,
                              bool retain) -> plain {
  const protocol::bare_publish packet{topic.size(), payload.size(), quality, version_};
  protocol::octet* const frame = put_frame(packet, topic, payload, quality, retain);
  if (frame == nullptr) [[unlikely]]
    return {};
  return {frame, packet.size()};
}

inline void door::keep_room_for_record(const plain& what) noexcept {
  ++spent_;
  end_ -= record_line;
  frames_.set(what.frame + what.size, end_);
}

inline door_run& door::new_run(const plain& what, const asker& who) noexcept {
  end_ -= record_line;
  auto* const run = ::new (static_cast<void*>(end_)) door_run{who, what.frame, what.size, slab_, version_};
  keep_room_for_record(what);
  return *run;
}

inline bool door::join_run(const plain& what, const cell& where) noexcept {
  const bool follows = run_ != nullptr && where.at == run_next_.at && where.block == run_next_.block
                       && where.round == run_next_.round && run_->suits(what.frame);
  if (!follows || !run_->join(what.size)) return false;
  ++run_next_.at;
  keep_room_for_record(what);
  return true;
}

inline door_run& door::begin_run(const plain& what, const cell& where) noexcept {
  run_ = &new_run(what, asker{where});
  run_next_ = {where.block, where.at + 1, where.round};
  return *run_;
}

inline door_run* door::extend_run(door_run* run, const plain& what, publish_group* group) noexcept {
  run_ = nullptr;
  if (run == nullptr || !run->suits(what.frame)) return &new_run(what, asker{group});
  run->add(what.size);
  keep_room_for_record(what);
  return run;
}

} // namespace troupe::actors
