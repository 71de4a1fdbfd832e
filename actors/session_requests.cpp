// The requests of session: what users ask for, on its way to the machine, up to the orderly end.
#include "session.hpp"

#include "../protocol/errc.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace troupe::actors {

namespace {

/// Octets encoded in one run before the connection gets its turn, and handed over but not yet taken.
constexpr std::size_t octets_per_run = std::size_t{128} << 10U;
constexpr std::size_t outside_octets = std::size_t{512} << 10U;
constexpr std::size_t requests_per_run = 1024;
constexpr std::size_t requests_per_turn = 16; // each may be a run of publishes

} // namespace

bool session::may_produce() noexcept {
  if (ending_) return false;
  if (!link_) return true; // the machine keeps what comes; the doors bound it
  const auto is_free = [this] {
    return !link_->gauge->congested.load(std::memory_order_seq_cst)
           && outbound_.octets_out() < outside_octets;
  };
  if (is_free()) return true;
  link_->gauge->stalled.store(true, std::memory_order_seq_cst);
  return is_free();
}

// While callers publish, the session does not run after them item by item: it takes what is there, lets
// the sockets have their turn, and comes back. It lies down only when it came for nothing; so callers ring
// once a burst, and the lines they write on are left to them meanwhile. Handlers are another matter: one that
// is answered and asks for the next thing is served at once, so that a chain of awaited requests does not go
// through the run queue and past the sockets for each of its links.
bool session::take_requests() {
  std::size_t taken = 0;
  while (taken < requests_per_run && octets_written() < octets_per_run) {
    if (!may_produce()) return false;
    bool has_handlers = false;
    const auto count = requests_.take(requests_per_turn, [&](request_item&& item) {
      has_handlers |= item.what->who.what() == asker::kind::handler;
      on_request(*item.what);
    });
    taken += count;
    if (count < requests_per_turn && !has_handlers) break;
    if (!has_handlers) continue;
    answer();
  }
  return taken != 0 || !requests_.may_sleep();
}

void session::on_request(user_request& what) {
  if (!withdrawn_.empty()) [[unlikely]]
    if (what.what != user_request::kind::control
        || static_cast<control_request&>(what).operation != control::withdraw)
      withdraw();
  if (what.what == user_request::kind::run)
    on_run(static_cast<door_run&>(what));
  else if (ending_)
    held_.push_back(&what);
  else if (what.what == user_request::kind::publish)
    on_publish(publish_record::from(what));
  else
    on_control(std::unique_ptr<control_request>{static_cast<control_request*>(&what)});
}

void session::on_publish(publish_record& record) {
  if (refusing_) [[unlikely]]
    return end_publish(record, outcome{refusing_});
  protocol::packet_id id = 0;
  if (machine_.pass(record.token(), record.quality, record.retain, record.frame_size, id, now_)) [[likely]] {
    if (id != 0) record.set_id(id);
    append(record.frame, record.frame_size, record.memory);
    if (id != 0) { // its acknowledgement ends it
      take_time(record);
      if (!store_) [[likely]]
        return;
      store_->keep_publish(record.token(), record.packet());
      return store_->keep_sent(record.token(), id, record.quality);
    }
    ++published_;
    return ends_.succeed(record);
  }
  if (!may_wait(record)) return;
  note_age(record, now_);
  const bool is_counted = record.quality != qos::at_most_once; // the others may end, record and all, in here
  if (store_ && is_counted) store_->keep_publish(record.token(), record.packet());
  const auto taken = machine_.publish(record.token(), record.view(), now_);
  if (!taken) [[unlikely]]
    return end_publish(record, outcome{taken.error()});
  if (is_counted) take_time(record);
}

void session::on_run(door_run& run) {
  const door_run::extent whole = run.close();
  protocol::packet_id none = 0;
  // None of the packets is larger than all of them: a run that is refused as a whole is looked at one by one.
  const bool flows = run.quality() == protocol::qos::at_most_once && !ending_ && !refusing_
                     && machine_.pass({}, run.quality(), run.is_retained(), whole.octets, none, now_);
  if (!flows) [[unlikely]]
    return run.for_each(whole, [this](publish_record& each) { on_request(each); });
  append(run.frames(), whole.octets, run.memory());
  published_ += whole.count;
  ends_.succeed_all(run, whole);
}

void session::append(protocol::octet* frames, std::size_t size, runtime::slab* memory) {
  if (frames != frames_end_ || memory != frames_slab_) {
    flush_frames();
    frames_ = frames_end_ = frames;
    frames_slab_ = memory;
  }
  frames_end_ += size;
}

void session::flush_frames() {
  if (frames_ == frames_end_) return;
  const auto size = static_cast<std::size_t>(frames_end_ - frames_);
  if (size >= protocol::borrow_threshold) {
    outbox_.borrow({frames_, size}, frames_slab_);
  } else {
    protocol::octet* const to = outbox_.reserve(size);
    std::memcpy(to, frames_, size);
    outbox_.commit(to + size);
  }
  frames_ = frames_end_ = nullptr;
  frames_slab_ = nullptr;
}

