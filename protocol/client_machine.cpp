#include "client_machine.hpp"

#include "auth.hpp"
#include "disconnect.hpp"
#include "topic.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace troupe::protocol {

namespace {

void write_pingreq(outbox& out) {
  octet* const at = out.reserve(2);
  at[0] = 0xC0;
  at[1] = 0x00;
  out.commit(at + 2);
}

} // namespace

client_machine::client_machine(client_machine_options options, client_host& host)
    : options_{std::move(options)}, host_{&host} {}

// -- connection -------------------------------------------------------------------

void client_machine::transport_up(time_point now) {
  if (phase_ != phase::down) transport_down(now);
  // 3.1.1 says with one flag that nothing is resumed and that nothing is kept.
  const bool resumes = was_connected_ && options_.protocol == version::v5_0;
  asked_clean_ = options_.clean_start && !resumes;
  inbound_ =
      inbound_aliases{options_.protocol == version::v5_0 ? options_.topic_alias_maximum : std::uint16_t{0}};
  const std::string_view id =
      options_.client_id.empty() ? std::string_view{limits_.assigned_client_identifier} : options_.client_id;
  phase_ = phase::connecting;
  connack_deadline_ = now + options_.connack_timeout;
  if (const result<void> done = write_connect(host_->out(), options_, id, asked_clean_); !done)
    close({.error = done.error()});
}

void client_machine::transport_down(time_point) {
  phase_ = phase::down;
  watch_.stop();
  session_.close(this);
  session_.end_requests(
      [this](request_token token) { complete(token, errc::connection_lost, initiator::library); });
}

void client_machine::disconnect(reason_code reason, properties_view properties, time_point now) {
  if (phase_ != phase::connected && phase_ != phase::connecting) return;
  using packet = protocol::disconnect;
  // 3.1.1 knows the orderly end alone; closing without a word is how a will is asked for there.
  const bool is_rising = options_.session_expiry.count() == 0
                         && properties.number(property::session_expiry_interval).value_or(0) != 0;
  if (is_rising) properties = {}; // section 3.14.2.2.2: what was not to be kept cannot be kept after all
  const bool sayable = options_.protocol == version::v5_0 || reason == reason_code::normal_disconnection;
  if (sayable && options_.protocol == version::v5_0
      && encoded_size(packet{reason, properties}, options_.protocol) > limits_.maximum_packet_size)
    properties = {};
  if (sayable
      && !encode_disconnect(host_->out(), packet{reason, properties}, options_.protocol, role::client))
    static_cast<void>(encode_disconnect(host_->out(), packet{}, options_.protocol, role::client));
  watch_.on_sent(now);
  close({.reason = reason, .by = initiator::user});
}

void client_machine::abandon(std::error_code error) {
  while (!parked_.empty()) {
    const request_token token = parked_.front().token;
    parked_.pop();
    complete(token, error, initiator::library);
  }
  session_.end_publishes(host_->out(),
                         [&](request_token token) { complete(token, error, initiator::library); });
  session_.end_requests([&](request_token token) { complete(token, error, initiator::library); });
}

// -- what comes in ------------------------------------------------------------------

bool client_machine::on_packet(const inbound_packet& packet, time_point now) {
  if (phase_ == phase::down || phase_ == phase::closing) return false;
  watch_.on_received(now);
  if (const auto* arrived = std::get_if<inbound_publish>(&packet)) return on_publish(*arrived);
  if (const auto* answer = std::get_if<ack>(&packet)) return on_ack(*answer, now);
  return on_frame(*std::get_if<frame>(&packet), now);
}

void client_machine::on_bad_bytes(std::error_code error, time_point) {
  if (phase_ == phase::connecting || phase_ == phase::connected) fail(error);
}

bool client_machine::settle(delivery_tag tag, reason_code reason, time_point now) {
  if (phase_ != phase::connected) return session_.owed().note(tag, reason);
  const bool is_taken = session_.owed().settle(host_->out(), tag, reason);
  if (is_taken) watch_.on_sent(now);
  return is_taken;
}

