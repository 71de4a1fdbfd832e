#include "connection.hpp"

#include "../protocol/packet.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

/// Packets whose place a batch takes in advance.
constexpr std::size_t most_foreseen = 2048;

} // namespace

connection::connection(caf::actor_config& config, runtime::place where, connection_options options,
                       runtime::transport_ptr pipe, runtime::inlet<session_mail> up)
    : resident{config, where},
      options_{std::move(options)},
      mailbox_{*this},
      outlet_{mailbox_},
      pipe_{std::move(pipe)},
      up_{std::move(up)},
      framer_{pipe_->memory(), options_.maximum_packet_size},
      batches_{*new batch_pool{*this, options_.in_flight}} {
  framer_.set_version(options_.version);
}

connection::~connection() { batches_.abandon(); }

bool connection::on_bell() {
  if (where().is_here()) return work();
  where().post([self = runtime::resident_ref{this}] {
    while (self->work()) {}
  });
  return false;
}

void connection::on_stop() {
  if (where().is_here()) return end();
  where().post([self = runtime::resident_ref{this}] { self->end(); });
}

void connection::let_go() noexcept {
  is_closed_ = true;
  batches_.silence();
  outlet_.close(); // before the hold on the session goes, whose batches these are
  up_.drop();
}

void connection::end() noexcept {
  let_go();
  pipe_.reset();
}

// -- down -----------------------------------------------------------------------------

bool connection::work() {
  if (is_closed_) return false;
  if (!is_started_) start();
  if (is_paused_ && batches_.has_room()) {
    is_paused_ = false;
    gauge_.paused.store(false, std::memory_order_release);
    pipe_->resume();
  }
  const bool has_more = outlet_.drain([this](outbound_ref&& batch) { write(std::move(batch)); });
  tell_level();
  return has_more;
}

void connection::start() {
  is_started_ = true;
  push(link_up{options_.number, runtime::inlet<outbound_ref>{mailbox_}, &gauge_});
  pipe_->start(*this);
}

void connection::write(outbound_ref&& taken) {
  const outbound_ref owned = std::move(taken);
  outbound_batch& batch = *owned;
  if (!batch.segments.empty()) {
    if (options_.hooks) [[unlikely]]
      for (const runtime::outbox_segment& segment : batch.segments) show(direction::sent, segment.bytes);
    for (const runtime::outbox_segment& segment : batch.segments)
      pipe_->out().borrow(segment.bytes, segment.owner.get());
    pipe_->flush_later();
  }
  if (batch.then == after_batch::close) pipe_->close();
  if (batch.then == after_batch::abort) pipe_->abort();
}

void connection::tell_level() {
  if (is_closed_) return;
  const bool is_congested = pipe_->is_congested();
  gauge_.congested.store(is_congested, std::memory_order_seq_cst);
  if (!is_congested && gauge_.stalled.load(std::memory_order_seq_cst)
      && gauge_.stalled.exchange(false, std::memory_order_seq_cst))
    push(link_writable{options_.number});
}

void connection::on_writable() { tell_level(); }

void connection::show(direction which, protocol::octets what) noexcept {
  try {
    options_.hooks->on_octets(which, what);
  } catch (...) { // a bystander's trouble is his own
  }
}

// -- up -------------------------------------------------------------------------------

inbound_batch* connection::begin_batch(std::size_t octets, const protocol::keeper_ref& bytes) {
  inbound_batch* const batch = batches_.take(octets);
  batch->connection = options_.number;
  batch->bytes = bytes;
  return batch;
}

void connection::on_read(protocol::slice bytes) {
  if (is_deaf_) return;
  if (options_.hooks) [[unlikely]]
    show(direction::received, bytes.bytes());
  framer_.feed(bytes.bytes());
  collect(begin_batch(bytes.size(), bytes.owner()));
}

void connection::on_filled(std::size_t count) {
  if (is_deaf_) return;
  if (options_.hooks) [[unlikely]]
    show(direction::received, framer_.wanted().first(count));
  framer_.filled(count);
  collect(begin_batch(count, {}));
}

void connection::collect(inbound_batch* batch) {
  protocol::frame frame;
  protocol::errc end = framer_.next(frame);
  // Only the first frame can have begun in an earlier read; then the framer's own buffer keeps it.
  if (end == protocol::errc{}) batch->first_bytes = framer_.retained(frame);
  protocol::topic_memory memory;
  protocol::burst_reader burst;
  // A batch that has never been used grows once, to what its octets promise.
  if (end == protocol::errc{} && batch->packets.capacity() == 0)
    batch->packets.reserve(std::min(batch->octets / frame.whole.size() + 1, most_foreseen));
  for (; end == protocol::errc{}; end = framer_.next(frame)) {
    // Said so, since a default variant would be cleared as a whole first.
    auto& packet = batch->packets.emplace_back(std::in_place_type<protocol::inbound_publish>);
    end = protocol::decode_packet_into(packet, frame, options_.version, protocol::role::client, memory);
    if (end != protocol::errc{}) {
      batch->packets.pop_back();
      break;
    }
    if (batch->first_bytes && batch->packets.size() == 1)
      memory.forget(); // it is kept by others
    else if (const auto* first = std::get_if<protocol::inbound_publish>(&packet))
      burst.learn(*first, options_.version);
    collect_known(*batch, burst);
  }
  if (end != protocol::errc{} && end != protocol::errc::need_more) {
    batch->bad_bytes = end;
    is_deaf_ = true;
  }
  send_up(batch);
}

/// What follows and need not be decoded.
void connection::collect_known(inbound_batch& batch, const protocol::burst_reader& burst) {
  for (;;) {
    if (const protocol::octet* next = burst.next(framer_)) {
      auto& again = batch.packets.emplace_back(std::in_place_type<protocol::inbound_publish>, burst.first());
      burst.adapt(*std::get_if<protocol::inbound_publish>(&again), next);
      continue;
    }
    protocol::ack answer;
    if (!protocol::burst_reader::next_ack(framer_, answer)) return;
    batch.packets.emplace_back(answer);
  }
}

void connection::send_up(inbound_batch* batch) {
  push(batch_ref::adopt(batch));
  if (is_paused_ || batches_.has_room() || !batches_.wait_for_room()) return;
  is_paused_ = true;
  gauge_.paused.store(true, std::memory_order_release);
  pipe_->pause();
}

void connection::on_closed(std::error_code why) {
  push(link_down{options_.number, why});
  let_go();
  finish();
}

void connection::push(session_mail&& mail) {
  // Bounded by the batches in flight, far below the session's bound; closed means that nobody cares.
  static_cast<void>(up_.push(mail));
}

} // namespace troupe::actors
