// raw_wire: just enough MQTT for the raw limit, written out by hand.
//
// Lives here: raw_format, put_publish, put_ack, raw_frame, cut_frame, topic_table.
// Holds:   nothing is validated beyond what cutting a stream into frames needs: the raw limit is what
//          bare threads could do, so it must not be slower than it has to be. None of this is used by
//          the library.
// Units:   octets.
// Costs:   a few nanoseconds a frame.
#pragma once

#include "../../protocol/slice.hpp"
#include "../../protocol/vocabulary.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace troupe::bench {

using protocol::octet;
using protocol::octets;
using protocol::packet_id;

/// What does not change from message to message.
struct raw_format {
  protocol::version version = protocol::version::v5_0;
  protocol::qos quality = protocol::qos::at_most_once;
  std::string_view topic;
  std::size_t payload = 0;

  bool has_id() const noexcept { return quality != protocol::qos::at_most_once; }
  /// Octets after the fixed header.
  std::size_t remaining() const noexcept {
    return 2 + topic.size() + (has_id() ? 2 : 0) + (version == protocol::version::v5_0 ? 1 : 0) + payload;
  }
  std::size_t frame() const noexcept {
    const std::size_t rest = remaining();
    return rest + 2 + (rest > 127 ? 1 : 0) + (rest > 16'383 ? 1 : 0) + (rest > 2'097'151 ? 1 : 0);
  }
};

inline octet* put_u16(octet* at, std::size_t value) noexcept {
  at[0] = static_cast<octet>(value >> 8U);
  at[1] = static_cast<octet>(value);
  return at + 2;
}

inline std::size_t get_u16(const octet* at) noexcept { return std::size_t{at[0]} << 8U | at[1]; }

/// Everything of a PUBLISH but its payload; answers where the payload goes.
inline octet* put_publish_head(octet* at, const raw_format& format, packet_id id) noexcept {
  *at++ = static_cast<octet>(0x30U | static_cast<unsigned>(format.quality) << 1U);
  std::size_t rest = format.remaining();
  for (; rest > 127; rest >>= 7U) *at++ = static_cast<octet>(rest | 0x80U);
  *at++ = static_cast<octet>(rest);
  at = put_u16(at, format.topic.size());
  std::memcpy(at, format.topic.data(), format.topic.size());
  at += format.topic.size();
  if (format.has_id()) at = put_u16(at, id);
  if (format.version == protocol::version::v5_0) *at++ = 0; // no properties
  return at;
}

/// PUBACK, PUBREC, PUBREL or PUBCOMP in its short form (the 5.0 form for "success" is the same).
inline octet* put_ack(octet* at, protocol::packet_type type, packet_id id) noexcept {
  const unsigned flags = type == protocol::packet_type::pubrel ? 2 : 0;
  at[0] = static_cast<octet>(static_cast<unsigned>(type) << 4U | flags);
  at[1] = 2;
  return put_u16(at + 2, id);
}
inline constexpr std::size_t ack_size = 4;

/// One frame in a buffer.
struct raw_frame {
  octet* begin = nullptr;
  octet* body = nullptr;
  std::size_t size = 0; // whole; 0 when the buffer holds no whole frame

  protocol::packet_type type() const noexcept { return static_cast<protocol::packet_type>(*begin >> 4U); }
  /// Of an ack.
  packet_id id() const noexcept { return static_cast<packet_id>(get_u16(body)); }
};

/// The frame at `begin`, if all of it lies before `end`.
inline raw_frame cut_frame(octet* begin, octet* end) noexcept {
  const auto available = static_cast<std::size_t>(end - begin);
  if (available < 2) return {};
  octet* at = begin + 1;
  std::size_t rest = *at & 0x7FU;
  for (unsigned shift = 7; (*at++ & 0x80U) != 0; shift += 7) {
    if (at == end || shift > 21) return {};
    rest |= std::size_t{*at & 0x7FU} << shift;
  }
  const std::size_t size = static_cast<std::size_t>(at - begin) + rest;
  if (size > available) return {};
  return {begin, at, size};
}

/// A PUBLISH taken apart.
struct raw_publish {
  std::string_view topic;
  octet* id = nullptr; // where the packet id stands; null at QoS 0
  octets payload;
};

inline raw_publish take_apart(const raw_frame& frame, protocol::version version) noexcept {
  raw_publish result;
  octet* at = frame.body;
  const std::size_t length = get_u16(at);
  result.topic = {reinterpret_cast<const char*>(at + 2), length};
  at += 2 + length;
  if ((*frame.begin & 0x06U) != 0) {
    result.id = at;
    at += 2;
  }
  if (version == protocol::version::v5_0) at += 1 + *at; // property blocks here are short
  result.payload = {at, static_cast<std::size_t>(frame.begin + frame.size - at)};
  return result;
}

/// Eight octets at a time; a look-up must not be slowed by its hash.
struct topic_hash {
  using is_avalanching = void;
  std::size_t operator()(std::string_view text) const noexcept {
    constexpr std::uint64_t factor = 0x9E37'79B9'7F4A'7C15U;
    std::uint64_t state = text.size() * factor;
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left >= 8; left -= 8, at += 8) state = mixed(state, at, 8);
    if (left != 0) state = mixed(state, at, left);
    return static_cast<std::size_t>(state ^ state >> 32U);
  }

private:
  static std::uint64_t mixed(std::uint64_t state, const char* from, std::size_t count) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, from, count);
    state = (state ^ word) * 0xD6E8'FEB8'6659'FD93U;
    return state ^ state >> 29U;
  }
};

/// Topic -> number of whoever wants it.
using topic_table = boost::unordered_flat_map<std::string_view, int, topic_hash>;

} // namespace troupe::bench
