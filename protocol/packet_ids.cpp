#include "packet_ids.hpp"

#include <bit>
#include <cassert>

namespace troupe::protocol {

namespace {
constexpr std::size_t words = 65'536 / 64;
} // namespace

packet_id packet_ids::take() {
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

void packet_ids::give_back(packet_id id) noexcept {
  const std::size_t word = id / 64U;
  const std::uint64_t bit = std::uint64_t{1} << (id % 64U);
  assert(id != 0 && word < free_.size() && (free_[word] & bit) == 0);
  free_[word] |= bit;
  open_[word / 64] |= std::uint64_t{1} << (word % 64);
  --taken_;
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
