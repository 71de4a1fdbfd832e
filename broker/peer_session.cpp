#include "peer_session.hpp"

#include "hooks.hpp"
#include "peer.hpp"
#include "routing_messages.hpp"
#include "store.hpp"

#include <algorithm>
#include <utility>

namespace troupe::brokerage {

using protocol::qos;

namespace {

/// How many retained topics one visit looks at before others have their turn.
constexpr std::size_t walk_budget = 4'096;

bool is_expired(const message_ref& message, protocol::time_point now) noexcept {
  return message->expires() <= now;
}

} // namespace

peer_session::peer_session(std::string client_id, session_number number, workshop& shop)
    : client_id_{std::move(client_id)}, number_{number}, shop_{&shop}, exchange_{protocol::role::server} {
  shop.counts.sessions.add();
}

peer_session::~peer_session() {
  if (shop_ == nullptr) return;
  shop_->counts.sessions.subtract();
  shop_->counts.messages_queued.subtract(waiting_);
}

void peer_session::detach() {
  peer_ = nullptr;
  walks_.clear();
  let_publishers_go(); // nobody empties the queue now
  blockage_.reset();
}

// -- what goes out ------------------------------------------------------------

bool peer_session::has_room() const noexcept { return peer_ != nullptr && peer_->has_room(); }

bool peer_session::may_send(qos quality) const noexcept {
  return quality == qos::at_most_once || peer_->machine().may_deliver();
}

void peer_session::offer(onward& message, const target& how) {
  if (how.no_local && message.from == number_) return;
  // its other home gets this one; what a group chose the session for comes once in any case
  if (cut_off != 0 && how.group == 0 && (cut_off >> message.via & 1U) != 0) return;
  if (shop_->hooks != nullptr && !may_have(message.packet)) return;
  const qos quality = std::min(message.packet.quality, how.quality);
  if (head_ != none || !has_room() || !may_send(quality)) return enqueue(message, how);
  if (quality == qos::at_most_once) return send_passing(message, how);
  send(take_slot(message.keep(shop_->store), how));
}

bool peer_session::may_have(const protocol::publish& packet) {
  const bool is_allowed = shop_->hooks->on_deliver(client_id_, packet);
  if (!is_allowed) shop_->counts.messages_dropped.add();
  return is_allowed;
}

bool peer_session::may_pass(protocol::version form) const noexcept {
  return head_ == none && peer_ != nullptr && peer_->passes(form);
}

bool peer_session::pass(const publish_run& run, protocol::keeper* owner) {
  if (!may_pass(run.form) || !peer_->has_room()
      || run.largest > peer_->machine().client_maximum_packet_size())
    return false;
  peer_->write(run.frames, owner);
  shop_->counts.messages_sent.add(run.count);
  return true;
}

void peer_session::send_passing(const onward& message, const target& how) {
  protocol::kept_publish out{.packet = message.packet, .owner = message.owner, .checked = true};
  out.packet.quality = qos::at_most_once;
  out.packet.retain = how.retain_as_published && message.packet.retain;
  out.packet.dup = false;
  out.packet.id = 0;
  if (peer_->version() != protocol::version::v5_0)
    out.packet.properties = {};
  else if (!how.identifiers.empty())
    out.packet.properties =
        rewritten(message.packet.properties, {.identifiers = how.identifiers}, shop_->buffer);
  peer_->deliver(0, out);
}

protocol::publish peer_session::as_sent(const delivery& one) {
  protocol::publish packet = one.message->packet();
  packet.quality = one.quality;
  packet.retain = one.retain;
  packet.dup = false;
  packet.id = 0;
  if (peer_->version() != protocol::version::v5_0) {
    packet.properties = {};
    return packet;
  }
  property_changes changes{};
  changes.identifiers = one.identifiers;
  if (one.message->received() != shop_->now) changes.expiry = seconds_left(*one.message, shop_->now);
  packet.properties = rewritten(packet.properties, changes, shop_->buffer);
  return packet;
}

void peer_session::send(std::uint32_t slot) {
  const delivery& one = slots_[slot];
  const protocol::kept_publish kept{.packet = as_sent(one), .owner = one.message->owner(), .checked = true};
  if (peer_->deliver(slot, kept) == protocol::server_machine::sent::in_flight) {
    ++in_flight_; // until on_delivered()
    if (is_durable()) write_sent(slot);
  } else {
    free_slot(slot);
  }
}

void peer_session::on_delivered(protocol::request_token token) {
  const auto slot = static_cast<std::uint32_t>(token);
  if (slot >= slots_.size() || !slots_[slot].message) return;
  --in_flight_;
  free_slot(slot);
}

protocol::kept_publish peer_session::recall(protocol::request_token token) {
  const delivery& one = slots_[static_cast<std::uint32_t>(token)];
  return {.packet = as_sent(one), .owner = one.message->owner(), .checked = true};
}

// -- what waits ---------------------------------------------------------------

void peer_session::enqueue(onward& message, const target& how) {
  const bool is_promised = how.quality != qos::at_most_once && message.packet.quality != qos::at_most_once;
  if (!is_promised && peer_ == nullptr && !shop_->options.queue_qos0_offline) return;
  const message_ref& kept = message.keep(shop_->store);
  if (!make_room(kept->weight(), message.from)) {
    shop_->counts.messages_dropped.add();
    return;
  }
  const std::uint32_t slot = take_slot(kept, how);
  append(slot);
  if (is_durable() && is_promised) write_waiting(slot);
}

void peer_session::append(std::uint32_t slot) {
  waiting_octets_ += slots_[slot].message->weight();
  if (waiting_++ == 0 && peer_ != nullptr) peer_->let_publish();
  shop_->counts.messages_queued.add();
  (head_ == none ? head_ : slots_[tail_].next) = slot;
  tail_ = slot;
}

bool peer_session::make_room(std::size_t weight, session_number from) {
  const broker_options& limits = shop_->options;
  const auto fits = [&] {
    // What nobody could ever queue would be promised and lost: alone, a message of any size may wait.
    if (waiting_ == 0 && limits.max_queued_messages != 0) return true;
    return waiting_ < limits.max_queued_messages && waiting_octets_ + weight <= limits.max_queued_bytes;
  };
  if (fits()) return true;
  switch (limits.when_full) {
  case overflow::drop_newest: return false;
  case overflow::drop_oldest:
    if (weight > limits.max_queued_bytes) return false; // all would go for one
    while (head_ != none && !fits()) drop_head();
    return fits();
  case overflow::disconnect:
    if (peer_ != nullptr) peer_->disconnect(protocol::reason_code::quota_exceeded);
    return false;
  case overflow::block: return stop_publisher(weight, from);
  }
  return false;
}

/// What stopped publishers have said already waits as well: up to twice the octets. False: they are not
/// stopped, or that is full, too.
bool peer_session::stop_publisher(std::size_t weight, session_number from) {
  const broker_options& limits = shop_->options;
  if (peer_ == nullptr || from == 0 || from == number_ || limits.max_queued_messages == 0) return false;
  if (blockage_ == nullptr)
    blockage_ = std::make_unique<blockage>(blockage{.ends = shop_->now + limits.block_timeout});
  if (blockage_->is_given_up || waiting_octets_ + weight > 2 * limits.max_queued_bytes) return false;
  std::vector<session_number>& asked = blockage_->publishers;
  const bool is_first = std::find(asked.begin(), asked.end(), from) == asked.end();
  if (is_first) asked.push_back(from);
  shop_->stops.push_back({.publisher = from, .by = number_, .is_first = is_first});
  return true;
}

bool peer_session::is_half_empty() const noexcept {
  const broker_options& limits = shop_->options;
  return waiting_ <= limits.max_queued_messages / 2 && waiting_octets_ <= limits.max_queued_bytes / 2;
}

void peer_session::let_publishers_go() {
  if (blockage_ == nullptr) return;
  for (const session_number one : std::exchange(blockage_->publishers, {}))
    shop_->stops.push_back({.publisher = one, .by = number_, .begins = false});
}

void peer_session::give_up_blocking() {
  let_publishers_go();
  blockage_->is_given_up = true;
}

void peer_session::drop_head() {
  free_slot(pop());
  shop_->counts.messages_dropped.add();
}

std::uint32_t peer_session::pop() {
  const std::uint32_t slot = head_;
  head_ = std::exchange(slots_[slot].next, none);
  if (head_ == none) tail_ = none;
  --waiting_;
  waiting_octets_ -= slots_[slot].message->weight();
  shop_->counts.messages_queued.subtract();
  if (blockage_ != nullptr && is_half_empty()) [[unlikely]] {
    let_publishers_go();
    blockage_.reset();
  }
  return slot;
}

bool peer_session::pump() {
  while (head_ != none) {
    if (is_expired(slots_[head_].message, shop_->now)) {
      free_slot(pop());
      shop_->counts.messages_expired.add();
      continue;
    }
    if (!has_room() || !may_send(slots_[head_].quality)) return false;
    send(pop());
  }
  return !walks_.empty() && pump_retained();
}

std::uint32_t peer_session::take_slot(const message_ref& message, const target& how) {
  std::uint32_t slot = free_;
  if (slot == none) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    free_ = slots_[slot].next;
  }
  delivery& one = slots_[slot];
  one.message = message;
  one.identifiers.assign(how.identifiers.begin(), how.identifiers.end());
  one.sequence = 0;
  one.group = how.group;
  one.next = none;
  one.quality = std::min(message->packet().quality, how.quality);
  one.retain = how.retain_as_published && message->packet().retain;
  return slot;
}

