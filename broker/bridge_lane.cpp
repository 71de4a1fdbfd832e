#include "bridge_lane.hpp"

#include <utility>

namespace troupe::brokerage {

bridge_lane::bridge_lane(const lane_limits& limits, sender send, observer tell)
    : limits_{limits}, send_{std::move(send)}, tell_{std::move(tell)} {}

std::size_t bridge_lane::octets_of(const protocol::publish& what) noexcept {
  return what.topic.size() + what.payload.size() + what.properties.block().size();
}

bool bridge_lane::is_window_open(std::size_t octets) const noexcept {
  return on_their_way_ == 0
         || (on_their_way_ < limits_.window && octets_on_their_way_ + octets <= limits_.octets);
}

bool bridge_lane::has_room(std::size_t octets) const noexcept {
  return waiting_.empty()
         || (waiting_.size() < limits_.messages && waiting_octets_ + octets <= limits_.octets);
}

void bridge_lane::put(const protocol::publish& what) {
  const std::size_t octets = octets_of(what);
  lock held{mutex_};
  if (!is_closed_ && !is_sending_ && waiting_.empty() && is_window_open(octets)) {
    send(what, octets, held);
    return send_waiting(held);
  }
  if (is_closed_ || !make_room(octets, held)) return drop(1, held);
  keep(what, octets);
  send_waiting(held); // the last one may have ended while we waited
}

/// False: the message is to be dropped.
bool bridge_lane::make_room(std::size_t octets, lock& held) {
  switch (limits_.when_full) {
  case bridge_overflow::block:
    changed_.wait(held, [&] { return is_closed_ || has_room(octets); });
    return !is_closed_;
  case bridge_overflow::drop_newest: return has_room(octets);
  case bridge_overflow::drop_oldest: break;
  }
  std::size_t gone = 0;
  for (; !has_room(octets); ++gone) {
    waiting_octets_ -= waiting_.front().octets;
    waiting_.pop_front();
  }
  drop(gone, held);
  return true;
}

void bridge_lane::keep(const protocol::publish& what, std::size_t octets) {
  waiting_.push_back({.topic = std::string{what.topic},
                      .payload = {what.payload.begin(), what.payload.end()},
                      .properties = protocol::property_block{what.properties},
                      .quality = what.quality,
                      .retain = what.retain,
                      .octets = octets});
  waiting_octets_ += octets;
}

void bridge_lane::send(const protocol::publish& what, std::size_t octets, lock& held) {
  is_sending_ = true;
  ++on_their_way_;
  octets_on_their_way_ += octets;
  held.unlock();
  send_(what, octets);
  held.lock();
  is_sending_ = false;
  if (is_closed_) changed_.notify_all();
}

void bridge_lane::send_waiting(lock& held) {
  while (!is_sending_ && !waiting_.empty() && is_window_open(waiting_.front().octets)) {
    const parcel one = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_octets_ -= one.octets;
    changed_.notify_all();
    send({.topic = one.topic,
          .payload = one.payload,
          .properties = one.properties.view(),
          .quality = one.quality,
          .retain = one.retain},
         one.octets, held);
  }
}

void bridge_lane::end(std::size_t octets, bool is_carried) {
  lock held{mutex_};
  --on_their_way_;
  octets_on_their_way_ -= octets;
  (is_carried ? carried_ : dropped_) += 1;
  tell_(is_carried);
  send_waiting(held);
  if (on_their_way_ == 0) changed_.notify_all();
}

bool bridge_lane::settle(std::chrono::steady_clock::time_point until) {
  lock held{mutex_};
  return changed_.wait_until(held, until, [this] { return waiting_.empty() && on_their_way_ == 0; });
}

void bridge_lane::drop(std::size_t count, lock&) {
  dropped_ += count;
  for (; count != 0; --count) tell_(false);
}

void bridge_lane::close() {
  lock held{mutex_};
  is_closed_ = true;
  drop(std::exchange(waiting_, {}).size(), held);
  waiting_octets_ = 0;
  changed_.notify_all();
  changed_.wait(held, [this] { return !is_sending_; });
}

lane_counts bridge_lane::counts() const {
  const std::lock_guard held{mutex_};
  return {carried_, dropped_, waiting_.size(), on_their_way_};
}

} // namespace troupe::brokerage
