#include "packet_ids.hpp"

namespace troupe::protocol {

bool packet_ids::take(packet_id id) {
  const std::size_t word = id / 64U;
  const std::uint64_t bit = std::uint64_t{1} << (id % 64U);
  while (free_.size() <= word) grow();
  if ((free_[word] & bit) == 0) return false;
  free_[word] &= ~bit;
  if (free_[word] == 0) open_[word / 64] &= ~(std::uint64_t{1} << (word % 64));
  ++taken_;
  return true;
}

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
