#include "client_core.hpp"

#include "client_setup.hpp"

#include "../protocol/errc.hpp"
#include "../protocol/topic.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

using protocol::errc;
using std::chrono::steady_clock;

} // namespace

client_core::client_core(stage& where, client_options options)
    : options_{std::move(options)},
      house_{where.inside()},
      home_{house_.next_home()},
      cells_{house_.fixture<settlement_store>()},
      slabs_{house_.fixture<runtime::slab_rack>()},
      front_{std::make_shared<client_front>(options_)},
      store_{session_store::open(options_)},
      supervisor_{house_.spawn<supervisor>(home_, front_, supervisor_setup(options_, store_.error()))},
      dispatcher_{house_.spawn<dispatcher>(home_, front_, threads_)},
      session_{house_.spawn<session>(home_, front_, machine_options(options_), options_.disconnect_timeout,
                                     runtime::inlet<supervisor_mail>{supervisor_->mails()},
                                     runtime::inlet<dispatch_mail>{dispatcher_->mails()},
                                     store_ ? std::move(*store_) : nullptr)},
      doors_{session_->requests()},
      late_cells_{*cells_} {}

client_core::~client_core() { end(); }

protocol::publish client_core::as_packet(const publish_request& what) noexcept {
  protocol::publish packet;
  packet.topic = what.topic;
  packet.payload = what.payload;
  packet.properties = what.properties;
  packet.quality = what.quality;
  packet.retain = what.retain;
  packet.id = what.quality == qos::at_most_once ? 0 : 1; // in its place; the session writes the real one
  return packet;
}

client_core::front_door::pass client_core::enter() {
  auto pass = doors_.enter();
  if (pass) pass.local().furnish(*cells_, slabs_, front_->bounds, options_.version, this);
  return pass;
}

client_depths client_core::depths() const noexcept {
  client_depths now;
  now.in_flight = front_->in_flight.load(std::memory_order_relaxed);
  now.queued = front_->queued.load(std::memory_order_relaxed);
  if (has_ended_.load(std::memory_order_acquire)) return now;
  now.requests = session_->requests().statistics().waiting;
  now.session_mails = session_->mails().statistics().waiting;
  now.supervisor_mails = supervisor_->mails().statistics().waiting;
  now.dispatcher_mails = dispatcher_->mails().statistics().waiting;
  return now;
}

// -- publish ------------------------------------------------------------------------------

bool client_core::wait_for_room(const publish_request& what, std::size_t waiter_size,
                                steady_clock::time_point until) noexcept {
  const client_state state = front_->state.load(std::memory_order_acquire);
  const bool flows = state == client_state::connected || state == client_state::handshaking;
  if (!runtime::may_block()) return false;
  const std::size_t size =
      2 * sizeof(publish_record) + waiter_size + protocol::encoded_size(as_packet(what), options_.version);
  if (!flows) {
    if (options_.when_offline_full == offline_overflow::reject) return false;
    if (options_.when_offline_full == offline_overflow::drop_oldest) {
      auto room = std::make_unique<control_request>(control::make_room, asker{});
      room->octets = size;
      ask(std::move(room));
    }
  }
  return front_->bounds.wait(size, until) && !front_->bounds.is_closed();
}

publish_record* client_core::write(const publish_request& what, std::size_t waiter_size,
                                   std::optional<front_door::pass>& pass, std::error_code& refusal) {
  const protocol::publish packet = as_packet(what);
  auto until = steady_clock::time_point::min();
  for (;;) {
    pass.emplace(enter());
    if (!*pass) {
      refusal = errc::closed;
      return nullptr;
    }
    const door::written done = pass->local().write(packet, waiter_size);
    if (done.record != nullptr) return done.record;
    refusal = done.refusal;
    if (refusal) return nullptr;
    pass.reset(); // nobody waits inside a door
    if (until == steady_clock::time_point::min()) until = steady_clock::now() + options_.publish_wait;
    if (wait_for_room(what, waiter_size, until)) continue;
    refusal = front_->bounds.is_closed() ? errc::closed : errc::backpressure;
    return nullptr;
  }
}

pending<outcome> client_core::publish(const publish_request& what) {
  if (what.properties.empty()) [[likely]] {
    if (auto pass = enter()) {
      door& here = pass.local();
      const door::plain packet = here.write_plain(what.topic, what.payload, what.quality, what.retain);
      if (packet.frame != nullptr) [[likely]] {
        const cell where = here.take_cell();
        const bool has_joined = pass.is_last(here.run_ticket()) && here.join_run(packet, where);
        if (!has_joined) push_run(std::move(pass), here.begin_run(packet, where));
        return pending<outcome>{where};
      }
    }
  }
  return publish_carefully(what);
}

