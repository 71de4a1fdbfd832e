// request: what a user asked for, as it lies in front of the session.
//
// Lives here: user_request (the common head), publish_record (a publish, encoded), asker (who is
//          answered), publish_group (one asker for several publishes).
// Holds:   a record is written once, by the door, before it is pushed; afterwards it belongs to the
//          session. Records fill a slab from its end, their packets from its beginning, so that packets
//          of consecutive calls lie side by side and leave as one piece.
// Threads: one owner at a time; the mailbox hands it over.
// Costs:   a record is one cache line; the session does not touch the packet of a QoS 0 publish at all.
#pragma once

#include "completion.hpp"
#include "settlement.hpp"

#include "../protocol/action.hpp"
#include "../protocol/publish.hpp"
#include "../runtime/slab.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

namespace troupe::actors {

class publish_group;

/// Who waits for an answer: a cell, a handler, a group, or nobody.
class asker {
public:
  enum class kind : std::uint8_t { nobody, cell, handler, group };

  asker() noexcept = default;
  explicit asker(const cell& where) noexcept
      : target_{where.block}, at_{where.at}, round_{where.round}, kind_{kind::cell} {}
  explicit asker(waiter* handler) noexcept : target_{handler}, kind_{kind::handler} {}
  explicit asker(publish_group* group) noexcept : target_{group}, kind_{kind::group} {}

  kind what() const noexcept { return kind_; }
  cell as_cell() const noexcept { return {static_cast<settlement_block*>(target_), at_, round_}; }
  waiter* handler() const noexcept { return static_cast<waiter*>(target_); }
  publish_group* group() const noexcept { return static_cast<publish_group*>(target_); }
  /// The cell that waits in the end, if it is one.
  std::optional<cell> waiting_cell() const noexcept;

private:
  void* target_ = nullptr;
  std::uint32_t at_ = 0;
  std::uint8_t round_ = 0;
  kind kind_ = kind::nobody;
};

/// What stands in front of every request.
struct user_request {
  enum class kind : std::uint8_t { publish, run, control, call };

  asker who{};
  kind what = kind::publish;
};

/// Records begin on cache lines of their own: one is read while the next is written.
inline constexpr std::size_t record_line = 64;

/// One publish. Its packet was encoded by the door, with packet id 1 where there is one.
struct publish_record : user_request {
  protocol::qos quality = protocol::qos::at_most_once;
  bool retain = false;
  std::uint16_t topic_size = 0;
  std::uint16_t waiter_size = 0;    // octets behind the record, padding included
  protocol::octet* frame = nullptr; // the whole packet, in the same slab
  runtime::slab* memory = nullptr;  // one reference is this record's
  std::uint32_t frame_size = 0;
  std::uint32_t payload_size = 0;
  std::uint32_t properties_size = 0;
  std::uint64_t properties_seen = 0;

  static publish_record& from(user_request& r) noexcept { return static_cast<publish_record&>(r); }
  static publish_record& from(protocol::request_token token) noexcept {
    return *reinterpret_cast<publish_record*>(token);
  }
  protocol::request_token token() const noexcept { return reinterpret_cast<protocol::request_token>(this); }

  /// Where a waiter of `waiter_size` lies.
  void* waiter_storage() noexcept {
    constexpr std::uintptr_t mask = alignof(std::max_align_t) - 1;
    return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(this + 1) + mask) & ~mask);
  }
  protocol::octets packet() const noexcept { return {frame, frame_size}; }
  void set_id(protocol::packet_id id) noexcept {
    protocol::octet* const at = topic_begin() + topic_size;
    at[0] = static_cast<protocol::octet>(id >> 8U);
    at[1] = static_cast<protocol::octet>(id & 0xFFU);
  }
  /// The message as views into the packet.
  protocol::kept_publish view() const noexcept {
    const protocol::octet* const payload = frame + frame_size - payload_size;
    protocol::kept_publish result;
    result.packet.topic = {reinterpret_cast<const char*>(topic_begin()), topic_size};
    result.packet.payload = {payload, payload_size};
    if (properties_size != 0)
      result.packet.properties = {{payload - properties_size, properties_size}, properties_seen};
    result.packet.quality = quality;
    result.packet.retain = retain;
    result.owner = memory;
    return result;
  }
  /// What it weighs at the doors.
  std::size_t weight() const noexcept { return sizeof(publish_record) + waiter_size + frame_size; }

private:
  protocol::octet* topic_begin() const noexcept {
    std::size_t at = 1; // the first octet
    while ((frame[at] & 0x80U) != 0) ++at;
    return frame + at + 1 + 2;
  }
};

static_assert(sizeof(publish_record) == record_line);

/// The publishes of one publish_many: the last one to end answers. Ends may come from the session and,
/// for what was never taken, from the caller's thread.
class publish_group {
public:
  publish_group(const asker& who, std::size_t size) noexcept : who_{who}, left_{size} {}

  const asker& who() const noexcept { return who_; }
  /// So many publishes ended. The one who waits, when they were the last; then call take_verdict().
  std::optional<asker> end(std::size_t count, const outcome& how) noexcept {
    if (!how.ok() && !has_failed_.exchange(true, std::memory_order_relaxed)) verdict_ = how;
    if (left_.fetch_sub(count, std::memory_order_acq_rel) != count) return std::nullopt;
    if (!has_failed_.load(std::memory_order_relaxed)) verdict_ = how;
    return who_;
  }
  /// The verdict of all; destroys the group.
  outcome take_verdict() noexcept {
    const std::unique_ptr<publish_group> mine{this};
    return verdict_;
  }

private:
  const asker who_;
  std::atomic<std::size_t> left_;       // every end subtracts
  std::atomic<bool> has_failed_{false}; // who sets it writes verdict_
  outcome verdict_{};
};

inline std::optional<cell> asker::waiting_cell() const noexcept {
  if (kind_ == kind::cell) return as_cell();
  return kind_ == kind::group ? group()->who().waiting_cell() : std::nullopt;
}

} // namespace troupe::actors
