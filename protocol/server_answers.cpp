// The answers and deliveries of server_machine: what the host lets go out.
#include "server_machine.hpp"

#include "auth.hpp"
#include "connack.hpp"
#include "disconnect.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

/// The nearest reason that may stand in a CONNACK.
reason_code reason_for_connack(reason_code reason) noexcept {
  if (reason == reason_code::server_shutting_down) return reason_code::server_unavailable;
  return is_failure(reason) ? reason : reason_code::unspecified_error;
}

} // namespace

// -- the handshake --------------------------------------------------------------------

void server_machine::accept(const acceptance& how, exchange& session, time_point now) {
  if (phase_ != phase::judging) return;
  const bool v5 = version_ == version::v5_0;
  const property_block said = v5 ? connack_properties(how) : property_block{};
  send_connack(how.session_present, reason_code::success, said.view());

  const std::uint16_t aliases =
      v5 ? std::min(client_.topic_alias_maximum, options_.outbound_topic_aliases) : std::uint16_t{0};
  outbound_ = outbound_aliases{aliases};
  inbound_ = inbound_aliases{v5 ? options_.topic_alias_maximum : std::uint16_t{0}};
  session_ = &session;
  session_->open({.protocol = version_,
                  .send_window = std::min(client_.receive_maximum, options_.send_window),
                  .receive_window = options_.receive_maximum,
                  .maximum_packet_size = client_.maximum_packet_size,
                  .aliases = aliases != 0 ? &outbound_ : nullptr,
                  .holder = this});
  phase_ = phase::connected;
  std::chrono::seconds keep_alive = client_.keep_alive;
  if (const auto other = said.view().number(property::server_keep_alive))
    keep_alive = std::chrono::seconds{*other};
  watch_.start(keep_alive, now);
  if (!how.session_present) session_->forget();
  session_->resume(host_->out());
  pump(now);
}

