// The requests of client_machine: what the user asks for, on its way to the wire.
#include "client_machine.hpp"

#include "auth.hpp"

namespace troupe::protocol {

result<void> client_machine::publish(request_token token, const kept_publish& kept, time_point now) {
  const bool flows = phase_ == phase::connected && parked_.empty() && session_.sent().first_unsent() == 0;
  if (flows && (kept.packet.quality == qos::at_most_once || session_.may_send()))
    return send_now(token, kept, now);
  return park(token, kept);
}

// What no server takes is refused now, not when its turn comes.
result<void> client_machine::park(request_token token, const kept_publish& kept) {
  protocol::publish packet = kept.packet;
  packet.id = packet.quality == qos::at_most_once ? packet_id{0} : packet_id{1}; // it will have one
  packet.dup = false;
  if (const result<void> sayable = check_encodable(packet, options_.protocol, role::client); !sayable)
    return sayable;
  if (phase_ == phase::connected) {
    if (const result<void> taken = check_publish(packet, limits_); !taken) return taken;
  }
  parked_.push({token, packet.quality});
  return {};
}

result<void> client_machine::send_now(request_token token, const kept_publish& kept, time_point now) {
  if (const result<void> taken = check_publish(kept.packet, limits_); !taken) return taken;
  if (const result<void> sent = session_.send(host_->out(), token, kept); !sent) return sent;
  watch_.on_sent(now);
  if (kept.packet.quality == qos::at_most_once)
    host_->on_complete(token, {});
  else
    host_->on_sent(token, session_.sent().last_publish(), kept.packet.quality);
  return {};
}

result<void> client_machine::subscribe(request_token token, std::span<const subscription> filters,
                                       properties_view properties, time_point now) {
  if (phase_ != phase::connected) return errc::not_connected;
  if (const result<void> taken = check_subscribe(filters, properties, options_.protocol, limits_); !taken)
    return taken;
  if (encoded_subscribe_size(filters, properties, options_.protocol) > limits_.maximum_packet_size)
    return errc::packet_too_large;
  const packet_id id =
      session_.begin_request(token, rung::suback, static_cast<std::uint16_t>(filters.size()));
  if (id == 0) return errc::no_packet_id;
  const result<void> sent = encode_subscribe(host_->out(), id, filters, properties, options_.protocol);
  if (sent)
    watch_.on_sent(now);
  else
    session_.undo(id);
  return sent;
}

result<void> client_machine::unsubscribe(request_token token, std::span<const std::string_view> filters,
                                         properties_view properties, time_point now) {
  if (phase_ != phase::connected) return errc::not_connected;
  if (filters.empty() || filters.size() > 65'535) return errc::invalid_argument;
  if (options_.protocol == version::v3_1_1 && !properties.empty()) return errc::version_mismatch;
  if (encoded_unsubscribe_size(filters, properties, options_.protocol) > limits_.maximum_packet_size)
    return errc::packet_too_large;
  const packet_id id =
      session_.begin_request(token, rung::unsuback, static_cast<std::uint16_t>(filters.size()));
  if (id == 0) return errc::no_packet_id;
  const result<void> sent = encode_unsubscribe(host_->out(), id, filters, properties, options_.protocol);
  if (sent)
    watch_.on_sent(now);
  else
    session_.undo(id);
  return sent;
}

result<void> client_machine::send_auth(reason_code reason, properties_view properties, time_point now) {
  if (options_.protocol == version::v3_1_1) return errc::version_mismatch;
  if (phase_ != phase::connected && phase_ != phase::connecting) return errc::not_connected;
  const auth packet{reason, properties};
  if (phase_ == phase::connected && encoded_size(packet) > limits_.maximum_packet_size)
    return errc::packet_too_large;
  const result<void> sent = encode_auth(host_->out(), packet, options_.protocol, role::client);
  if (sent) watch_.on_sent(now);
  return sent;
}

void client_machine::cancel(request_token token) {
  if (!parked_.remove(token)) {
    const packet_id id = session_.find(token);
    if (id == 0) return;
    session_.withdraw(host_->out(), id);
  }
  complete(token, errc::cancelled, initiator::user);
}

bool client_machine::shed(std::error_code error) {
  if (parked_.empty()) return false;
  const request_token token = parked_.front().token;
  parked_.pop();
  complete(token, error, initiator::library);
  return true;
}

/// Sends what waits: first what was sent before, then what never was.
void client_machine::pump(time_point now) {
  while (const auto next = session_.next_resend()) {
    send_again(*next);
    watch_.on_sent(now);
  }
  if (session_.sent().first_unsent() == 0 && !parked_.empty()) send_parked(now);
}

void client_machine::send_again(const exchange::resend& which) {
  const kept_publish kept = host_->recall(which.token);
  std::error_code error = kept.withdrawn;
  if (!error) error = check_publish(kept.packet, limits_).error();
  if (!error) error = session_.send_again(host_->out(), which, kept).error();
  if (!error) return;
  session_.withdraw(host_->out(), which.id);
  complete(which.token, error, initiator::library);
}

void client_machine::send_parked(time_point now) {
  while (!parked_.empty()) {
    const parking::ticket next = parked_.front();
    if (next.quality != qos::at_most_once && !session_.may_send()) return;
    parked_.pop();
    const kept_publish kept = host_->recall(next.token);
    std::error_code error = kept.withdrawn;
    if (!error) error = send_now(next.token, kept, now).error();
    if (error) complete(next.token, error, initiator::library);
  }
}

} // namespace troupe::protocol
