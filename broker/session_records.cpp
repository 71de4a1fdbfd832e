// What a session writes down of its deliveries, and how it is made from that again.
#include "peer_session.hpp"
#include "store.hpp"

#include <utility>

namespace troupe::brokerage {

void peer_session::write_waiting(std::uint32_t slot) { write(slots_[slot], {}); }

void peer_session::write_sent(std::uint32_t slot) {
  write(slots_[slot], {.id = exchange_.sent().last_publish(), .where = delivery_record::stage::sent});
}

void peer_session::on_released(protocol::request_token token) {
  const auto slot = static_cast<std::uint32_t>(token);
  if (!is_durable() || slot >= slots_.size() || slots_[slot].sequence == 0) return;
  const protocol::packet_id id = exchange_.sent().last_released();
  write(slots_[slot], {.rank = next_sequence_++, .id = id, .where = delivery_record::stage::released});
}

void peer_session::write(delivery& one, delivery_record what) {
  what.quality = one.quality;
  what.retain = one.retain;
  what.is_shared = one.group != 0;
  const bool is_new = one.sequence == 0;
  if (is_new) one.sequence = next_sequence_++;
  shop_->durable->keep_delivery(number_, one.sequence, is_new, one.message, what, one.identifiers);
}

/// Messages that other sessions of the shard wait for as well are written anew, for this one alone.
void peer_session::move_records(std::span<const message_ref> originals) {
  using stage = delivery_record::stage;
  const auto move = [&](std::uint32_t slot, const delivery_record& what) {
    delivery& one = slots_[slot];
    if (one.sequence != 0 && shop_->durable->hand_on(originals[slot], one.message)) write(one, what);
  };
  const protocol::inflight& sent = exchange_.sent();
  for (protocol::packet_id id = sent.first_released(); id != 0; id = sent.next(id))
    move(static_cast<std::uint32_t>(sent.at(id).token),
         {.rank = next_sequence_++, .id = id, .where = stage::released});
  for (protocol::packet_id id = sent.first_publish(); id != 0; id = sent.next(id))
    move(static_cast<std::uint32_t>(sent.at(id).token), {.id = id, .where = stage::sent});
  for (std::uint32_t slot = head_; slot != none; slot = slots_[slot].next) move(slot, {});
}

std::vector<message_ref> peer_session::end_records() {
  std::vector<message_ref> messages;
  for (delivery& one : slots_)
    if (std::exchange(one.sequence, 0) != 0) messages.push_back(one.message);
  next_sequence_ = 0;
  return messages;
}

void peer_session::restore(std::uint64_t sequence, const message_ref& message, const delivery_record& what,
                           std::span<const std::uint32_t> identifiers, std::uint32_t group) {
  const std::uint32_t slot = take_slot(message, {.who = this,
                                                 .identifiers = identifiers,
                                                 .group = group,
                                                 .quality = what.quality,
                                                 .retain_as_published = what.retain});
  slots_[slot].sequence = sequence;
  slots_[slot].quality = what.quality;
  slots_[slot].retain = what.retain;
  next_sequence_ = std::max({next_sequence_, sequence + 1, what.rank + 1});
  using protocol::rung;
  const rung waits_for = what.where == delivery_record::stage::released ? rung::pubcomp
                         : what.quality == protocol::qos::at_least_once ? rung::puback
                                                                        : rung::pubrec;
  if (what.where != delivery_record::stage::waiting && exchange_.restore(what.id, slot, waits_for))
    ++in_flight_;
  else
    append(slot);
}

} // namespace troupe::brokerage
