// wire_writer: appends wire forms to room that was reserved before, MQTT 5.0 section 1.5.
//
// Lives here: the writers of each wire form, and the size of a variable byte integer.
// Holds:   checks nothing: sizes and values were judged by the encoder that reserved the room.
// Threads: a local of one encoder, so that its cursor stays in a register: stores through octets
//          may alias anything else.
// Costs:   inline; short texts are copied by overlapping moves of fixed width instead of a call.
#pragma once

#include "slice.hpp"

#include <cstring>
#include <string_view>

namespace troupe::protocol {

/// Octets that a variable byte integer takes.
constexpr std::size_t variable_size(std::uint32_t value) noexcept {
  return value < 128U ? 1 : value < 16'384U ? 2 : value < 2'097'152U ? 3 : 4;
}

/// Octets of a whole packet whose remaining length is `remaining`.
constexpr std::size_t packet_size(std::size_t remaining) noexcept {
  return 1 + variable_size(static_cast<std::uint32_t>(remaining)) + remaining;
}

namespace detail {

/// Both halves are loaded before any is stored, so that they may overlap.
template <std::size_t Width>
inline void copy_ends(octet* to, const octet* from, std::size_t count) noexcept {
  struct block {
    octet bytes[Width];
  } low, high;
  std::memcpy(&low, from, Width);
  std::memcpy(&high, from + count - Width, Width);
  std::memcpy(to, &low, Width);
  std::memcpy(to + count - Width, &high, Width);
}

inline void copy(octet* to, const octet* from, std::size_t count) noexcept {
  if (count > 64)
    std::memcpy(to, from, count);
  else if (count >= 32)
    copy_ends<32>(to, from, count);
  else if (count >= 16)
    copy_ends<16>(to, from, count);
  else if (count >= 8)
    copy_ends<8>(to, from, count);
  else if (count >= 4)
    copy_ends<4>(to, from, count);
  else if (count >= 2)
    copy_ends<2>(to, from, count);
  else if (count == 1)
    *to = *from;
}

} // namespace detail

class wire_writer {
public:
  explicit wire_writer(octet* to) noexcept : at_{to} {}

  octet* position() const noexcept { return at_; }

  void write_byte(octet value) noexcept { *at_++ = value; }
  void write_two_bytes(std::uint16_t value) noexcept {
    const auto big = static_cast<std::uint16_t>((value << 8U) | (value >> 8U));
    std::memcpy(at_, &big, 2);
    at_ += 2;
  }
  void write_four_bytes(std::uint32_t value) noexcept {
    write_two_bytes(static_cast<std::uint16_t>(value >> 16U));
    write_two_bytes(static_cast<std::uint16_t>(value));
  }
  void write_variable(std::uint32_t value) noexcept {
    if (value < 128U) {
      *at_++ = static_cast<octet>(value);
      return;
    }
    write_long_variable(value);
  }
  void write_raw(octets value) noexcept {
    detail::copy(at_, value.data(), value.size());
    at_ += value.size();
  }
  /// Two length octets and the octets; at most 65,535.
  void write_binary(octets value) noexcept {
    write_two_bytes(static_cast<std::uint16_t>(value.size()));
    write_raw(value);
  }
  void write_text(std::string_view value) noexcept { write_binary(as_octets(value)); }

private:
  void write_long_variable(std::uint32_t value) noexcept {
    at_[0] = static_cast<octet>(value | 0x80U);
    if (value < 16'384U) {
      at_[1] = static_cast<octet>(value >> 7U);
      at_ += 2;
      return;
    }
    at_[1] = static_cast<octet>((value >> 7U) | 0x80U);
    if (value < 2'097'152U) {
      at_[2] = static_cast<octet>(value >> 14U);
      at_ += 3;
      return;
    }
    at_[2] = static_cast<octet>((value >> 14U) | 0x80U);
    at_[3] = static_cast<octet>(value >> 21U);
    at_ += 4;
  }

  octet* at_;
};

} // namespace troupe::protocol
