#include "slab_rack.hpp"

namespace troupe::runtime {

std::unique_ptr<slab_pool> slab_rack::take() {
  {
    const std::lock_guard hold{mutex_};
    if (!waiting_.empty()) {
      auto found = std::move(waiting_.back());
      waiting_.pop_back();
      return found;
    }
  }
  return std::make_unique<slab_pool>(cached);
}

void slab_rack::put(std::unique_ptr<slab_pool> done) noexcept {
  done->trim(kept);
  const std::lock_guard hold{mutex_};
  if (waiting_.size() < most_pools) waiting_.push_back(std::move(done));
}

} // namespace troupe::runtime
