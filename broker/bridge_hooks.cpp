#include "bridge_hooks.hpp"

#include "bridge_desk.hpp"

#include <algorithm>
#include <utility>

namespace troupe::brokerage {

bridge_hooks::bridge_hooks(std::shared_ptr<client_hooks> users, recogniser recognise)
    : users_{std::move(users)}, recognise_{std::move(recognise)} {}

protocol::publish bridge_hooks::as_taken(protocol::publish what, version spoken) const noexcept {
  what.quality = std::min(what.quality, maximum_.load(std::memory_order_relaxed));
  what.retain = what.retain && keeps_.load(std::memory_order_relaxed);
  if (spoken != version::v5_0) what.properties = {};
  return what;
}

void bridge_hooks::on_connack(const protocol::connack& packet) {
  std::string id;
  packet.properties.for_each_user_property([&](const protocol::user_property& each) {
    if (each.name == bridge_property) id = each.value;
  });
  recognise_(id);
  if (users_) users_->on_connack(packet);
}

void bridge_hooks::on_up(const broker_capabilities& what, bool is_resumed) {
  maximum_.store(what.maximum_qos, std::memory_order_relaxed);
  keeps_.store(what.retain_available, std::memory_order_relaxed);
  if (users_) users_->on_up(what, is_resumed);
}

void bridge_hooks::on_connect(connect_details& details) {
  if (users_) users_->on_connect(details);
}

void bridge_hooks::on_farewell(protocol::reason_code why, protocol::properties_view properties) {
  if (users_) users_->on_farewell(why, properties);
}

std::optional<birth_message> bridge_hooks::on_birth() { return users_ ? users_->on_birth() : std::nullopt; }

void bridge_hooks::on_down(std::error_code why) {
  if (users_) users_->on_down(why);
}

retry_answer bridge_hooks::on_retry(const retry_question& question) {
  return users_ ? users_->on_retry(question) : client_hooks::on_retry(question);
}

std::optional<auth_step> bridge_hooks::on_auth(const auth_step& step) {
  return users_ ? users_->on_auth(step) : std::nullopt;
}

void bridge_hooks::on_octets(direction way, protocol::octets what) {
  if (users_) users_->on_octets(way, what);
}

} // namespace troupe::brokerage