pending<outcome> client_core::publish_carefully(const publish_request& what) {
  std::optional<front_door::pass> pass;
  std::error_code refusal;
  publish_record* const record = write(what, 0, pass, refusal);
  if (record == nullptr) {
    pass.reset();
    const cell where = take_cell();
    where.block->settle(where.at, where.round, outcome{refusal});
    return pending<outcome>{where};
  }
  const cell where = pass->local().take_cell();
  record->who = asker{where};
  push(std::move(*pass), *record);
  return pending<outcome>{where};
}

publish_place client_core::begin_publish(const publish_request& what, std::size_t waiter_size) {
  std::optional<front_door::pass> pass;
  publish_place place;
  publish_record* const record = write(what, waiter_size, pass, place.refusal);
  if (record == nullptr) return place;
  place.record = record;
  place.storage = record->waiter_storage();
  return place;
}

void client_core::finish_publish(publish_place place, waiter* who) {
  auto& record = *static_cast<publish_record*>(place.record);
  record.who = asker{who};
  push(enter(), record);
}

void client_core::push(front_door::pass pass, publish_record& record) {
  runtime::ticketed<request_item> item{0, request_item{&record}};
  const bool is_taken = [&] {
    front_door::pass inside = std::move(pass);
    return inside.push(item) == runtime::offer::taken;
  }();
  if (!is_taken) [[unlikely]]
    refuse(record); // the session's mailbox is larger than the quota
}

void client_core::push_run(front_door::pass pass, door_run& run) {
  runtime::ticketed<request_item> item{0, request_item{&run}};
  const bool is_taken = [&] {
    front_door::pass inside = std::move(pass);
    const bool is_in = inside.push(item) == runtime::offer::taken;
    inside.local().set_run_ticket(is_in ? std::optional{item.ticket} : std::nullopt);
    return is_in;
  }();
  if (!is_taken) [[unlikely]]
    refuse(run);
}

void client_core::refuse(user_request& what) {
  if (what.what == user_request::kind::run) {
    auto& run = static_cast<door_run&>(what);
    return run.for_each(run.close(), [this](publish_record& each) { refuse(each); });
  }
  publish_record& record = publish_record::from(what);
  const asker who = record.who;
  const outcome how{errc::closed};
  if (who.what() == asker::kind::handler) {
    // The handler lies in the record: it is run here, before that goes.
    if (!who.handler()->run(how)) front_->handler_failures.add(1);
  } else {
    answer(who, how);
  }
  front_->bounds.give_back({1, static_cast<std::int64_t>(record.weight())});
  record.memory->release(1);
}

void client_core::answer(const asker& who, const outcome& how) {
  switch (who.what()) {
  case asker::kind::cell: {
    const cell where = who.as_cell();
    where.block->settle(where.at, where.round, how);
    where.block->wake();
    return;
  }
  case asker::kind::group:
    if (const auto last = who.group()->end(1, how)) answer(*last, who.group()->take_verdict());
    return;
  case asker::kind::handler:
    if (!who.handler()->run(how)) front_->handler_failures.add(1);
    return;
  case asker::kind::nobody: return;
  }
}

// -- everything else ------------------------------------------------------------------------

cell client_core::take_cell() {
  {
    auto pass = enter();
    if (pass) return pass.local().take_cell();
  }
  // The client has ended, and somebody still asks.
  const std::scoped_lock lock{late_mutex_};
  return late_cells_.take();
}

void client_core::ask(std::unique_ptr<control_request> what) {
  runtime::ticketed<request_item> item{0, request_item{what.get()}};
  const bool is_taken = [&] {
    auto pass = enter();
    return pass.push(item) == runtime::offer::taken;
  }();
  if (is_taken)
    static_cast<void>(what.release()); // the session's now
  else
    answer(what->who, outcome{errc::closed});
}

void client_core::end() noexcept {
  if (has_ended_.exchange(true)) return;
  set_intent(true);
  if (runtime::may_block() && front_->state.load() != client_state::disconnected) {
    const cell where = take_cell();
    auto what = std::make_unique<control_request>(control::disconnect, asker{where});
    ask(std::move(what));
    pending<outcome> done{where};
    static_cast<void>(done.wait_for(options_.disconnect_timeout + options_.disconnect_timeout / 2));
  }
  front_->bounds.close();
  doors_.close();
  session_->stop_soon();
  supervisor_->stop_soon();
  dispatcher_->stop_soon();
  const auto is_over = [this] { return front_->actors.load(std::memory_order_acquire) == 0; };
  if (runtime::may_block()) front_->gone.wait(steady_clock::now() + options_.disconnect_timeout, is_over);
  session_ = {};
  supervisor_ = {};
  dispatcher_ = {};
  if (runtime::may_block()) threads_->join();
}

} // namespace troupe::actors