void peer_session::free_slot(std::uint32_t slot) noexcept {
  if (delivery& one = slots_[slot]; one.sequence != 0) {
    shop_->durable->drop_delivery(number_, one.sequence, one.message);
    one.sequence = 0;
  }
  slots_[slot].message.reset();
  slots_[slot].next = std::exchange(free_, slot);
}

// -- retained messages --------------------------------------------------------

void peer_session::begin_retained(std::string_view filter, const grant& how) {
  walks_.push_back({.filter = std::string{filter}, .how = how});
}

bool peer_session::pump_retained() {
  while (!walks_.empty()) {
    retained_walk& walk = walks_.front();
    // sent with the retain flag, whatever the subscription says of live messages [MQTT-3.3.1-8]
    target to{.who = this, .quality = walk.how.quality, .retain_as_published = true};
    if (walk.how.identifier != 0) to.identifiers = {&walk.how.identifier, 1};
    bool is_blocked = false;
    const bool is_over = shop_->last_words.walk(
        walk.filter, walk.last, walk.is_begun, walk_budget, [&](const message_ref& word) {
          if (is_expired(word, shop_->now)) return true;
          is_blocked = !has_room() || !may_send(std::min(word->packet().quality, to.quality));
          if (is_blocked) return false;
          if (shop_->hooks == nullptr || may_have(word->packet())) send(take_slot(word, to));
          return true;
        });
    if (!is_over) return !is_blocked;
    walks_.pop_front();
  }
  return false;
}

