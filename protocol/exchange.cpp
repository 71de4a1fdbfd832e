#include "exchange.hpp"

#include <cassert>

namespace troupe::protocol {

void exchange::open(const exchange_link& link) noexcept {
  close(link_.holder); // a takeover may come before the old connection's end
  link_ = link;
  open_ = true;
  inflight_.set_window(link.send_window, link.exact_window);
  inflight_.mark_unsent();
  receipts_.open(link.protocol, link.receive_window);
}

void exchange::close(const void* holder) noexcept {
  if (!open_ || link_.holder != holder) return;
  open_ = false;
  link_.aliases = nullptr;
  inflight_.mark_unsent();
  receipts_.close();
}

void exchange::resume(outbox& out) {
  for (packet_id id = inflight_.first_orphan(); id != 0;) {
    const packet_id following = inflight_.next(id);
    switch (inflight_.at(id).waits_for) {
    case rung::pubrec: inflight_.release(id); [[fallthrough]];
    case rung::pubcomp:
      write_ack(out, packet_type::pubrel, id, reason_code::success, link_.protocol);
      inflight_.mark_released_sent(id);
      break;
    default: inflight_.finish(id);
    }
    id = following;
  }
  for (packet_id id = inflight_.first_released(); id != 0; id = inflight_.next(id)) {
    write_ack(out, packet_type::pubrel, id, reason_code::success, link_.protocol);
    inflight_.mark_released_sent(id);
  }
}

std::optional<exchange::resend> exchange::next_resend() const noexcept {
  const packet_id id = inflight_.first_unsent();
  if (id == 0 || !open_ || !inflight_.has_window()) return std::nullopt;
  return resend{id, inflight_.at(id).token};
}

result<void> exchange::send_again(outbox& out, const resend& which, const kept_publish& kept) {
  const flight& entry = inflight_.at(which.id);
  publish packet = kept.packet;
  packet.id = which.id;
  packet.dup = entry.repeated;
  packet.quality = entry.waits_for == rung::puback ? qos::at_least_once : qos::exactly_once;
  if (const result<void> done = encode(out, packet, kept); !done) return done;
  inflight_.mark_sent(which.id);
  return {};
}

result<void> exchange::send(outbox& out, request_token token, const kept_publish& kept) {
  publish packet = kept.packet;
  packet.dup = false;
  packet.id = 0;
  if (packet.quality == qos::at_most_once) return encode(out, packet, kept);
  if (!may_send()) return errc::backpressure;
  packet.id = inflight_.add(token, packet.quality == qos::at_least_once ? rung::puback : rung::pubrec);
  if (packet.id == 0) return errc::no_packet_id;
  const result<void> done = encode(out, packet, kept);
  if (!done) inflight_.finish(packet.id);
  return done;
}

progress exchange::on_puback(const ack& packet) {
  const flight* const entry = inflight_.find(packet.id);
  if (entry == nullptr) return {};
  if (entry->waits_for != rung::puback || !entry->sent) return {progress::kind::wrong};
  return end(packet.id);
}

progress exchange::on_pubrec(outbox& out, const ack& packet) {
  flight* const entry = inflight_.find(packet.id);
  if (entry == nullptr) {
    write_ack(out, packet_type::pubrel, packet.id, reason_code::packet_identifier_not_found, link_.protocol);
    return {};
  }
  if ((entry->waits_for != rung::pubrec && entry->waits_for != rung::pubcomp) || !entry->sent)
    return {progress::kind::wrong};
  if (is_failure(packet.reason)) return end(packet.id);
  const bool is_first = entry->waits_for == rung::pubrec;
  if (is_first) inflight_.release(packet.id);
  write_ack(out, packet_type::pubrel, packet.id, reason_code::success, link_.protocol);
  if (!is_first || entry->orphan) return {};
  return {progress::kind::released, entry->token};
}

progress exchange::on_pubcomp(const ack& packet) {
  const flight* const entry = inflight_.find(packet.id);
  if (entry == nullptr) return {};
  if (entry->waits_for != rung::pubcomp) return {progress::kind::wrong};
  return end(packet.id);
}

progress exchange::on_request_answer(packet_id id, rung waits_for, std::size_t codes) {
  const flight* const entry = inflight_.find(id);
  if (entry == nullptr) return {progress::kind::wrong}; // [MQTT-2.2.1-6]
  const bool counts = waits_for == rung::suback || link_.protocol == version::v5_0;
  if (entry->waits_for != waits_for || (counts && entry->filters != codes)) return {progress::kind::wrong};
  return end(id);
}

void exchange::withdraw(outbox& out, packet_id id) {
  const flight& entry = inflight_.at(id);
  const bool is_publish = entry.waits_for != rung::suback && entry.waits_for != rung::unsuback;
  const bool no_answer_can_come = !entry.repeated || (entry.waits_for == rung::puback && !entry.sent);
  if (is_publish && no_answer_can_come) {
    inflight_.finish(id);
    return;
  }
  inflight_.orphan(id);
  if (open_ && entry.waits_for == rung::pubrec && !entry.sent) {
    inflight_.release(id);
    write_ack(out, packet_type::pubrel, id, reason_code::success, link_.protocol);
    inflight_.mark_released_sent(id);
  }
}

packet_id exchange::find(request_token token) noexcept {
  for (packet_id first : {inflight_.first_publish(), inflight_.first_released(), inflight_.first_request()}) {
    for (packet_id id = first; id != 0; id = inflight_.next(id)) {
      if (inflight_.at(id).token == token) return id;
    }
  }
  return 0;
}

void exchange::forget() noexcept {
  inflight_.clear();
  receipts_.clear();
}

// A maximum is rarely near: three lengths and the largest header prove most packets to fit.
bool exchange::fits(const publish& packet) const noexcept {
  constexpr std::size_t largest_frame = 5 + 2 + 2 + 4 + 3; // header, lengths, id, property length, alias
  const std::size_t body = packet.topic.size() + packet.payload.size() + packet.properties.block().size();
  return body + largest_frame <= link_.maximum_packet_size
         || encoded_size(packet, link_.protocol) <= link_.maximum_packet_size;
}

result<void> exchange::encode(outbox& out, publish& packet, const kept_publish& kept) {
  packet.topic_alias = 0;
  if (!fits(packet)) [[unlikely]]
    return errc::packet_too_large;
  if (link_.aliases == nullptr) [[likely]]
    return append(out, packet, kept);
  const outbound_aliases::choice alias = link_.aliases->pick(packet.topic);
  const std::string_view whole = packet.topic;
  packet.topic_alias = alias.alias;
  if (alias.known) packet.topic = {};
  if (!fits(packet)) { // only the alias made it too large
    link_.aliases->forget(alias.alias);
    packet.topic = whole;
    packet.topic_alias = 0;
  }
  const result<void> done = append(out, packet, kept);
  if (!done && packet.topic_alias != 0) link_.aliases->forget(packet.topic_alias);
  return done;
}

result<void> exchange::append(outbox& out, const publish& packet, const kept_publish& kept) {
  if (!kept.checked) return encode_publish(out, packet, link_.protocol, kept.owner, self_);
  append_publish(out, packet, link_.protocol, kept.owner);
  return {};
}

progress exchange::end(packet_id id) noexcept {
  const flight& entry = inflight_.at(id);
  const progress result{entry.orphan ? progress::kind::none : progress::kind::ended, entry.token};
  inflight_.finish(id);
  return result;
}

} // namespace troupe::protocol
