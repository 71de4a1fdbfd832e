// frame_reader: what a frame holds after its header, read with an eye on its end.
//
// Lives here: frame_reader.
// Holds:   after the first step beyond the end nothing is read any more and is_good() is false.
// Units:   octets.
#pragma once

#include "raw_wire.hpp"

#include <cstddef>
#include <string_view>

namespace troupe::bench {

class frame_reader {
public:
  explicit frame_reader(const raw_frame& frame) : at_{frame.body}, end_{frame.begin + frame.size} {}

  bool is_good() const noexcept { return is_good_; }
  bool is_over() const noexcept { return at_ == end_; }
  octet* place() const noexcept { return at_; }
  std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

  std::size_t one() noexcept { return skip(1) ? at_[-1] : 0; }
  std::size_t two() noexcept { return skip(2) ? get_u16(at_ - 2) : 0; }
  std::string_view text() noexcept {
    const std::size_t size = two();
    if (!skip(size)) return {};
    return {reinterpret_cast<const char*>(at_ - size), size};
  }
  std::size_t varint() noexcept {
    std::size_t value = 0;
    for (unsigned shift = 0; shift <= 21; shift += 7) {
      const std::size_t next = one();
      value |= (next & 0x7FU) << shift;
      if ((next & 0x80U) == 0) return value;
    }
    is_good_ = false;
    return 0;
  }
  bool skip(std::size_t count) noexcept {
    is_good_ = is_good_ && count <= left();
    if (is_good_) at_ += count;
    return is_good_;
  }

private:
  octet* at_;
  octet* end_;
  bool is_good_ = true;
};

} // namespace troupe::bench
