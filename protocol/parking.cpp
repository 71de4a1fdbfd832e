#include "parking.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {
constexpr std::size_t smallest = 16;
constexpr std::size_t kept_when_empty = 4'096; // 64 KB
} // namespace

void parking::push(ticket next) {
  if (count_ == places_.size()) grow();
  place(count_++) = next;
}

void parking::pop() noexcept {
  head_ = (head_ + 1) & (places_.size() - 1);
  if (--count_ == 0 && places_.size() > kept_when_empty) {
    places_ = {};
    head_ = 0;
  }
}

bool parking::remove(request_token token) noexcept {
  for (std::size_t n = 0; n < count_; ++n) {
    if (place(n).token != token) continue;
    for (; n > 0; --n) place(n) = place(n - 1);
    pop();
    return true;
  }
  return false;
}

void parking::grow() {
  std::vector<ticket> larger(std::max(smallest, places_.size() * 2));
  for (std::size_t n = 0; n < count_; ++n) larger[n] = place(n);
  places_ = std::move(larger);
  head_ = 0;
}

} // namespace troupe::protocol