void session::end_publish(publish_record& record, const outcome& how) {
  flush_frames(); // another slab may be given back
  ++(how.ok() ? published_ : failed_);
  if (record.token() == timed_) {
    front_->publishing.note(now_ - timed_since_);
    timed_ = 0;
  }
  if (!ages_.empty()) ages_.erase(record.token());
  if (store_) {
    if (how.error() == protocol::errc::closed)
      store_->leave_publish(record.token());
    else
      store_->drop_publish(record.token(), how.by() == initiator::peer);
  }
  shed_octets_ += record.weight();
  ends_.finish(record, how);
}

void session::on_control(std::unique_ptr<control_request> what) {
  switch (what->operation) {
  case control::subscribe: return desk_.subscribe(what->link, now_);
  case control::granted:
    if (refusing_) return ends_.answer(what->who, outcome{refusing_});
    return desk_.tell_granted(*what->link, what->who);
  case control::reauthenticate: return reauthenticate(what->who);
  case control::cancel: return cancel(*what->cancelled);
  case control::withdraw: withdrawn_.push_back(what->withdrawn); return;
  case control::make_room: return make_room(what->octets);
  case control::end_link: return desk_.end_link(*what->link, what->who, now_);
  case control::end_filter: return desk_.end_filter(what->filter, what->who, now_);
  case control::connected: return pass_on(user_connected{what->who});
  case control::ended: return pass_on(user_ended{what->who});
  case control::connect:
    refusing_ = {};
    if (store_) store_->drop_left();
    return pass_on(user_connect{what->who});
  case control::disconnect: pass_on(user_disconnect{what->who}); return begin_end(what->end_options);
  case control::abort: pass_on(user_disconnect{what->who}); return break_off();
  }
}

template <class Wish>
void session::pass_on(Wish&& what) {
  const asker who = what.who;
  supervisor_mail mail = std::forward<Wish>(what);
  if (supervisor_.push(mail) != runtime::offer::taken) ends_.answer(who, outcome{protocol::errc::closed});
}

/// On the session a publish that has not ended is known by its record; everything else has no trace here,
/// so its asker is told and its answer, when it comes, finds nobody.
void session::cancel(cancellable& what) {
  if (auto* const record = static_cast<publish_record*>(what.record.load(std::memory_order_relaxed)))
    return machine_.cancel(record->token());
  try {
    what.end(outcome{protocol::errc::cancelled, initiator::user});
  } catch (...) {
    front_->handler_failures.add(1);
  }
}

/// The same for those who wait at a cell, which has to be looked for: once for many of them.
void session::withdraw() {
  std::vector<cell> cells;
  cells.swap(withdrawn_);
  std::ranges::sort(cells);
  std::vector<protocol::request_token> publishes;
  std::vector<cell> found;
  machine_.for_each_publish([&](protocol::request_token token) {
    const auto here = publish_record::from(token).who.waiting_cell();
    if (!here || !std::ranges::binary_search(cells, *here)) return;
    publishes.push_back(token);
    found.push_back(*here);
  });
  for (const protocol::request_token each : publishes) machine_.cancel(each);
  std::ranges::sort(found);
  std::erase_if(cells, [&found](const cell& each) { return std::ranges::binary_search(found, each); });
  desk_.withdraw(cells);
  std::erase_if(reauthentications_, [&](const asker& who) { return ends_.withdraw(who, cells); });
  if (cells.empty()) return;
  supervisor_mail mail = user_withdrawn{std::move(cells)};
  static_cast<void>(supervisor_.push(mail)); // closed: it answers everybody
}

// -- the orderly end ----------------------------------------------------------------------

void session::begin_end(const disconnect_options& how) {
  ending_ = how;
  // Half of the time for what is in flight, the other half for the transport.
  if (link_) time().arm(end_deadline_, now_ + disconnect_timeout_ / 2);
}

void session::break_off() {
  ending_.emplace();
  if (!link_) return;
  is_broken_off_ = true;
  machine_.transport_down(now_); // from here on nothing is said
  flush_frames();
  outbox_.clear();
  unwritten_.clear();
  why_down_ = {.error = protocol::errc::closed, .by = protocol::initiator::user};
  then_ = after_batch::abort;
}

void session::go_on_ending() {
  if (!ending_ || !link_ || is_broken_off_) return;
  const bool is_over = end_deadline_.is_armed() ? end_deadline_.due() <= now_ : true;
  if (!is_over && machine_.is_connected() && machine_.inflight() + machine_.parked() != 0) return;
  protocol::property_block properties;
  if (ending_->session_expiry)
    static_cast<void>(properties.set(protocol::property::session_expiry_interval,
                                     static_cast<std::uint32_t>(ending_->session_expiry->count())));
  machine_.disconnect(ending_->reason, properties.view(), now_);
}

void session::on_end_deadline() {
  now_ = time().now();
  if (is_farewell_unwritten()) break_off(); // a disk may never answer, an end has its time
  finish_run();
}

void session::end_ending() {
  if (!ending_) return;
  ending_.reset();
  is_broken_off_ = false;
  end_deadline_.disarm();
  replay_held();
}

void session::replay_held() {
  std::vector<user_request*> held;
  held.swap(held_);
  for (user_request* each : held) on_request(*each); // another end among them holds the rest again
}

} // namespace troupe::actors
