// What a shard does at the end of an event, and what it puts off until then or later.
#include "shard.hpp"

#include "wills.hpp"

#include <utility>

namespace troupe::brokerage {

// -- events -------------------------------------------------------------------

void shard::begin_event() noexcept {
  if (depth_++ != 0) return;
  shop_.now = host_.now();
  if (pledged_ != nullptr) pledged_->begin_event();
}

void shard::end_event() {
  if (depth_ == 1) {
    settle();
    host_.on_event_end(agenda_.next());
  }
  --depth_;
}

void shard::settle() {
  routing_.flush_run();
  while (!wills_.empty() || !ending_.empty() || !left_.empty()) {
    for (const auto& [will, from] : std::exchange(wills_, {})) publish_will(will, from);
    let_sessions_go(); // a will may have been one too many for somebody
    for (const session_number number : std::exchange(ending_, {}))
      if (peer_session* const who = sessions_.find(number);
          who != nullptr && who->is_ending && !who->is_moving)
        admissions_.end(*who);
  }
  serve_stops();
  if (pledged_ != nullptr) serve_redeemed();
  const pledge_number pledge = pledged_ == nullptr ? 0 : close_pledge();
  flushing_.swap(dirty_); // both keep their memory
  for (peer* const who : flushing_) who->flush(pledge);
  flushing_.clear();
  if (is_crowded()) hold_back_sources();
}

void shard::serve_redeemed() {
  for (const peer_number number : pledged_->take_redeemed())
    if (peer* const who = find_peer(number); who != nullptr) who->on_redeemed();
}

pledge_number shard::close_pledge() {
  const pledge_number pledge = pledged_->end_event();
  durable_->hand_over_in_turn();
  if (durable_->has_news()) host_.call_again();
  pledged_->tell([this](shard_number to, stored&& news) { host_.post(to, std::move(news)); });
  return pledge;
}

void shard::let_sessions_go() {
  for (const peer_number number : std::exchange(left_, {}))
    if (peer* const who = find_peer(number); who != nullptr) who->let_session_go();
}

void shard::hold_back_sources() {
  for (const auto& [number, who] : peers_)
    if (who->hold_back()) held_back_.push_back(number);
}

// -- put off ------------------------------------------------------------------

void shard::pump_later(peer_session& who) {
  if (std::exchange(who.is_pumped_later, true)) return;
  pumped_.push_back(&who);
  host_.call_again();
}

void shard::go_on_later(peer& who) {
  going_on_.push_back(who.number());
  host_.call_again();
}

void shard::serve_stops() {
  for (const stop_wish& one : std::exchange(shop_.stops, {})) {
    if (const peer_session* const who = sessions_.find(one.by); one.begins && one.is_first && who != nullptr)
      agenda_.enter(who->block_ends(), agenda::kind::session, one.by);
    serve_stop(one, true);
  }
}

/// `is_ours`: others are asked for a publisher that is not connected here.
void shard::serve_stop(const stop_wish& wish, bool is_ours) {
  peer_session* const session = sessions_.find(wish.publisher);
  if (peer* const who = session == nullptr ? nullptr : session->connection(); who != nullptr) {
    if (wish.begins)
      who->stop_publishing(wish.by);
    else
      who->let_publish(wish.by);
    return;
  }
  if (!is_ours || !wish.is_first) return;
  for (shard_number other = 0; other < shards_; ++other)
    if (other != self_) host_.post(other, publisher_stop{wish});
}

void shard::pump(peer_session& who) {
  if (who.connection() != nullptr && who.pump()) pump_later(who);
}

void shard::end_later(peer_session& who) {
  if (!std::exchange(who.is_ending, true)) ending_.push_back(who.number());
}

void shard::publish_later(message_ref will, session_number from) {
  wills_.emplace_back(std::move(will), from);
}

void shard::publish_will(const message_ref& will, session_number from) {
  routing_.flush_run();
  shop_.counts.wills_published.add();
  routing_.publish_own(will->packet(), will->owner(), from);
  admissions_.on_will_said(from);
}

void shard::watch(const peer_session& who) {
  agenda_.enter(next_due(who), agenda::kind::session, who.number());
}

void shard::watch(peer& who) {
  const protocol::time_point next = who.machine().next_deadline();
  if (next >= who.watched) return; // looked at before that anyway
  who.watched = next;
  agenda_.enter(next, agenda::kind::peer, who.number());
}

void shard::forget(peer_session& who) {
  if (who.is_pumped_later) std::erase(pumped_, &who);
  who.is_pumped_later = false;
}

void shard::take_due() {
  agenda_.take_due(shop_.now, [this](const agenda::entry& due) {
    if (due.what == agenda::kind::session) {
      if (peer_session* const who = sessions_.find(due.number); who != nullptr) on_due(*who);
      return;
    }
    peer* const who = find_peer(due.number);
    if (who == nullptr || due.when != who->watched) return;
    who->watched = protocol::never;
    who->on_deadline();
    if (!who->is_leaving()) watch(*who);
  });
}

void shard::on_due(peer_session& who) {
  if (who.block_ends() <= shop_.now) who.give_up_blocking();
  if (who.connection() != nullptr || who.is_moving) return; // it came back
  if (who.will_due <= shop_.now) {
    who.will_due = protocol::never; // else the same moment would come up again and again
    if (who.will) publish_later(std::exchange(who.will, {}), who.number());
  }
  if (who.ends <= shop_.now)
    end_later(who);
  else
    watch(who);
}

} // namespace troupe::brokerage
