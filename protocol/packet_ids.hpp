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

#include <cstdint>
#include <vector>

namespace troupe::protocol {

class packet_ids {
public:
  /// The lowest free id, 0 when all 65,535 are taken.
  packet_id take();
  /// `id` must be taken.
  void give_back(packet_id id) noexcept;
  std::size_t taken() const noexcept { return taken_; }
  void clear() noexcept;

private:
  void grow();

  std::vector<std::uint64_t> free_; // bit set = free; id = 64 * word + bit
  std::vector<std::uint64_t> open_; // bit n set = free_[n] has a bit set
  std::size_t taken_ = 0;
};

} // namespace troupe::protocol
