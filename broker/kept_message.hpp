// kept_message: one publish that outlives the octets it came in.
//
// Lives here: kept_message (topic, properties and payload in one block), message_ref (a counted
//          reference), message_store (blocks of a shard, recycled by size).
// Holds:   a message is kept once per shard, however many sessions wait for it. A payload of
//          by_reference octets or more stays where it lies, if somebody owns it; everything else is
//          copied, so that a small message never holds a large buffer.
// Threads: belongs to one shard. Counts are plain. A session that moves to another shard takes private
//          copies along (message_ref::detach), which belong to no store ever after: blocks that wandered from
//          pool to pool would gather in one of them.
// Units:   octets; intervals in seconds, as on the wire.
// Costs:   no allocation once the store has seen its peak.
#pragma once

#include "../protocol/publish.hpp"
#include "../protocol/slice.hpp"
#include "../protocol/vocabulary.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace troupe::brokerage {

class message_store;

/// Payloads from here on are referred to: at most sixteen of them can hold one shared reading slab.
inline constexpr std::size_t by_reference = std::size_t{16} << 10U;

/// What a message is in a store on disk.
struct message_record {
  std::uint64_t number = 0;     // 0: it is not there
  std::uint32_t references = 0; // deliveries there
};

class kept_message {
public:
  /// Full topic, the publisher's quality, retain flag and properties.
  const protocol::publish& packet() const noexcept { return packet_; }
  /// Keeps the payload, when it is not in the block.
  protocol::keeper* owner() const noexcept { return owner_.get(); }
  protocol::time_point received() const noexcept { return received_; }
  /// Octets that this message is counted with in a bounded queue.
  std::size_t weight() const noexcept { return weight_; }
  /// The moment from which it must not be delivered any more [MQTT-3.3.2-5]; never without an interval.
  protocol::time_point expires() const noexcept { return expires_; }
  /// The business of whoever writes messages down.
  message_record& record() const noexcept { return record_; }

private:
  friend class message_ref;
  friend class message_store;

  kept_message() noexcept = default;
  ~kept_message() = default;

  protocol::publish packet_{};
  protocol::keeper_ref owner_{};
  protocol::time_point received_{};
  protocol::time_point expires_ = protocol::never;
  std::size_t weight_ = 0;
  message_store* home_ = nullptr; // null: of no store
  kept_message* next_ = nullptr;  // in a free list
  std::uint32_t references_ = 0;
  std::uint32_t size_class_ = 0;
  mutable message_record record_{};
};

/// One reference to a message, or none.
class message_ref {
public:
  message_ref() noexcept = default;
  explicit message_ref(kept_message* target) noexcept : target_{target} {
    if (target_ != nullptr) ++target_->references_;
  }
  message_ref(const message_ref& other) noexcept : message_ref{other.target_} {}
  message_ref(message_ref&& other) noexcept : target_{std::exchange(other.target_, nullptr)} {}
  message_ref& operator=(message_ref other) noexcept {
    std::swap(target_, other.target_);
    return *this;
  }
  ~message_ref() { reset(); }

  inline void reset() noexcept;
  explicit operator bool() const noexcept { return target_ != nullptr; }
  const kept_message& operator*() const noexcept { return *target_; }
  const kept_message* operator->() const noexcept { return target_; }
  /// Becomes a message that nobody else refers to and that belongs to no store: for whatever thread.
  void detach();

private:
  kept_message* target_ = nullptr;
};

/// The blocks of one shard. Blocks are plain heap memory: a message may be given back to another
/// store than the one that made it.
class message_store {
public:
  message_store() = default;
  ~message_store();
  message_store(const message_store&) = delete;
  message_store& operator=(const message_store&) = delete;

  /// Keeps `packet`; `owner` may keep its payload (null: copy whatever its size).
  message_ref keep(const protocol::publish& packet, protocol::keeper* owner, protocol::time_point received);
  /// Octets in blocks that wait to be used again.
  std::size_t idle() const noexcept { return idle_; }

private:
  friend class message_ref;

  static constexpr std::uint32_t classes = 12; // 256 B << 0 ... 256 B << 11
  static constexpr std::size_t smallest_block = 256;
  static constexpr std::uint32_t unpooled = classes;
  static constexpr std::size_t most_idle = std::size_t{64} << 20U; // octets

  static kept_message* new_block(std::size_t octets, std::uint32_t size_class);
  static void free_block(kept_message* gone) noexcept;
  kept_message* take_block(std::size_t octets);
  void recycle(kept_message* gone) noexcept;

  std::array<kept_message*, classes> free_{};
  std::size_t idle_ = 0; // octets in free_
};

inline void message_ref::reset() noexcept {
  kept_message* gone = std::exchange(target_, nullptr);
  if (gone != nullptr && --gone->references_ == 0) {
    if (gone->home_ != nullptr)
      gone->home_->recycle(gone);
    else
      message_store::free_block(gone);
  }
}

} // namespace troupe::brokerage
