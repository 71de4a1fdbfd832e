// wire_reader: a bounded cursor over received octets, MQTT 5.0 section 1.5.
//
// Lives here: the readers of each wire form; a variable byte integer longer than its shortest form is
//          refused [MQTT-1.5.5-1].
// Holds:   never moves past its end; a read that answers false has not moved the cursor to any use and
//          the packet is malformed.
// Threads: a local of one decoder.
// Costs:   inline, no allocation; texts and binaries are views. Texts are checked, which needs
//          read_slack readable octets after the end.
#pragma once

#include "errc.hpp"
#include "slice.hpp"
#include "utf8.hpp"
#include "vocabulary.hpp"

#include <cstring>
#include <string_view>

namespace troupe::protocol {

class wire_reader {
public:
  explicit wire_reader(octets source) noexcept : at_{source.data()}, end_{source.data() + source.size()} {}

  std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  bool at_end() const noexcept { return at_ == end_; }
  const octet* position() const noexcept { return at_; }
  octets rest() const noexcept { return {at_, left()}; }

  [[nodiscard]] bool read_byte(octet& value) noexcept {
    if (at_ == end_) return false;
    value = *at_++;
    return true;
  }
  [[nodiscard]] bool read_two_bytes(std::uint16_t& value) noexcept {
    if (left() < 2) return false;
    std::uint16_t big = 0;
    std::memcpy(&big, at_, 2);
    value = from_big(big);
    at_ += 2;
    return true;
  }
  [[nodiscard]] bool read_four_bytes(std::uint32_t& value) noexcept {
    if (left() < 4) return false;
    std::uint32_t big = 0;
    std::memcpy(&big, at_, 4);
    value = from_big(big);
    at_ += 4;
    return true;
  }
  /// Moves over one octet if that is 0: an empty property block, mostly.
  bool skip_zero() noexcept {
    if (at_ == end_ || *at_ != 0) return false;
    ++at_;
    return true;
  }
  /// A variable byte integer in its shortest form.
  [[nodiscard]] bool read_variable(std::uint32_t& value) noexcept {
    if (at_ != end_ && *at_ < 0x80U) {
      value = *at_++;
      return true;
    }
    return read_long_variable(value);
  }
  /// Two length octets and as many octets.
  [[nodiscard]] bool read_binary(octets& value) noexcept {
    std::uint16_t size = 0;
    if (!read_two_bytes(size) || left() < size) return false;
    value = {at_, size};
    at_ += size;
    return true;
  }
  /// A binary that is text.
  [[nodiscard]] bool read_text(std::string_view& value) noexcept {
    octets raw;
    if (!read_binary(raw) || find_text_fault(raw) != text_fault::none) return false;
    value = as_text(raw);
    return true;
  }
  /// The next `count` octets as they are.
  [[nodiscard]] bool take(std::size_t count, octets& value) noexcept {
    if (left() < count) return false;
    value = {at_, count};
    at_ += count;
    return true;
  }

private:
  static std::uint16_t from_big(std::uint16_t big) noexcept {
    return static_cast<std::uint16_t>((big << 8U) | (big >> 8U));
  }
  static std::uint32_t from_big(std::uint32_t big) noexcept {
    return (big << 24U) | ((big & 0xFF00U) << 8U) | ((big >> 8U) & 0xFF00U) | (big >> 24U);
  }
  bool read_long_variable(std::uint32_t& value) noexcept {
    const std::size_t most = left() < 4 ? left() : 4;
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < most; ++i) {
      const octet byte = at_[i];
      sum |= static_cast<std::uint32_t>(byte & 0x7FU) << (7U * i);
      if (byte >= 0x80U) continue;
      if (byte == 0 && i != 0) // a shorter form exists
        return false;
      value = sum;
      at_ += i + 1;
      return true;
    }
    return false;
  }

  const octet* at_;
  const octet* end_;
};

/// The packet identifier of everything but PUBLISH; never 0 [MQTT-2.2.1-3]. 0 = all is well.
inline errc read_packet_id(wire_reader& from, packet_id& id) noexcept {
  if (!from.read_two_bytes(id)) return errc::malformed_packet;
  return id == 0 ? errc::protocol_error : errc{};
}

} // namespace troupe::protocol
