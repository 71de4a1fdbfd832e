// message_stamp: what the first octets of a payload say: whose message it is, and when it was due and sent.
//
// Lives here: message_stamp, write_stamp(), read_stamp(), boot_mark().
// Holds:   octets 0-7: publisher (24 bits) and number (40 bits); 8-15: when it was due; 16-19: how much
//          later it was sent; 20-23: the mark of this boot, since only on one machine and between two
//          boots do two processes read the same clock. Shorter payloads carry the number alone, or
//          nothing. Octet i of the rest is i mod 256.
// Units:   nanoseconds of the monotonic clock; the lag in steps of 16 ns, at most 68 s.
#pragma once

#include "../../protocol/slice.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>

namespace troupe::bench {

constexpr std::size_t numbered_octets = 8;
constexpr std::size_t stamped_octets = 24;

struct message_stamp {
  std::uint32_t publisher = 0;
  std::uint64_t number = 0;
  std::int64_t due = 0;
  std::int64_t sent = 0;
  bool is_numbered = false;
  bool is_timed = false;
};

inline std::int64_t now_ns() noexcept {
  return std::chrono::nanoseconds{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

/// The same for all processes of a machine until it boots again.
std::uint32_t boot_mark();

inline void write_stamp(std::span<protocol::octet> payload, const message_stamp& stamp,
                        std::uint32_t mark) noexcept {
  if (payload.size() < numbered_octets) return;
  const std::uint64_t number = std::uint64_t{stamp.publisher} << 40U | stamp.number;
  std::memcpy(payload.data(), &number, sizeof number);
  if (payload.size() < stamped_octets) return;
  const auto lag =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>((stamp.sent - stamp.due) / 16, 0, UINT32_MAX));
  std::memcpy(payload.data() + 8, &stamp.due, sizeof stamp.due);
  std::memcpy(payload.data() + 16, &lag, sizeof lag);
  std::memcpy(payload.data() + 20, &mark, sizeof mark);
}

inline message_stamp read_stamp(protocol::octets payload, std::uint32_t mark) noexcept {
  message_stamp stamp;
  if (payload.size() < numbered_octets) return stamp;
  std::uint64_t number = 0;
  std::memcpy(&number, payload.data(), sizeof number);
  stamp.publisher = static_cast<std::uint32_t>(number >> 40U);
  stamp.number = number & ((std::uint64_t{1} << 40U) - 1);
  stamp.is_numbered = true;
  if (payload.size() < stamped_octets) return stamp;
  std::uint32_t found = 0;
  std::memcpy(&found, payload.data() + 20, sizeof found);
  stamp.is_timed = found == mark;
  if (!stamp.is_timed) return stamp;
  std::uint32_t lag = 0;
  std::memcpy(&stamp.due, payload.data() + 8, sizeof stamp.due);
  std::memcpy(&lag, payload.data() + 16, sizeof lag);
  stamp.sent = stamp.due + std::int64_t{lag} * 16;
  return stamp;
}

} // namespace troupe::bench
