// request: what a user asked for, as it lies in front of the session.
//
// Lives here: request (the common head), publish_record (a publish with everything it needs in one
//          piece of a slab), asker (who is answered), publish_group (one asker for several publishes).
// Holds:   a record is written once, by the door, before it is pushed; afterwards it belongs to the
//          session. Its order in the world is its ticket.
// Threads: one owner at a time; the mailbox hands it over.
// Costs:   a head of 56 octets and the message behind it, on one or two cache lines at 10 octets.
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

private:
  void* target_ = nullptr;
  std::uint32_t at_ = 0;
  std::uint8_t round_ = 0;
  kind kind_ = kind::nobody;
};

/// What stands in front of every request.
struct user_request {
  enum class kind : std::uint8_t { publish, control, call };

  user_request* next = nullptr; // of whatever list the session keeps it in
  asker who{};
  kind what = kind::publish;
};

/// One publish. Behind it lie, in this order: the waiter if there is one, the set of properties seen if
/// there are any, topic, payload, properties.
struct publish_record : user_request {
  runtime::slab* memory = nullptr; // one reference is this record's
  std::uint32_t payload_size = 0;
  std::uint32_t properties_size = 0;
  std::uint16_t topic_size = 0;
  std::uint16_t waiter_size = 0;
  protocol::qos quality = protocol::qos::at_most_once;
  bool retain = false;

  static publish_record& from(user_request& r) noexcept { return static_cast<publish_record&>(r); }
  static publish_record& from(protocol::request_token token) noexcept {
    return *reinterpret_cast<publish_record*>(token);
  }
  protocol::request_token token() const noexcept { return reinterpret_cast<protocol::request_token>(this); }

  /// Where a waiter of `waiter_size` (padding included) lies.
  void* waiter_storage() noexcept {
    constexpr std::uintptr_t mask = alignof(std::max_align_t) - 1;
    return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(this + 1) + mask) & ~mask);
  }
  /// The message as views into this record.
  protocol::kept_publish view() noexcept {
    const auto* at = reinterpret_cast<const protocol::octet*>(this + 1) + waiter_size;
    std::uint64_t seen = 0;
    if (properties_size != 0) {
      std::memcpy(&seen, at, sizeof seen);
      at += sizeof seen;
    }
    protocol::kept_publish result;
    result.packet.topic = {reinterpret_cast<const char*>(at), topic_size};
    at += topic_size;
    result.packet.payload = {at, payload_size};
    if (properties_size != 0) result.packet.properties = {{at + payload_size, properties_size}, seen};
    result.packet.quality = quality;
    result.packet.retain = retain;
    result.owner = memory;
    return result;
  }
  /// Octets this record takes, as its door counted them.
  std::size_t size() const noexcept { return room(waiter_size, topic_size, payload_size, properties_size); }
  /// Octets that a record for this needs; `waiter` with the padding it may need.
  static std::size_t room(std::size_t waiter, std::size_t topic, std::size_t payload,
                          std::size_t properties) noexcept {
    const std::size_t plain = sizeof(publish_record) + waiter + topic + payload
                              + (properties != 0 ? properties + sizeof(std::uint64_t) : 0);
    return (plain + alignof(user_request*) - 1) / alignof(user_request*) * alignof(user_request*);
  }
};

/// The publishes of one publish_many: the last one to end answers. Ends may come from the session and,
/// for what was never taken, from the caller's thread.
class publish_group {
public:
  publish_group(const asker& who, std::size_t size) noexcept : who_{who}, left_{size} {}

  /// One publish ended. The one who waits, when it was the last; then call take_verdict().
  std::optional<asker> end_one(const outcome& how) noexcept {
    if (!how.ok() && !has_failed_.exchange(true, std::memory_order_relaxed)) verdict_ = how;
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return std::nullopt;
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

} // namespace troupe::actors
