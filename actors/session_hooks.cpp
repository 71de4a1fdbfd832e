// What session asks the user's hooks, and what follows from the answers.
#include "client_setup.hpp"
#include "session.hpp"

#include "../protocol/auth.hpp"
#include "../protocol/errc.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

using protocol::errc;

std::string text_of(const std::vector<protocol::octet>& from) { return {from.begin(), from.end()}; }

protocol::publish as_packet(const birth_message& birth) noexcept {
  protocol::publish packet;
  packet.topic = birth.topic;
  packet.payload = protocol::as_octets(birth.payload);
  packet.retain = birth.retain;
  packet.properties = birth.properties.view();
  return packet;
}

} // namespace

template <class Call>
void session::ask_hooks(Call call) noexcept {
  if (!front_->hooks) return;
  try {
    call(*front_->hooks);
  } catch (...) {
    front_->handler_failures.add(1);
  }
}

void session::present_anew() {
  ask_hooks([this](client_hooks& hooks) {
    auto& ours = machine_.introduction();
    connect_details details;
    details.user_name = first_words_.user_name;
    if (first_words_.password) details.password = text_of(*first_words_.password);
    details.will = front_->last_will;
    details.properties = first_words_.connect_properties;
    hooks.on_connect(details);
    ours.user_name = std::move(details.user_name);
    ours.password.reset();
    if (details.password) ours.password.emplace(details.password->begin(), details.password->end());
    ours.will = will_setup(details.will);
    ours.connect_properties = std::move(details.properties);
  });
}

void session::ask_down_hook() {
  ask_hooks([this](client_hooks& hooks) { hooks.on_down(why_down_.error); });
}

void session::tell_farewell(const protocol::closing& why) {
  if (why.by != protocol::initiator::peer) return;
  ask_hooks([&why](client_hooks& hooks) { hooks.on_farewell(why.reason, why.properties); });
}

// Behind the subscriptions, before everything that is sent again.
void session::say_birth(const protocol::connack& greeting) {
  ask_hooks([&](client_hooks& hooks) {
    hooks.on_connack(greeting);
    hooks.on_up(machine_.limits(), is_resumed_);
    const auto birth = hooks.on_birth();
    if (!birth) return;
    const protocol::publish packet = as_packet(*birth);
    auto said = protocol::check_publish(packet, machine_.limits());
    if (said) said = protocol::encode_publish(out(), packet, machine_.protocol());
    if (!said && birth->is_needed) birth_refusal_ = said.error();
  });
}

// -- enhanced authentication ------------------------------------------------------------------

bool session::answer_auth(const auth_step& said) {
  std::optional<auth_step> answer;
  ask_hooks([&](client_hooks& hooks) { answer = hooks.on_auth(said); });
  if (!answer) return false;
  protocol::property_block properties;
  const auto& method = answer->method.empty() ? auth_method() : answer->method;
  if (!properties.set(protocol::property::authentication_method, std::string_view{method})) return false;
  if (!answer->data.empty()
      && !properties.set(protocol::property::authentication_data, protocol::as_octets(answer->data)))
    return false;
  return machine_.send_auth(answer->reason, properties.view(), now_).has_value();
}

std::string session::auth_method() {
  const auto method =
      machine_.introduction().connect_properties.view().text(protocol::property::authentication_method);
  return std::string{method.value_or(std::string_view{})};
}

void session::on_auth(const protocol::auth& packet) {
  if (packet.reason == protocol::reason_code::success && !reauthentications_.empty()) {
    const outcome granted{packet.reason};
    for (const asker& who : std::exchange(reauthentications_, {})) ends_.answer(who, granted);
    return;
  }
  auth_step said{packet.reason, {}, {}};
  said.method = packet.properties.text(protocol::property::authentication_method).value_or("");
  if (const auto data = packet.properties.binary(protocol::property::authentication_data))
    said.data = protocol::as_text(*data);
  if (!answer_auth(said)) is_auth_refused_ = true;
}

void session::reauthenticate(const asker& who) {
  if (!machine_.is_connected()) return ends_.answer(who, outcome{errc::not_connected});
  const auto reason = protocol::reason_code::reauthenticate;
  if (auth_method().empty() || !answer_auth({reason, auth_method(), {}}))
    return ends_.answer(who, outcome{errc::invalid_argument});
  reauthentications_.push_back(who);
}

void session::end_reauthentications(std::error_code why) {
  for (const asker& who : std::exchange(reauthentications_, {})) ends_.answer(who, outcome{why});
}

// -- what waits for a connection ----------------------------------------------------------------

namespace {

/// Where the interval of message expiry stands in an encoded publish; null: it has none.
protocol::octet* expiry_place(const publish_record& record) noexcept {
  const auto properties = record.view().packet.properties;
  const auto found = protocol::find_property(properties.block(), protocol::property::message_expiry_interval);
  if (found.size() < 5) return nullptr;
  return record.frame + (found.data() + 1 - record.frame);
}

} // namespace

/// False: it was ended, since the options say so.
bool session::may_wait(publish_record& record) {
  if (machine_.is_connected()) return true;
  if (front_->drops_offline_qos_0 && record.quality == qos::at_most_once) {
    front_->dropped.add(1);
    end_publish(record, outcome{errc::not_connected});
    return false;
  }
  return true;
}

void session::note_age(const publish_record& record, protocol::time_point since) {
  if (record.properties_size != 0 && expiry_place(record) != nullptr) ages_.emplace(record.token(), since);
}

/// So many octets and one place, from those who waited longest for a connection.
void session::make_room(std::size_t octets) {
  if (machine_.is_connected()) return;
  std::size_t items = 0;
  std::size_t freed = 0;
  for (; items == 0 || freed < octets; ++items) {
    const auto before = shed_octets_;
    if (!machine_.shed(errc::backpressure)) break;
    freed += shed_octets_ - before;
  }
  front_->dropped.add(items);
}

/// A message that waited here says less of its lifetime, or is not sent any more (section 3.3.2.3.3).
bool session::has_expired(const publish_record& record) {
  const auto found = ages_.find(record.token());
  if (found == ages_.end()) return false;
  protocol::octet* const at = expiry_place(record);
  std::uint32_t left = 0;
  for (int n = 0; n != 4; ++n) left = left << 8U | at[n];
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(now_ - found->second);
  const auto whole = static_cast<std::uint64_t>(std::max<std::int64_t>(waited.count(), 0));
  if (whole >= left) return true;
  found->second += std::chrono::seconds{whole}; // what is left begins here
  left -= static_cast<std::uint32_t>(whole);
  for (int n = 3; n >= 0; --n, left >>= 8U) at[n] = static_cast<protocol::octet>(left & 0xFFU);
  return false;
}

} // namespace troupe::actors