bool client_machine::on_publish(const inbound_publish& arrived) {
  if (phase_ != phase::connected) return fail(errc::protocol_error); // [MQTT-3.2.0-1]
  if (arrived.packet.topic_alias == 0) [[likely]] {
    if (arrived.packet.quality != qos::at_most_once) return on_counted_publish(arrived.packet);
    host_->on_deliver(arrived.packet, delivery_tag{});
    return true;
  }
  protocol::publish packet = arrived.packet;
  const result<std::string_view> topic = inbound_.resolve(packet.topic_alias, packet.topic);
  if (!topic) return fail(topic.error());
  packet.topic = *topic;
  if (packet.quality != qos::at_most_once) return on_counted_publish(packet);
  host_->on_deliver(packet, delivery_tag{});
  return true;
}

bool client_machine::on_counted_publish(const protocol::publish& packet) {
  receipts& owed = session_.owed();
  switch (owed.on_publish(host_->out(), packet.id, packet.quality)) {
  case arrival::fresh: break;
  case arrival::repeated: return true;
  case arrival::too_many: return fail(errc::receive_maximum_exceeded);
  case arrival::misused: return fail(errc::protocol_error);
  }
  if (host_->on_deliver(packet, owed.tag(packet.id, packet.quality)))
    owed.answer(host_->out(), packet.id, packet.quality, reason_code::success);
  else
    owed.defer(packet.id, packet.quality);
  return true;
}

bool client_machine::on_ack(const ack& packet, time_point now) {
  if (phase_ != phase::connected) return fail(errc::protocol_error);
  progress step;
  switch (packet.type) {
  case packet_type::puback: step = session_.on_puback(packet); break;
  case packet_type::pubrec: step = session_.on_pubrec(host_->out(), packet); break;
  case packet_type::pubcomp: step = session_.on_pubcomp(packet); break;
  default:
    if (!session_.owed().on_pubrel(host_->out(), packet.id)) return fail(errc::protocol_error);
    host_->on_receipt_over(packet.id);
    return true;
  }
  if (!progressed(step, {.reason = packet.reason, .by = initiator::peer, .properties = packet.properties}))
    return false;
  pump(now);
  return true;
}

bool client_machine::on_frame(const frame& packet, time_point now) {
  if (packet.type() == packet_type::auth) return on_auth(packet);
  if ((packet.type() == packet_type::connack) != (phase_ == phase::connecting))
    return fail(errc::protocol_error); // [MQTT-3.2.0-1], [MQTT-3.2.0-2], [MQTT-3.14.0-1]
  switch (packet.type()) {
  case packet_type::connack: return on_connack(packet, now);
  case packet_type::suback: return on_suback(packet);
  case packet_type::unsuback: return on_unsuback(packet);
  case packet_type::disconnect: return on_disconnect(packet);
  case packet_type::pingresp:
    if (!packet.body.empty()) return fail(errc::malformed_packet);
    watch_.on_pong();
    return true;
  default: return fail(errc::protocol_error); // what only clients send
  }
}

bool client_machine::on_connack(const frame& packet, time_point now) {
  const result<connack> answer = decode_connack(packet.first, packet.body, options_.protocol);
  if (!answer) return fail(answer.error());
  if (is_failure(answer->reason)) {
    close({.error = errc::refused_by_server,
           .reason = answer->reason,
           .by = initiator::peer,
           .properties = answer->properties});
    return false;
  }
  if (answer->session_present && asked_clean_)
    return fail(errc::protocol_error); // [MQTT-3.2.2-2], [MQTT-3.2.2-4]
  come_up(*answer, now);
  return phase_ == phase::connected;
}

void client_machine::come_up(const connack& packet, time_point now) {
  std::string assigned = std::move(limits_.assigned_client_identifier);
  limits_ = read_limits(packet, options_.keep_alive);
  if (limits_.assigned_client_identifier.empty() && options_.client_id.empty())
    limits_.assigned_client_identifier = std::move(assigned);
  outbound_ = outbound_aliases{std::min(limits_.topic_alias_maximum, options_.outbound_topic_aliases)};
  uses_aliases_ = limits_.topic_alias_maximum != 0 && options_.outbound_topic_aliases != 0;
  session_.open({.protocol = options_.protocol,
                 .send_window = std::min(limits_.receive_maximum, options_.send_window),
                 .exact_window = options_.exact_window,
                 .receive_window = options_.receive_maximum,
                 .maximum_packet_size = limits_.maximum_packet_size,
                 .aliases = uses_aliases_ ? &outbound_ : nullptr,
                 .holder = this});
  was_connected_ = true;
  phase_ = phase::connected;
  watch_.start(limits_.keep_alive, options_.ping_timeout, now);
  if (!packet.session_present) {
    const verdict taken{.by = initiator::peer};
    session_.begin_anew([&](request_token token) { host_->on_complete(token, taken); });
  }
  host_->on_connected(packet);
  if (phase_ != phase::connected) return; // the host had enough
  session_.resume(host_->out());
  pump(now);
}

