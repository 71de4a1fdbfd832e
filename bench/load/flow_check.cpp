#include "flow_check.hpp"

#include <algorithm>

namespace troupe::bench {
namespace {
constexpr std::size_t missing_limit = 100'000;
} // namespace

void flow_check::take_unexpected(std::uint64_t number) {
  if (number > next_) {
    const std::uint64_t gap = number - next_;
    const std::uint64_t kept = std::min<std::uint64_t>(gap, missing_limit - missing_.size());
    for (std::uint64_t i = 0; i < kept; ++i) missing_.push_back(next_ + i);
    beyond_list_ += gap - kept;
    next_ = number + 1;
    return;
  }
  const auto place = std::lower_bound(missing_.begin(), missing_.end(), number);
  if (place == missing_.end() || *place != number) {
    ++duplicated_;
    return;
  }
  ++reordered_;
  missing_.erase(place);
}

std::uint64_t flow_check::lost(std::uint64_t expected) const noexcept {
  const std::uint64_t never_reached = next_ < expected ? expected - next_ : 0;
  return missing_.size() + beyond_list_ + never_reached;
}

} // namespace troupe::bench
