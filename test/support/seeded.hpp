// seeded: chance that a failing test can repeat.
#pragma once

#include <cstdint>

namespace support {

/// The same seed gives the same numbers everywhere.
class chance {
public:
  explicit chance(std::uint64_t seed) noexcept : state_{seed} {}

  std::uint64_t number() noexcept {
    state_ += 0x9E37'79B9'7F4A'7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return z ^ (z >> 31U);
  }
  /// 0 .. bound - 1.
  std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>((number() >> 32U) * bound >> 32U);
  }
  /// True once in `bound` times.
  bool one_in(std::uint32_t bound) noexcept { return below(bound) == 0; }

private:
  std::uint64_t state_;
};

} // namespace support
