#include "topic_hash.hpp"

namespace troupe::protocol {

std::uint64_t unpredictable_seed() noexcept {
  const int on_the_stack = 0;
  const auto here = reinterpret_cast<std::uintptr_t>(&on_the_stack);
  const auto code = reinterpret_cast<std::uintptr_t>(&unpredictable_seed);
  const auto heap = new char;
  const auto there = reinterpret_cast<std::uintptr_t>(heap);
  delete heap;
  const topic_hash mix{here};
  return mix.join(mix.join(here, code), there);
}

} // namespace troupe::protocol