property_block server_machine::connack_properties(const acceptance& how) const {
  property_block block = how.properties;
  const auto say = [&](property id, std::uint32_t value) { static_cast<void>(block.set(id, value)); };
  if (how.session_expiry) say(property::session_expiry_interval, *how.session_expiry);
  if (options_.receive_maximum != 65'535) say(property::receive_maximum, options_.receive_maximum);
  if (options_.maximum_qos != qos::exactly_once)
    say(property::maximum_qos, static_cast<std::uint32_t>(options_.maximum_qos));
  if (!options_.retain_available) say(property::retain_available, 0);
  if (options_.maximum_packet_size != max_packet_size)
    say(property::maximum_packet_size, options_.maximum_packet_size);
  if (!how.assigned_client_identifier.empty())
    static_cast<void>(block.set(property::assigned_client_identifier, how.assigned_client_identifier));
  if (options_.topic_alias_maximum != 0) say(property::topic_alias_maximum, options_.topic_alias_maximum);
  if (!options_.wildcard_subscription_available) say(property::wildcard_subscription_available, 0);
  if (!options_.subscription_identifier_available) say(property::subscription_identifier_available, 0);
  if (!options_.shared_subscription_available) say(property::shared_subscription_available, 0);
  const std::chrono::seconds most = options_.max_keep_alive;
  if (most.count() != 0 && (client_.keep_alive.count() == 0 || client_.keep_alive > most))
    say(property::server_keep_alive, static_cast<std::uint32_t>(most.count()));
  return block;
}

void server_machine::refuse(reason_code reason, properties_view properties, time_point) {
  if (phase_ != phase::judging) return;
  send_connack(false, reason, properties);
  close({.error = errc::refused_by_server, .reason = reason});
}

void server_machine::send_connack(bool session_present, reason_code reason, properties_view properties) {
  connack packet{session_present, reason, properties};
  if (encoded_size(packet, version_) > client_.maximum_packet_size) packet.properties = {};
  if (encode_connack(host_->out(), packet, version_)) return;
  packet = {.reason = reason_code::unspecified_error}; // only our own host's mistake leads here
  static_cast<void>(encode_connack(host_->out(), packet, version_));
}

void server_machine::disconnect(reason_code reason, properties_view properties, time_point) {
  if (phase_ == phase::closed) return;
  if (phase_ == phase::connected && version_ == version::v5_0)
    send_disconnect(reason, properties);
  else if (phase_ == phase::judging)
    send_connack(false, reason_for_connack(reason), {});
  close({.reason = reason, .by = initiator::user});
}

void server_machine::send_disconnect(reason_code reason, properties_view properties) {
  protocol::disconnect packet{reason, properties};
  if (encoded_size(packet, version_) > client_.maximum_packet_size) packet.properties = {};
  if (encode_disconnect(host_->out(), packet, version_, role::server)) return;
  packet = {.reason = reason_code::unspecified_error};
  static_cast<void>(encode_disconnect(host_->out(), packet, version_, role::server));
}

void server_machine::send_auth(reason_code reason, properties_view properties, time_point) {
  const bool possible = phase_ == phase::judging || phase_ == phase::connected;
  if (possible && version_ == version::v5_0 && client_.authenticates)
    static_cast<void>(encode_auth(host_->out(), auth{reason, properties}, version_, role::server));
}

// -- answers --------------------------------------------------------------------------

void server_machine::acknowledge(packet_id id, reason_code reason, time_point) {
  if (phase_ != phase::connected) return;
  receipts& owed = session_->owed();
  if (!owed.settle(host_->out(), owed.tag(id, qos::at_least_once), reason))
    owed.settle(host_->out(), owed.tag(id, qos::exactly_once), reason);
}

void server_machine::answer_subscribe(packet_id id, std::span<const reason_code> codes,
                                      properties_view properties) {
  if (phase_ != phase::connected) return;
  suback packet{id, {}, codes};
  packet.properties = permitted(properties, encoded_size(packet, version_));
  if (!encode_suback(host_->out(), packet, version_)) fail(errc::implementation_error);
}

void server_machine::answer_unsubscribe(packet_id id, std::span<const reason_code> codes,
                                        properties_view properties) {
  if (phase_ != phase::connected) return;
  unsuback packet{id, {}, codes};
  packet.properties = permitted(properties, encoded_size(packet, version_));
  if (!encode_unsuback(host_->out(), packet, version_)) fail(errc::implementation_error);
}

/// The properties of an answer, or none: when the client does not want them [MQTT-3.1.2-29] or they would
/// make it larger than the client takes [MQTT-3.9.2-1, MQTT-3.11.2-1].
properties_view server_machine::permitted(properties_view properties, std::size_t bare_size) const noexcept {
  constexpr std::size_t longer_lengths = 3 + 3; // remaining length and property length may grow
  const bool fits = bare_size + properties.block().size() + longer_lengths <= client_.maximum_packet_size;
  return version_ == version::v5_0 && client_.wants_problem_information && fits ? properties
                                                                                : properties_view{};
}

// -- what goes out --------------------------------------------------------------------

server_machine::sent server_machine::deliver(request_token token, const kept_publish& kept, time_point) {
  if (phase_ != phase::connected) return sent::window_full;
  result<void> done;
  if (version_ == version::v3_1_1 && !kept.packet.properties.empty()) {
    kept_publish plain = kept;
    plain.packet.properties = {};
    done = session_->send(host_->out(), token, plain);
  } else {
    done = session_->send(host_->out(), token, kept);
  }
  if (done) return kept.packet.quality == qos::at_most_once ? sent::done : sent::in_flight;
  const bool full = done.error() == errc::backpressure || done.error() == errc::no_packet_id;
  return full ? sent::window_full : sent::too_large;
}

/// Sends again what an earlier connection left, as far as the window goes. What this client cannot take
/// counts as delivered [MQTT-3.1.2-25].
void server_machine::pump(time_point) {
  while (const auto next = session_->next_resend()) {
    kept_publish kept = host_->recall(next->token);
    if (version_ == version::v3_1_1) kept.packet.properties = {};
    if (!kept.withdrawn && session_->send_again(host_->out(), *next, kept)) continue;
    session_->withdraw(host_->out(), next->id);
    host_->on_delivered(next->token);
  }
}

} // namespace troupe::protocol
