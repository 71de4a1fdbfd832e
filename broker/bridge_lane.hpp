// bridge_lane: what waits at a bridge, in one direction.
//
// Lives here: bridge_overflow, lane_limits, lane_counts, bridge_lane.
// Holds:   messages leave in the order in which they were put; at most `window` are on their way, the others
//          wait, within bounds in messages and octets. A message larger than all of the bound waits alone.
//          Every message ends once: carried, or dropped and counted.
// Threads: put on any; end on any, also from inside the sender; close on any that is neither. The sender is
//          called by one of them at a time, outside of the lock.
// Units:   octets of topic, payload and properties.
// Costs:   a lock per message and one per end. A copy only for a message that waits.
#pragma once

#include "../protocol/properties.hpp"
#include "../protocol/publish.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace troupe {

/// What happens to a message that finds the queue of a bridge full.
enum class bridge_overflow : std::uint8_t {
  block,       // it waits where it comes from: that broker's queue for the bridge fills, by its own policy
  drop_oldest, // the one that waited longest makes room
  drop_newest, // it is not queued
};

namespace brokerage {

struct lane_limits {
  std::size_t messages = 65'536;
  std::size_t octets = std::size_t{64} << 20U;
  std::size_t window = 1'024;
  bridge_overflow when_full = bridge_overflow::block;
};

struct lane_counts {
  std::uint64_t carried = 0;
  std::uint64_t dropped = 0; // by the policy, by close(), or because the other side would not have it
  std::size_t waiting = 0;
  std::size_t on_their_way = 0;
};

class bridge_lane {
public:
  /// Starts a publish, and sees to it that end(octets, ...) is called once for it.
  using sender = std::function<void(const protocol::publish& what, std::size_t octets)>;
  /// Is told of each message that ended, with success or without; on any thread.
  using observer = std::function<void(bool is_carried)>;

  bridge_lane(const lane_limits& limits, sender send, observer tell);
  bridge_lane(const bridge_lane&) = delete;
  bridge_lane& operator=(const bridge_lane&) = delete;

  /// With bridge_overflow::block it waits for room, on a thread that may.
  void put(const protocol::publish& what);
  void end(std::size_t octets, bool is_carried);
  /// Waits until nothing waits or is on its way; false: not until `until`.
  bool settle(std::chrono::steady_clock::time_point until);
  /// Drops what waits and whatever comes from now on, lets go who waits for room, and returns when the sender
  /// is not being called any more.
  void close();

  lane_counts counts() const;

private:
  struct parcel {
    std::string topic{};
    std::vector<protocol::octet> payload{};
    protocol::property_block properties{};
    protocol::qos quality{};
    bool retain = false;
    std::size_t octets = 0;
  };
  using lock = std::unique_lock<std::mutex>;

  static std::size_t octets_of(const protocol::publish& what) noexcept;
  bool is_window_open(std::size_t octets) const noexcept;
  bool has_room(std::size_t octets) const noexcept;
  bool make_room(std::size_t octets, lock& held);
  void keep(const protocol::publish& what, std::size_t octets);
  void send(const protocol::publish& what, std::size_t octets, lock& held);
  void send_waiting(lock& held);
  void drop(std::size_t count, lock& held);

  const lane_limits limits_;
  const sender send_;
  const observer tell_;
  mutable std::mutex mutex_;
  std::condition_variable changed_; // room came, the sender returned, the end; all below under mutex_
  std::deque<parcel> waiting_;
  std::size_t waiting_octets_ = 0;
  std::size_t on_their_way_ = 0;
  std::size_t octets_on_their_way_ = 0;
  std::uint64_t carried_ = 0;
  std::uint64_t dropped_ = 0;
  bool is_sending_ = false; // somebody calls the sender, and will look again
  bool is_closed_ = false;
};

} // namespace brokerage
} // namespace troupe
