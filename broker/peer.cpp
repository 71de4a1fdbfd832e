#include "peer.hpp"

#include "auth_dialogue.hpp"
#include "bridge_desk.hpp"
#include "shard.hpp"
#include "store.hpp"
#include "wills.hpp"

#include "../protocol/connect.hpp"
#include "../protocol/disconnect.hpp"
#include "../protocol/packet.hpp"

#include <algorithm>
#include <utility>

namespace troupe::brokerage {

using protocol::reason_code;

namespace {

/// A client that reads nothing of what we answer is not read from beyond this backlog.
constexpr std::size_t most_backlog = std::size_t{4} << 20U;

/// What a stranger may make us keep before anybody has judged him: the fields of CONNECT that carry data
/// (will message, password, authentication data) at their greatest, 64 KB each, and as much again for names
/// and properties.
constexpr std::uint32_t most_of_connect = std::uint32_t{256} << 10U;

protocol::server_machine_options machine_options(const broker_options& from) {
  return {.connect_timeout = from.connect_timeout,
          .receive_maximum = from.receive_maximum,
          .maximum_packet_size = from.maximum_packet_size,
          .topic_alias_maximum = from.topic_alias_maximum,
          .send_window = from.max_inflight,
          .max_keep_alive = from.max_keep_alive,
          .maximum_qos = from.maximum_qos,
          .retain_available = from.retain_available,
          .wildcard_subscription_available = from.wildcard_subscription_available,
          .subscription_identifier_available = from.subscription_identifier_available,
          .shared_subscription_available = from.shared_subscription_available};
}

} // namespace

peer::peer(shard& home, peer_number number, runtime::transport_ptr pipe)
    : shard_{home},
      number_{number},
      transport_{std::move(pipe)},
      framer_{transport_->memory(), std::min(most_of_connect, home.shop().options.maximum_packet_size)},
      machine_{machine_options(home.shop().options), *this, home.shop().now} {
  if (home.shop().durable != nullptr) held_ = std::make_unique<held_output>();
}

// -- life ---------------------------------------------------------------------

void peer::start() { transport_->start(*this); }

void peer::admit(peer_session& session, const protocol::acceptance& how) {
  session_ = &session;
  session.attach(*this);
  is_judged_ = true;
  framer_.set_limit(shard_.shop().options.maximum_packet_size);
  touch();
  machine_.accept(how, session.exchange(), shard_.shop().now);
  if (session_ == nullptr) return;
  shard_.watch(*this);
  shard_.pump(session);
  if (is_taking_) return; // admitted from inside the packet that asked for it
  take_frames();
  if (may_read()) transport_->resume();
}

void peer::disconnect(reason_code reason) {
  if (is_leaving_) return;
  touch();
  if (machine_.is_connected() || machine_.is_judging())
    machine_.disconnect(reason, {}, shard_.shop().now);
  else
    on_close({.reason = reason});
}

void peer::let_session_go() { machine_.transport_down(shard_.shop().now); }

void peer::abort() {
  if (!is_gone_) transport_->abort();
}

void peer::on_deadline() {
  if (is_leaving_) return;
  // While we do not read it, silence is ours, not the client's.
  if (is_held_ || is_stopped()) machine_.on_received(shard_.shop().now);
  machine_.on_deadline(shard_.shop().now);
}

// -- towards the client -------------------------------------------------------

protocol::server_machine::sent peer::deliver(protocol::request_token token,
                                             const protocol::kept_publish& what) {
  touch();
  const auto how = machine_.deliver(token, what, shard_.shop().now);
  shard_counters& counts = shard_.shop().counts;
  if (how == protocol::server_machine::sent::too_large)
    counts.messages_dropped.add();
  else
    counts.messages_sent.add();
  return how;
}

void peer::write(protocol::octets frames, protocol::keeper* owner) {
  touch();
  protocol::outbox& to = out();
  if (owner != nullptr && frames.size() >= protocol::borrow_threshold) {
    to.borrow(frames, owner);
    return;
  }
  to.commit(std::copy(frames.begin(), frames.end(), to.reserve(frames.size())));
}

void peer::touch() {
  if (is_dirty_ || is_gone_) return;
  is_dirty_ = true;
  shard_.on_dirty(*this);
}

void peer::flush(pledge_number pledge) {
  is_dirty_ = false;
  if (is_gone_) return;
  if (held_ == nullptr) return transport_->flush_later();
  held_->seal(pledge);
  if (pledge != 0) shard_.shop().pledged->wait(pledge, number_);
  release_held();
}

void peer::release_held() {
  const pledges& pledged = *shard_.shop().pledged;
  if (held_->release(transport_->out(), [&](pledge_number one) { return pledged.is_redeemed(one); }))
    transport_->flush_later();
  if (held_->empty() && std::exchange(is_closing_, false)) transport_->close();
}

void peer::on_redeemed() {
  if (is_gone_) return;
  release_held();
  watch_backlog();
  if (session_ != nullptr && session_->is_waiting()) shard_.pump_later(*session_);
}

bool peer::hold_back() {
  if (is_held_ || is_leaving_) return false;
  is_held_ = true;
  transport_->pause();
  return true;
}

void peer::let_go() {
  if (std::exchange(is_held_, false) && may_read()) transport_->resume();
}

void peer::stop_publishing(session_number by) {
  if (is_leaving_ || session_ == nullptr || session_->waiting() != 0) return;
  if (std::find(stopped_by_.begin(), stopped_by_.end(), by) != stopped_by_.end()) return;
  if (!is_stopped()) shard_.shop().counts.publishers_stopped.add();
  stopped_by_.push_back(by);
  transport_->pause();
}

void peer::let_publish(session_number by) {
  if (std::erase(stopped_by_, by) != 0 && !is_stopped()) resume_publishing();
}

void peer::resume_publishing() {
  stopped_by_.clear();
  if (!std::exchange(is_going_on_, true)) shard_.go_on_later(*this);
}

void peer::go_on() {
  is_going_on_ = false;
  if (is_leaving_ || is_stopped()) return;
  take_frames();
  if (may_read()) transport_->resume();
}

void peer::watch_backlog() {
  const bool is_sated = transport_->backlog() + (held_ == nullptr ? 0 : held_->size()) > most_backlog;
  if (is_leaving_ || is_sated == std::exchange(is_sated_, is_sated)) return;
  if (is_sated)
    transport_->pause();
  else if (may_read())
    transport_->resume();
}

// -- transport_sink -----------------------------------------------------------

void peer::on_writable() {
  const event here{shard_};
  watch_backlog();
  if (session_ != nullptr) shard_.pump(*session_);
}

void peer::on_closed(std::error_code) {
  const event here{shard_};
  is_gone_ = true;
  machine_.transport_down(shard_.shop().now);
  if (!std::exchange(is_leaving_, true)) shard_.on_leaving(*this);
  shard_.on_gone(*this);
}

// -- server_host --------------------------------------------------------------

protocol::outbox& peer::out() { return held_ == nullptr ? transport_->out() : held_->out(); }

void peer::on_connect(const protocol::connect& packet) {
  version_ = packet.protocol;
  framer_.set_version(version_);
  if (shard_.shop().hooks == nullptr) passes_ = version_;
  introduce(packet);
  is_judged_ = false;
  shard_.on_connect(*this, packet);
}

void peer::introduce(const protocol::connect& packet) {
  said.client_id = packet.client_id;
  said.peer_name = transport_->peer_name();
  // A certificate that was checked says more than a name that is claimed.
  auto certified = transport_->certified_name();
  said.is_certified = !certified.empty();
  if (said.is_certified)
    said.user_name = std::move(certified);
  else if (packet.user_name)
    said.user_name = std::string{*packet.user_name};
  said.is_clean = packet.clean_start;
  if (const auto method = packet.properties.text(protocol::property::authentication_method))
    said.auth_method = std::string{*method};
  const broker_options& options = shard_.shop().options;
  if (version_ == protocol::version::v5_0) {
    const std::uint32_t asked =
        packet.properties.number(protocol::property::session_expiry_interval).value_or(0);
    said.expiry = std::min(std::chrono::seconds{asked}, options.max_session_expiry);
    if (said.expiry.count() != asked) said.told_expiry = static_cast<std::uint32_t>(said.expiry.count());
    packet.properties.for_each_user_property(
        [this](const protocol::user_property& each) { said.is_bridge |= each.name == bridge_property; });
  } else if (!packet.clean_start) {
    said.expiry = std::min(options.default_session_expiry, options.max_session_expiry);
  }
  if (!packet.will) return;
  said.will = keep_will(*packet.will, shard_.shop());
  said.will_delay = will_delay(*packet.will);
}

protocol::publish_verdict peer::on_publish(const protocol::publish& packet, protocol::octets whole,
                                           bool same_bytes) {
  if (session_ == nullptr) return {.reason = reason_code::unspecified_error};
  const auto verdict = shard_.routing().publish(*this, packet, whole, same_bytes, reading_);
  if (!shard_.shop().stops.empty()) [[unlikely]]
    shard_.serve_stops();
  if (packet.quality == protocol::qos::exactly_once && is_written() && !protocol::is_failure(verdict.reason))
    keep_receipt(packet.id);
  return verdict;
}

/// One that is kept before all shards have kept the message would lose it: its repetition is not heeded.
void peer::keep_receipt(protocol::packet_id id) {
  store& durable = *shard_.shop().durable;
  pledges& pledged = *shard_.shop().pledged;
  if (!pledged.has_posts()) return durable.keep_receipt(session_->number(), id);
  pledged.when_stored([&durable, who = session_->number(), id] { durable.keep_receipt(who, id); });
}

void peer::on_subscribe(const protocol::subscribe& packet) { shard_.on_subscribe(*this, packet); }

void peer::on_unsubscribe(const protocol::unsubscribe& packet) { shard_.on_unsubscribe(*this, packet); }

void peer::on_delivered(protocol::request_token token) {
  if (session_ == nullptr) return;
  session_->on_delivered(token);
  if (session_->is_waiting()) shard_.pump_later(*session_);
}

void peer::on_released(protocol::request_token token) {
  if (session_ != nullptr) session_->on_released(token);
}

void peer::on_receipt_over(protocol::packet_id id) {
  if (is_written()) shard_.shop().durable->drop_receipt(session_->number(), id);
}

protocol::kept_publish peer::recall(protocol::request_token token) { return session_->recall(token); }

void peer::on_auth(const protocol::auth& packet) { brokerage::on_auth(shard_, *this, packet); }

/// Before it is admitted, its answer is all that is taken from it [MQTT-3.1.2-30].
void peer::say_auth(const auth_answer& what) {
  protocol::property_block block;
  static_cast<void>(
      block.set(protocol::property::authentication_method, std::string_view{*said.auth_method}));
  if (!what.data.empty())
    static_cast<void>(block.set(protocol::property::authentication_data, protocol::as_octets(what.data)));
  touch();
  machine_.send_auth(what.how, block.view(), shard_.shop().now);
  is_judged_ = true;
}

void peer::on_disconnect(const protocol::disconnect& packet) {
  if (session_ == nullptr) return;
  if (packet.reason != reason_code::disconnect_with_will) session_->will.reset(); // [MQTT-3.14.4-3]
  const auto expiry = packet.properties.number(protocol::property::session_expiry_interval);
  if (expiry)
    session_->expiry = std::min(std::chrono::seconds{*expiry}, shard_.shop().options.max_session_expiry);
}

void peer::on_close(const protocol::closing&) {
  if (std::exchange(is_leaving_, true)) return;
  shard_.on_leaving(*this);
  if (is_gone_) return;
  if (held_ == nullptr) return transport_->close();
  is_closing_ = true;
  touch();
}

// -- access -------------------------------------------------------------------

identity peer::who() const {
  identity one{.client_id = said.client_id, .peer_name = said.peer_name, .is_certified = said.is_certified};
  if (said.user_name) one.user_name = *said.user_name;
  return one;
}

reason_code peer::judge_topic(std::string_view topic) {
  if (topic.starts_with("$SYS/")) return reason_code::not_authorized; // the broker's own [MQTT-4.7.2-1]
  const access* const may = shard_.shop().may.get();
  if (may == nullptr || (is_topic_judged_ && topic == judged_topic_)) return reason_code::success;
  const reason_code answer = may->may_publish(who(), topic);
  is_topic_judged_ = !protocol::is_failure(answer);
  if (is_topic_judged_) judged_topic_ = topic;
  return answer;
}

} // namespace troupe::brokerage
