#include "server_machine.hpp"

#include "auth.hpp"
#include "disconnect.hpp"
#include "topic.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

void write_pingresp(outbox& out) {
  octet* const at = out.reserve(2);
  at[0] = 0xD0;
  at[1] = 0x00;
  out.commit(at + 2);
}

/// The protocol level in the body of a CONNECT that may not be well-formed; 0 = not to be found.
std::uint8_t level_of(octets body) noexcept {
  if (body.size() < 2) return 0;
  const std::size_t at = 2U + (static_cast<std::size_t>(body[0]) << 8U | body[1]);
  return at < body.size() ? body[at] : std::uint8_t{0};
}

} // namespace

server_machine::server_machine(const server_machine_options& options, server_host& host, time_point now)
    : options_{options}, host_{&host}, connect_deadline_{now + options.connect_timeout} {}

server_machine::~server_machine() {
  if (session_ != nullptr) session_->close(this);
}

void server_machine::transport_down(time_point) {
  phase_ = phase::closed;
  if (session_ != nullptr) session_->close(this);
  session_ = nullptr;
}

// -- what comes in ------------------------------------------------------------------

bool server_machine::on_packet(const inbound_packet& packet, time_point now) {
  if (phase_ != phase::connected) [[unlikely]]
    return on_first(packet, now);
  watch_.on_packet(now);
  if (const auto* arrived = std::get_if<inbound_publish>(&packet)) return on_publish(*arrived);
  if (const auto* answer = std::get_if<ack>(&packet)) return on_ack(*answer, now);
  return on_frame(*std::get_if<frame>(&packet), now);
}

void server_machine::on_bad_bytes(std::error_code error, time_point) {
  if (phase_ != phase::closed) fail(error);
}

void server_machine::on_oversized(octets start, time_point now) {
  const bool is_connect = !start.empty() && start[0] == static_cast<octet>(packet_type::connect) << 4U;
  if (phase_ != phase::waiting || !is_connect) return on_bad_bytes(errc::packet_too_large, now);
  std::size_t body_at = 1;
  while (body_at < start.size() && start[body_at] >= 0x80U) ++body_at;
  on_undecodable_connect(start.subspan(std::min(body_at + 1, start.size())), errc::packet_too_large);
}

bool server_machine::on_publish(const inbound_publish& arrived) {
  if (arrived.packet.topic_alias == 0) [[likely]]
    return take_publish(arrived.packet, arrived);
  protocol::publish packet = arrived.packet;
  const result<std::string_view> topic = inbound_.resolve(packet.topic_alias, packet.topic);
  if (!topic) return fail(topic.error());
  packet.topic = *topic;
  return take_publish(packet, arrived);
}

bool server_machine::take_publish(const protocol::publish& packet, const inbound_publish& arrived) {
  const bool same_bytes = arrived.packet.topic_alias == 0;
  if (packet.retain && !options_.retain_available && version_ == version::v5_0)
    return fail(errc::retain_not_supported); // [MQTT-3.2.2-14]
  if (packet.quality == qos::at_most_once) {
    host_->on_publish(packet, arrived.whole, same_bytes);
    return phase_ == phase::connected;
  }
  if (packet.quality > options_.maximum_qos && version_ == version::v5_0)
    return fail(errc::quality_not_supported); // [MQTT-3.2.2-11]
  receipts& owed = session_->owed();
  switch (owed.on_publish(host_->out(), packet.id, packet.quality)) {
  case arrival::fresh: break;
  case arrival::repeated: return true;
  case arrival::too_many: return fail(errc::receive_maximum_exceeded);
  case arrival::misused: return fail(errc::protocol_error);
  }
  const publish_verdict verdict = host_->on_publish(packet, arrived.whole, same_bytes);
  if (phase_ != phase::connected) return false;
  if (verdict.deferred)
    owed.defer(packet.id, packet.quality);
  else
    owed.answer(host_->out(), packet.id, packet.quality, verdict.reason);
  return true;
}

