#include "postbox.hpp"

#include "../protocol/errc.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

void postbox::tell(std::function<void()> listener) {
  const std::scoped_lock lock{mutex_};
  listener_ = std::move(listener);
}

bool postbox::make_room(std::unique_lock<std::mutex>& lock) {
  if (messages_.size() < limit_) return true;
  switch (policy_) {
  case overflow::block:
    changed_.wait(lock, [this] { return is_closed_ || messages_.size() < limit_; });
    return !is_closed_;
  case overflow::drop_oldest:
    messages_.pop_front();
    ++dropped_;
    return true;
  case overflow::drop_newest: ++dropped_; return false;
  }
  return false;
}

void postbox::put(const message& m) {
  {
    std::unique_lock lock{mutex_};
    if (is_closed_ || !make_room(lock)) return;
    messages_.push_back(m);
    changed_.notify_all();
    if (std::exchange(is_announced_, true)) return;
  }
  if (listener_) listener_();
}

std::optional<message> postbox::take_first() {
  if (messages_.empty()) {
    is_announced_ = false;
    return std::nullopt;
  }
  std::optional<message> first{std::move(messages_.front())};
  messages_.pop_front();
  changed_.notify_all();
  return first;
}

std::size_t postbox::take(std::vector<message>& into, std::size_t most) {
  const std::scoped_lock lock{mutex_};
  const std::size_t count = std::min(most, messages_.size());
  const auto end = messages_.begin() + static_cast<std::ptrdiff_t>(count);
  into.insert(into.end(), messages_.begin(), end);
  messages_.erase(messages_.begin(), end);
  if (messages_.empty()) is_announced_ = false;
  changed_.notify_all();
  return count;
}

std::optional<message> postbox::take_one() {
  const std::scoped_lock lock{mutex_};
  return take_first();
}

protocol::result<message> postbox::wait(std::chrono::steady_clock::time_point until,
                                        const std::stop_token& stop) {
  const auto ring = [this] {
    const std::scoped_lock lock{mutex_};
    changed_.notify_all();
  };
  const std::stop_callback on_stop{stop, ring}; // ends after the lock, which it may be waiting for
  std::unique_lock lock{mutex_};
  const auto is_over = [&] {
    return is_closed_ || is_cancelled_ || !messages_.empty() || stop.stop_requested();
  };
  if (until == std::chrono::steady_clock::time_point::max())
    changed_.wait(lock, is_over);
  else
    changed_.wait_until(lock, until, is_over);
  if (std::exchange(is_cancelled_, false) || stop.stop_requested()) return protocol::errc::cancelled;
  if (auto first = take_first()) return std::move(*first);
  return is_closed_ ? make_error_code(protocol::errc::closed) : std::make_error_code(std::errc::timed_out);
}

void postbox::cancel() noexcept {
  const std::scoped_lock lock{mutex_};
  is_cancelled_ = true;
  changed_.notify_all();
}

bool postbox::take_cancel() noexcept {
  const std::scoped_lock lock{mutex_};
  return std::exchange(is_cancelled_, false);
}

void postbox::close() noexcept {
  {
    const std::scoped_lock lock{mutex_};
    if (std::exchange(is_closed_, true)) return;
    changed_.notify_all();
  }
  if (listener_) listener_();
}

bool postbox::is_closed() const {
  const std::scoped_lock lock{mutex_};
  return is_closed_;
}

std::size_t postbox::size() const {
  const std::scoped_lock lock{mutex_};
  return messages_.size();
}

std::uint64_t postbox::dropped() const {
  const std::scoped_lock lock{mutex_};
  return dropped_;
}

} // namespace troupe::actors
