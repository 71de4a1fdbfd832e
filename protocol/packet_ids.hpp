// packet_ids: the free ids of 1..65535.
//
// Lives here: packet_ids.
// Holds:   an id is handed out once until it is given back; the lowest free id goes first, so that
//          whoever has few in flight touches little memory.
// Threads: belongs to one exchange.
// Errors:  none free: take() answers 0.
// Costs:   a few bit operations, whether 2 or 65,535 are taken. Memory grows by 8 octets for each 64
//          ids ever in use at once.
#pragma once

#include "vocabulary.hpp"

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace troupe::protocol {

class packet_ids {
public:
  /// The lowest free id, 0 when all 65,535 are taken.
  packet_id take();
  /// This very id; false when it is taken already, or none.
  bool take(packet_id id);
  /// `id` must be taken.
  void give_back(packet_id id) noexcept;
  std::size_t taken() const noexcept { return taken_; }
  void clear() noexcept;

private:
  static constexpr std::size_t words = 65'536 / 64;
  void grow();

  std::vector<std::uint64_t> free_; // bit set = free; id = 64 * word + bit
  std::vector<std::uint64_t> open_; // bit n set = free_[n] has a bit set
  std::size_t taken_ = 0;
};

// ----------------------------------------------------------------------------------------------

inline packet_id packet_ids::take() {
  for (;;) {
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (open_[i] == 0) continue;
      const std::size_t word = i * 64 + static_cast<std::size_t>(std::countr_zero(open_[i]));
      const auto bit = static_cast<std::size_t>(std::countr_zero(free_[word]));
      free_[word] &= free_[word] - 1;
      if (free_[word] == 0) open_[i] &= open_[i] - 1;
      ++taken_;
      return static_cast<packet_id>(word * 64 + bit);
    }
    if (free_.size() == words) return 0;
    grow();
  }
}

inline void packet_ids::give_back(packet_id id) noexcept {
  const std::size_t word = id / 64U;
  const std::uint64_t bit = std::uint64_t{1} << (id % 64U);
  assert(id != 0 && word < free_.size() && (free_[word] & bit) == 0);
  free_[word] |= bit;
  open_[word / 64] |= std::uint64_t{1} << (word % 64);
  --taken_;
}

} // namespace troupe::protocol