bool server_machine::on_ack(const ack& packet, time_point now) {
  progress step;
  switch (packet.type) {
  case packet_type::puback: step = session_->on_puback(packet); break;
  case packet_type::pubrec: step = session_->on_pubrec(host_->out(), packet); break;
  case packet_type::pubcomp: step = session_->on_pubcomp(packet); break;
  default: return on_pubrel(packet.id);
  }
  if (step.what == progress::kind::none) return true;
  if (step.what == progress::kind::released) {
    host_->on_released(step.token);
    return phase_ == phase::connected;
  }
  if (step.what == progress::kind::wrong) return fail(errc::protocol_error);
  if (session_->sent().first_unsent() != 0) pump(now);
  host_->on_delivered(step.token);
  return phase_ == phase::connected;
}

bool server_machine::on_pubrel(packet_id id) {
  if (!session_->owed().on_pubrel(host_->out(), id)) return fail(errc::protocol_error);
  host_->on_receipt_over(id);
  return phase_ == phase::connected;
}

bool server_machine::on_first(const inbound_packet& packet, time_point now) {
  if (phase_ == phase::closed) return false;
  const frame* const whole = std::get_if<frame>(&packet);
  if (phase_ == phase::judging) {
    if (whole != nullptr && whole->type() == packet_type::auth) return on_auth(*whole);
    if (whole != nullptr && whole->type() == packet_type::disconnect) return on_disconnect(*whole);
    return fail(errc::protocol_error);
  }
  if (whole == nullptr || whole->type() != packet_type::connect)
    return fail(errc::protocol_error); // [MQTT-3.1.0-1]
  const result<connect> said = decode_connect(whole->first, whole->body);
  if (!said) return on_undecodable_connect(whole->body, said.error());
  if (said->protocol == version::v5_0 && !whole->has_shortest_length()) // [MQTT-1.5.5-1]
    return on_undecodable_connect(whole->body, errc::malformed_packet);
  read_terms(*said);
  phase_ = phase::judging;
  watch_.on_packet(now);
  host_->on_connect(*said);
  return phase_ != phase::closed;
}

// A client of 5.0 or later is told why [MQTT-3.1.2-2, MQTT-3.1.4-1]; one of 3.1.1 or 3.1 only that its level
// is not spoken here; what is not even a CONNECT is told nothing.
bool server_machine::on_undecodable_connect(octets body, std::error_code error) {
  const std::uint8_t level = level_of(body);
  const bool unsupported = error == errc::unsupported_version;
  version_ = level >= 5 ? version::v5_0 : version::v3_1_1;
  reason_code reason = answer_for(error);
  if (!may_stand_in(reason, packet_type::connack, role::server)) reason = reason_code::unspecified_error;
  if (unsupported || level == 5) send_connack(false, reason, {});
  close({.error = error, .reason = reason});
  return false;
}

