// door_run: publishes that one door took one behind the other, as one request.
//
// Lives here: door_run.
// Holds:   publishes of one quality, retained or not, whose packets lie side by side. Who waits is a row of
//          cells, or one group. Of cells: the door pushes a run when it begins and goes on joining publishes
//          to it as long as the session has not taken it and nobody else has pushed anything since: so a
//          run stands where its first publish stood, and no order between calls is lost. Their cells
//          are consecutive cells of one block in one round, and below the run, towards the beginning of the
//          slab, room is kept for one publish_record each, written only when the session has to look at
//          them one by one: at QoS 1 and 2, and when it cannot say them at once.
// Threads: join(): the door, under its guard, also after the session has taken the run. close() and what
//          follows it: the session, once.
// Units:   at most 2^22 publishes and 2^40 octets; the door ends a run long before (run_octets).
// Costs:   join: one atomic step. What the session does for a run at QoS 0 it does once, but for a store per
//          cell.
#pragma once

#include "request.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace troupe::actors {

/// Packets in a run end here: the session takes several runs before it looks after its connection.
inline constexpr std::size_t run_octets = std::size_t{8} << 10U;

class door_run : public user_request {
public:
  /// Begins with one publish; `asks` is its cell, or the group of all. Each publish of a run holds a reference
  /// to `memory`.
  door_run(const asker& asks, protocol::octet* frames, std::size_t frame_size, runtime::slab* memory,
           protocol::version v) noexcept
      : memory_{memory}, frames_{frames}, header_{*frames}, version_{v}, state_{one + frame_size} {
    who = asks;
    what = kind::run;
  }

  // -- the door
  /// One more. False: the session has taken the run, and this one is not in it.
  bool join(std::size_t frame_size) noexcept {
    // The packet and its cell were written before; close() acquires them.
    return (state_.fetch_add(one + frame_size, std::memory_order_release) & closed) == 0;
  }
  /// One more, while the session does not know of the run yet.
  void add(std::size_t frame_size) noexcept {
    state_.store(state_.load(std::memory_order_relaxed) + one + frame_size, std::memory_order_relaxed);
  }
  /// Whether a packet written behind its own may be one of it: of the same sort, and within its bound.
  bool suits(const protocol::octet* frame) const noexcept {
    return *frame == header_ && static_cast<std::size_t>(frame - frames_) < run_octets;
  }

  // -- the session
  struct extent {
    std::uint32_t count = 0;
    std::size_t octets = 0; // of all packets

    /// What they weigh at the doors.
    std::size_t weight() const noexcept { return count * record_line + octets; }
  };
  /// Ends it: what has joined so far, and nothing else will.
  extent close() noexcept {
    const std::uint64_t before = state_.fetch_or(closed, std::memory_order_acquire);
    return {static_cast<std::uint32_t>((before & ~closed) >> octet_bits),
            static_cast<std::size_t>(before & octet_mask)};
  }
  protocol::octet* frames() noexcept { return frames_; }
  protocol::qos quality() const noexcept { return static_cast<protocol::qos>(header_ >> 1U & 3U); }
  bool is_retained() const noexcept { return (header_ & 1U) != 0; }
  runtime::slab* memory() const noexcept { return memory_; }
  /// Makes a record of each publish, in order, and hands it to `f`, which may end it.
  template <class F>
  void for_each(const extent& whole, F&& f) {
    protocol::octet* frame = frames_;
    for (std::uint32_t at = 0; at != whole.count; ++at) {
      publish_record& record = make_record(at, frame);
      frame += record.frame_size;
      f(record);
    }
  }

private:
  static constexpr unsigned octet_bits = 40;
  static constexpr std::uint64_t one = std::uint64_t{1} << octet_bits;
  static constexpr std::uint64_t octet_mask = one - 1;
  static constexpr std::uint64_t closed = std::uint64_t{1} << 63U;

  publish_record& make_record(std::uint32_t at, protocol::octet* frame) noexcept;

  runtime::slab* memory_;
  protocol::octet* frames_;      // the first packet
  const protocol::octet header_; // the first octet of each, as they were written
  protocol::version version_;
  // Publishes and their octets; `closed` above them. The door adds, the session closes.
  std::atomic<std::uint64_t> state_;
};

static_assert(sizeof(door_run) <= record_line);

} // namespace troupe::actors
