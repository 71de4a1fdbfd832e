#include "state_watch.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace actors {

void state_watcher::tell(const state_change& change) noexcept {
  if (!gate.enter()) return;
  try {
    handler(change);
  } catch (...) { // a bystander's trouble is his own
  }
  gate.leave();
}

void state_board::show(const state_change& change) noexcept {
  const std::scoped_lock lock{mutex_};
  now_ = change;
  if (watchers_.empty()) return;
  const auto present = watchers_; // who is told may begin or end to watch
  for (const auto& each : present)
    if (const auto who = each.lock()) who->tell(change);
  std::erase_if(watchers_, [](const auto& each) { return each.expired(); });
}

std::shared_ptr<state_watcher> state_board::add(state_handler handler) {
  auto fresh = std::make_shared<state_watcher>(std::move(handler));
  const std::scoped_lock lock{mutex_};
  fresh->tell(now_);
  watchers_.push_back(fresh);
  return fresh;
}

} // namespace actors

state_watch& state_watch::operator=(state_watch&& other) noexcept {
  if (this != &other) {
    end();
    who_ = std::move(other.who_);
  }
  return *this;
}

void state_watch::end() noexcept {
  if (who_) who_->gate.close();
  who_.reset();
}

state_stream::state_stream(std::size_t limit) : shelf_{std::make_shared<shelf>()} {
  shelf_->limit = std::max<std::size_t>(limit, 1);
}

state_handler state_stream::handler() const {
  return [shelf = shelf_](const state_change& change) {
    const std::scoped_lock lock{shelf->mutex};
    if (shelf->changes.size() == shelf->limit) {
      shelf->changes.pop_front();
      ++shelf->dropped;
    }
    shelf->changes.push_back(change);
    shelf->came.notify_all();
  };
}

std::optional<state_change> state_stream::try_next() { return next_for({}); }

std::optional<state_change> state_stream::next_for(std::chrono::nanoseconds time) {
  std::unique_lock lock{shelf_->mutex};
  if (!shelf_->came.wait_for(lock, time, [this] { return !shelf_->changes.empty(); })) return std::nullopt;
  const state_change first = shelf_->changes.front();
  shelf_->changes.pop_front();
  return first;
}

bool state_stream::wait_until(client_state state, std::chrono::nanoseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto change = next_for(until - std::chrono::steady_clock::now());
    if (!change) return false;
    if (change->state == state) return true;
  }
}

std::uint64_t state_stream::dropped() const {
  const std::scoped_lock lock{shelf_->mutex};
  return shelf_->dropped;
}

} // namespace troupe
