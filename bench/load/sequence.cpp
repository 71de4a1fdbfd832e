#include "sequence.hpp"

#include <array>

namespace troupe::bench {
namespace {
constexpr std::size_t skipped_limit = 100'000;
} // namespace

void fill_payload(std::span<protocol::octet> payload) noexcept {
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<protocol::octet>(i);
}

sequence_check::sequence_check(std::size_t payload)
    : pattern_(payload),
      mask_{payload >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * payload) - 1},
      end_mask_{~std::uint64_t{0}} {
  fill_payload(pattern_);
  if (payload >= 8) std::memcpy(&end_, pattern_.data() + payload - sizeof end_, sizeof end_);
  if (payload < 16) { // octets of the number stand first in memory
    std::array<protocol::octet, 8> mask{};
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = payload + i >= 16 ? 0xFF : 0;
    std::memcpy(&end_mask_, mask.data(), sizeof end_mask_);
  }
}

void sequence_check::arm(std::uint64_t first, std::uint64_t expected) {
  first_ = next_ = first;
  expected_ = expected;
  received_ = duplicated_ = reordered_ = damaged_ = 0;
  skipped_.clear();
  skipped_beyond_ = 0;
}

bool sequence_check::rest_fits(protocol::octets payload) const noexcept {
  constexpr std::size_t head = 8;
  return payload.size() <= head
         || std::memcmp(payload.data() + head, pattern_.data() + head, payload.size() - head) == 0;
}

void sequence_check::take_unexpected(protocol::octets payload, bool fits) noexcept {
  if (!fits) {
    ++damaged_;
    return;
  }
  // A short payload carries the low end only; take it for the number nearest to the one expected.
  const std::uint64_t distance = (number_of(payload) - next_) & mask_;
  const bool is_ahead = distance <= mask_ / 2;
  if (is_ahead) {
    const std::uint64_t number = next_ + distance;
    for (; next_ < number; ++next_) {
      if (skipped_.size() < skipped_limit)
        skipped_.push_back(next_);
      else
        ++skipped_beyond_;
    }
    next_ = number + 1;
    return;
  }
  const std::uint64_t number = next_ - ((mask_ - distance) + 1);
  const auto place = std::find(skipped_.begin(), skipped_.end(), number);
  if (place == skipped_.end()) {
    ++duplicated_;
  } else {
    ++reordered_;
    skipped_.erase(place);
  }
}

std::uint64_t sequence_check::lost() const noexcept {
  const std::uint64_t end = first_ + expected_;
  const std::uint64_t never_reached = next_ < end ? end - next_ : 0;
  return skipped_.size() + skipped_beyond_ + never_reached;
}

} // namespace troupe::bench
