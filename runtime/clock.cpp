#include "clock.hpp"

#include <algorithm>
#include <utility>

namespace troupe::runtime {

void deadline::disarm() noexcept {
  if (clock_ != nullptr) clock_->disarm(*this);
}

clock::~clock() {
  for (auto* each : heap_) each->clock_ = nullptr;
}

time_point clock::now() const noexcept {
  return manual_ != nullptr ? manual_->now() : std::chrono::steady_clock::now();
}

void clock::arm(deadline& what, time_point due) {
  what.turn_ = ++turns_;
  what.due_ = due;
  if (what.clock_ == this) {
    // Later than filed: it stays where it is and is filed again when its old place comes up.
    if (due >= what.filed_) return;
    what.filed_ = due;
    rise(what.place_);
    return;
  }
  what.disarm();
  what.clock_ = this;
  what.filed_ = due;
  heap_.push_back(&what);
  what.place_ = heap_.size() - 1;
  rise(what.place_);
}

void clock::disarm(deadline& what) noexcept {
  if (what.clock_ != this) return;
  what.clock_ = nullptr;
  take_out(what.place_);
}

time_point clock::next_due() noexcept {
  while (!heap_.empty()) {
    auto& first = *heap_.front();
    if (first.filed_ == first.due_) return first.due_;
    first.filed_ = first.due_;
    sink(0);
  }
  return time_point::max();
}

bool clock::fire() {
  if (heap_.empty()) return false;
  const auto present = now();
  // What a callback arms anew has its turn at the next call, lest one that is always due holds us.
  const auto last_turn = turns_;
  bool fired = false;
  while (next_due() <= present) {
    auto& first = *heap_.front();
    if (first.turn_ > last_turn) break;
    disarm(first);
    fired = true;
    first.call_(first.owner_);
  }
  return fired;
}

bool clock::is_before(const deadline& left, const deadline& right) noexcept {
  return left.filed_ != right.filed_ ? left.filed_ < right.filed_ : left.turn_ < right.turn_;
}

void clock::place(deadline& what, std::size_t at) noexcept {
  heap_[at] = &what;
  what.place_ = at;
}

void clock::rise(std::size_t at) noexcept {
  auto& what = *heap_[at];
  while (at != 0) {
    const auto above = (at - 1) / 2;
    if (!is_before(what, *heap_[above])) break;
    place(*heap_[above], at);
    at = above;
  }
  place(what, at);
}

void clock::sink(std::size_t at) noexcept {
  auto& what = *heap_[at];
  for (;;) {
    auto below = 2 * at + 1;
    if (below >= heap_.size()) break;
    if (below + 1 < heap_.size() && is_before(*heap_[below + 1], *heap_[below])) ++below;
    if (!is_before(*heap_[below], what)) break;
    place(*heap_[below], at);
    at = below;
  }
  place(what, at);
}

void clock::take_out(std::size_t at) noexcept {
  auto& last = *heap_.back();
  heap_.pop_back();
  if (at == heap_.size()) return;
  place(last, at);
  rise(at);
  sink(last.place_);
}

void manual_clock::advance(duration by) {
  const auto target = now() + by;
  for (;;) {
    settle();
    const auto next = first_due();
    if (next > target) break;
    if (next > now()) now_.store(next.time_since_epoch().count(), std::memory_order_release);
    const std::lock_guard hold{parts_mutex_};
    for (auto* part : parts_) part->look();
  }
  now_.store(target.time_since_epoch().count(), std::memory_order_release);
  settle();
}

void manual_clock::settle() {
  const std::lock_guard hold{parts_mutex_};
  // Idle means that two rounds in a row found everybody idle and nothing done in between: what one
  // stage sent to another while that was being asked shows in the second round.
  for (int quiet = 0; quiet < 2;) {
    bool all_quiet = true;
    for (auto* part : parts_) all_quiet = part->settle() && all_quiet;
    quiet = all_quiet ? quiet + 1 : 0;
  }
}

time_point manual_clock::first_due() {
  const std::lock_guard hold{parts_mutex_};
  auto result = time_point::max();
  for (auto* part : parts_) result = std::min(result, part->first_due());
  return result;
}

void manual_clock::attach(timed& part) {
  const std::lock_guard hold{parts_mutex_};
  parts_.push_back(&part);
}

void manual_clock::detach(timed& part) noexcept {
  const std::lock_guard hold{parts_mutex_};
  std::erase(parts_, &part);
}

} // namespace troupe::runtime
