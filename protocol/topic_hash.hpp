// topic_hash: a seeded hash of topic names and of their levels.
//
// Lives here: topic_hash, a folded multiply over 8 octets at a time; unpredictable_seed.
// Holds:   the same seed and octets give the same number. It is fast, not cryptographic: it stops
//          prepared collisions as long as the seed is unknown; whoever needs more hands in a seed from
//          a true source, and tables bound their probes besides.
// Costs:   2 to 3 ns for a usual topic; nothing allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace troupe::protocol {

/// Differs from run to run where the system places memory at random, and from call to call.
std::uint64_t unpredictable_seed() noexcept;

class topic_hash {
public:
  explicit topic_hash(std::uint64_t seed) noexcept : seed_{seed ^ 0x9E37'79B9'7F4A'7C15U} {}

  std::uint64_t operator()(std::string_view text) const noexcept {
    const char* at = text.data();
    std::size_t left = text.size();
    std::uint64_t state = seed_ ^ left;
    for (; left > 16; at += 16, left -= 16) state = fold(read(at, 8) ^ state, read(at + 8, 8) ^ stir_);
    const std::uint64_t low = left >= 8 ? read(at, 8) : read_short(at, left);
    const std::uint64_t high = left >= 8 ? read(at + left - 8, 8) : left;
    return fold(low ^ state, high ^ stir_ ^ seed_);
  }
  /// Of a level below a parent.
  std::uint64_t join(std::uint64_t parent, std::uint64_t level) const noexcept {
    return fold(level ^ seed_, parent + stir_);
  }

private:
  static constexpr std::uint64_t stir_ = 0xD6E8'FEB8'6659'FD93U;

  static std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  }
  static std::uint64_t read(const char* at, std::size_t count) noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, at, count);
    return value;
  }
  /// 0 to 7 octets, each of them once at least.
  static std::uint64_t read_short(const char* at, std::size_t count) noexcept {
    if (count >= 4) {
      std::uint32_t first = 0;
      std::uint32_t last = 0;
      std::memcpy(&first, at, 4);
      std::memcpy(&last, at + count - 4, 4);
      return std::uint64_t{first} << 32U | last;
    }
    if (count == 0) return 0;
    const auto octet_at = [&](std::size_t n) { return std::uint64_t{static_cast<unsigned char>(at[n])}; };
    return octet_at(0) << 16U | octet_at(count / 2) << 8U | octet_at(count - 1);
  }

  std::uint64_t seed_;
};

} // namespace troupe::protocol