void server_machine::read_terms(const connect& packet) noexcept {
  const properties_view& said = packet.properties;
  version_ = packet.protocol;
  client_.keep_alive = std::chrono::seconds{packet.keep_alive};
  client_.maximum_packet_size = said.number(property::maximum_packet_size).value_or(max_packet_size);
  client_.session_expiry = said.number(property::session_expiry_interval).value_or(0);
  client_.receive_maximum =
      static_cast<std::uint16_t>(said.number(property::receive_maximum).value_or(65'535));
  client_.topic_alias_maximum =
      static_cast<std::uint16_t>(said.number(property::topic_alias_maximum).value_or(0));
  client_.wants_problem_information = said.number(property::request_problem_information).value_or(1) != 0;
  client_.authenticates = said.has(property::authentication_method);
}

bool server_machine::on_frame(const frame& packet, time_point) {
  switch (packet.type()) {
  case packet_type::subscribe: return on_subscribe(packet);
  case packet_type::unsubscribe: return on_unsubscribe(packet);
  case packet_type::disconnect: return on_disconnect(packet);
  case packet_type::auth: return on_auth(packet);
  case packet_type::pingreq:
    if (!packet.body.empty()) return fail(errc::malformed_packet);
    write_pingresp(host_->out()); // [MQTT-3.12.4-1]
    return true;
  default: return fail(errc::protocol_error); // a second CONNECT [MQTT-3.1.0-2], or what only servers send
  }
}

bool server_machine::on_subscribe(const frame& packet) {
  const result<subscribe> said = decode_subscribe(packet.first, packet.body, version_);
  if (!said) return fail(said.error());
  if (const std::error_code error = check(*said)) return fail(error);
  host_->on_subscribe(*said);
  return phase_ == phase::connected;
}

// Only 5.0 knows beforehand what we do not offer [MQTT-3.2.2-17 ff.]; in 3.1.1 the host refuses by SUBACK.
std::error_code server_machine::check(const subscribe& packet) const noexcept {
  if (version_ != version::v5_0) return {};
  if (!options_.subscription_identifier_available && packet.properties.has(property::subscription_identifier))
    return errc::subscription_identifier_not_supported;
  if (options_.wildcard_subscription_available && options_.shared_subscription_available) return {};
  for (const subscription& line : packet.filters) {
    const shared_filter parts = split_shared(line.filter);
    if (!options_.shared_subscription_available && !parts.share.empty()) return errc::shared_not_supported;
    if (!options_.wildcard_subscription_available && has_wildcard(parts.filter))
      return errc::wildcard_not_supported;
  }
  return {};
}

bool server_machine::on_unsubscribe(const frame& packet) {
  const result<unsubscribe> said = decode_unsubscribe(packet.first, packet.body, version_);
  if (!said) return fail(said.error());
  host_->on_unsubscribe(*said);
  return phase_ == phase::connected;
}

bool server_machine::on_disconnect(const frame& packet) {
  const result<protocol::disconnect> said =
      decode_disconnect(packet.first, packet.body, version_, role::server);
  if (!said) return fail(said.error());
  const auto expiry = said->properties.number(property::session_expiry_interval);
  if (client_.session_expiry == 0 && expiry.value_or(0) != 0)
    return fail(errc::protocol_error); // section 3.14.2.2.2
  host_->on_disconnect(*said);
  close({.reason = said->reason, .by = initiator::peer, .properties = said->properties});
  return false;
}

bool server_machine::on_auth(const frame& packet) {
  const result<auth> said = decode_auth(packet.first, packet.body, version_, role::server);
  if (!said) return fail(said.error());
  if (!client_.authenticates) return fail(errc::protocol_error); // [MQTT-4.12.0-6]
  host_->on_auth(*said);
  return phase_ != phase::closed;
}

// -- time ---------------------------------------------------------------------------

time_point server_machine::next_deadline() const noexcept {
  switch (phase_) {
  case phase::waiting:
  case phase::judging: return connect_deadline_;
  case phase::connected: return watch_.deadline();
  default: return never;
  }
}

void server_machine::on_deadline(time_point now) {
  if (next_deadline() > now) return;
  switch (phase_) {
  case phase::waiting: close({.error = errc::connect_timeout}); break;
  case phase::judging:
  case phase::connected:
    fail(phase_ == phase::judging ? errc::connect_timeout : errc::keep_alive_timeout); // [MQTT-3.1.2-22]
    break;
  case phase::closed: break;
  }
}

// -- ends ---------------------------------------------------------------------------

// 5.0 says why before it closes [MQTT-4.13.1-1, MQTT-3.1.4-1]; 3.1.1 just closes.
bool server_machine::fail(std::error_code error) {
  reason_code reason = answer_for(error);
  if (version_ == version::v5_0 && phase_ != phase::waiting) {
    const bool greeted = phase_ == phase::connected;
    const packet_type carrier = greeted ? packet_type::disconnect : packet_type::connack;
    if (!may_stand_in(reason, carrier, role::server)) reason = reason_code::unspecified_error;
    if (greeted)
      send_disconnect(reason, {});
    else
      send_connack(false, reason, {});
  }
  close({.error = error, .reason = reason});
  return false;
}

void server_machine::close(const closing& why) {
  phase_ = phase::closed;
  if (session_ != nullptr) session_->close(this); // nothing is said any more
  host_->on_close(why);
}

} // namespace troupe::protocol