// -- moving -------------------------------------------------------------------

void peer_session::absorb(peer_session& collected) {
  while (collected.head_ != none) {
    const std::uint32_t from = collected.pop();
    delivery& one = collected.slots_[from];
    const std::uint32_t slot = take_slot(one.message, {.who = this,
                                                       .identifiers = one.identifiers,
                                                       .group = one.group,
                                                       .quality = one.quality,
                                                       .retain_as_published = one.retain});
    slots_[slot].sequence = std::exchange(one.sequence, 0); // what is written of it stays
    append(slot);
    collected.free_slot(from);
  }
  if (is_durable()) next_sequence_ = std::max(next_sequence_, collected.next_sequence_);
}

void peer_session::leave_shard() {
  std::vector<message_ref> originals;
  if (is_durable())
    for (const delivery& one : slots_) originals.push_back(one.message);
  for (delivery& one : slots_) one.message.detach();
  if (is_durable()) move_records(originals);
  will.detach();
  shop_->counts.sessions.subtract();
  shop_->counts.messages_queued.subtract(waiting_);
  shop_ = nullptr;
}

void peer_session::settle_in(workshop& shop) {
  shop_ = &shop;
  cut_off = 0;
  is_moving = false;
  mark_ = 0; // no route of this shard has found it yet
  shop.counts.sessions.add();
  shop.counts.messages_queued.add(waiting_);
}

} // namespace troupe::brokerage
