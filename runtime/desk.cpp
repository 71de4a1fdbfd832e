#include "desk.hpp"

#include <utility>

namespace troupe::runtime {

void desk_line::call(task what) {
  const std::lock_guard lock{mutex_};
  if (owner_ == nullptr) return;
  calls_.push_back(std::move(what));
  if (calls_.size() == 1) owner_->ring();
}

void desk::run() {
  if (is_at_home()) return;
  {
    const std::lock_guard lock{line_->mutex_};
    present_.swap(line_->calls_);
  }
  for (task& each : present_)
    if (!is_closed_) each();
  present_.clear();
}

void desk::close() noexcept {
  is_closed_ = true;
  std::vector<task> dropped; // destroyed after the mutex is free: they may call back
  {
    const std::lock_guard lock{line_->mutex_};
    line_->owner_ = nullptr;
    dropped.swap(line_->calls_);
  }
}

} // namespace troupe::runtime