bool client_machine::on_suback(const frame& packet) {
  const result<suback> answer = decode_suback(packet.first, packet.body, options_.protocol);
  if (!answer) return fail(answer.error());
  const progress step = session_.on_request_answer(answer->id, rung::suback, answer->codes.size());
  return progressed(step,
                    {.by = initiator::peer, .properties = answer->properties, .granted = answer->codes});
}

bool client_machine::on_unsuback(const frame& packet) {
  const result<unsuback> answer = decode_unsuback(packet.first, packet.body, options_.protocol);
  if (!answer) return fail(answer.error());
  const progress step = session_.on_request_answer(answer->id, rung::unsuback, answer->codes.size());
  return progressed(step,
                    {.by = initiator::peer, .properties = answer->properties, .granted = answer->codes});
}

bool client_machine::on_disconnect(const frame& packet) {
  const result<protocol::disconnect> said =
      decode_disconnect(packet.first, packet.body, options_.protocol, role::client);
  if (!said) return fail(said.error());
  const errc why =
      said->reason == reason_code::session_taken_over ? errc::session_taken_over : errc::disconnected_by_peer;
  close({.error = why, .reason = said->reason, .by = initiator::peer, .properties = said->properties});
  return false;
}

bool client_machine::on_auth(const frame& packet) {
  const result<auth> said = decode_auth(packet.first, packet.body, options_.protocol, role::client);
  if (!said) return fail(said.error());
  if (!options_.connect_properties.view().has(property::authentication_method))
    return fail(errc::protocol_error); // [MQTT-4.12.0-6]
  host_->on_auth(*said);
  return true;
}

// -- ends ---------------------------------------------------------------------------

bool client_machine::progressed(const progress& step, const verdict& how) {
  if (step.what == progress::kind::wrong) return fail(errc::protocol_error);
  if (step.what == progress::kind::ended) host_->on_complete(step.token, how);
  if (step.what == progress::kind::released) host_->on_released(step.token);
  return true;
}

void client_machine::complete(request_token token, std::error_code error, initiator by) {
  host_->on_complete(token, {.error = error, .by = by});
}

// The peer broke a rule: 5.0 tells it which, then closes [MQTT-4.13.1-1]; 3.1.1 just closes.
bool client_machine::fail(std::error_code error) {
  reason_code reason = answer_for(error);
  if (options_.protocol == version::v5_0) {
    if (!may_stand_in(reason, packet_type::disconnect, role::client)) reason = reason_code::unspecified_error;
    static_cast<void>(
        encode_disconnect(host_->out(), protocol::disconnect{reason, {}}, options_.protocol, role::client));
  }
  close({.error = error, .reason = reason});
  return false;
}

void client_machine::close(const closing& why) {
  phase_ = phase::closing;
  session_.close(this); // nothing is said any more
  host_->on_close(why);
}

// -- time ---------------------------------------------------------------------------

time_point client_machine::next_deadline() const noexcept {
  switch (phase_) {
  case phase::connecting: return connack_deadline_;
  case phase::connected: return watch_.deadline();
  default: return never;
  }
}

void client_machine::on_deadline(time_point now) {
  if (phase_ == phase::connecting && connack_deadline_ <= now)
    close({.error = errc::connack_timeout});
  else if (phase_ == phase::connected && watch_.is_lost(now))
    close({.error = errc::ping_timeout});
  else if (phase_ == phase::connected && watch_.ping_is_due(now)) {
    write_pingreq(host_->out());
    watch_.on_ping_sent(now);
  }
}

void client_machine::on_sent(time_point now) noexcept { watch_.on_sent(now); }

void client_machine::on_received(time_point now) noexcept { watch_.on_received(now); }

} // namespace troupe::protocol
