// workshop: what all sessions and peers of one shard share.
//
// Lives here: shard_counters, workshop.
// Holds:   `now` is read once per event (a read, a mailbox run, a deadline), never per message.
// Threads: belongs to one shard. The counters alone may be read on any thread: the shard is their only
//          writer, so that plain loads and stores suffice.
// Costs:   a count is one load and one store.
#pragma once

#include "blockage.hpp"
#include "broker.hpp"
#include "kept_message.hpp"

#include "../protocol/vocabulary.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace troupe::brokerage {

/// One figure, written by one thread, read by all. No order is promised between two figures.
class figure {
public:
  void add(std::uint64_t n = 1) noexcept { value_.store(value() + n, std::memory_order_relaxed); }
  void subtract(std::uint64_t n = 1) noexcept { value_.store(value() - n, std::memory_order_relaxed); }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> value_{0};
};

struct alignas(64) shard_counters {
  figure connections;
  figure connections_total;
  figure connections_refused;
  figure sessions;
  figure subscriptions;
  figure retained_messages;
  figure messages_received;
  figure messages_sent;
  figure messages_queued;
  figure messages_dropped;
  figure messages_expired;
  figure publishers_stopped;
  figure wills_published;
  figure takeovers;
  figure octets_received;
  figure logins_refused;
  figure logins_busy;
  figure connections_throttled;
  figure publishes_refused;
  figure filters_refused;
};

class pledges;
class retained;
class store;

struct workshop {
  const broker_options& options;
  shard_counters& counts;
  brokerage::retained& last_words; // the retained messages
  message_store& store;
  std::string_view id{};                 // what this broker calls itself to bridges
  troupe::hooks* hooks = nullptr;        // null: nobody looks
  std::shared_ptr<const access> may{};   // null: everybody may do everything
  std::vector<protocol::octet> buffer{}; // for properties that have to be re-written
  protocol::time_point now{};
  brokerage::store* durable = nullptr;   // null: nothing is written down,
  brokerage::pledges* pledged = nullptr; // and nobody waits for it
  std::vector<stop_wish> stops{};        // what full queues want of publishers; the shard sees to it
};

} // namespace troupe::brokerage
