#include "packet_ids.hpp"

namespace troupe::protocol {

void packet_ids::clear() noexcept {
  free_.clear();
  open_.clear();
  taken_ = 0;
}

void packet_ids::grow() {
  const std::size_t word = free_.size();
  free_.push_back(word == 0 ? ~std::uint64_t{1} : ~std::uint64_t{0}); // 0 is no id
  if (word % 64 == 0) open_.push_back(0);
  open_.back() |= std::uint64_t{1} << (word % 64);
}

} // namespace troupe::protocol
