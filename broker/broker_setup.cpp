#include "broker_setup.hpp"

#include "access_rules.hpp"
#include "peer_session.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

namespace troupe::brokerage {

namespace {

overflow overflow_of(std::string_view name) noexcept {
  if (name == "drop_oldest") return overflow::drop_oldest;
  if (name == "disconnect") return overflow::disconnect;
  if (name == "block") return overflow::block;
  return overflow::drop_newest;
}

wake_policy wake_of(std::string_view name) noexcept {
  if (name == "yield") return wake_policy::yield;
  if (name == "spin") return wake_policy::spin;
  if (name == "plain") return wake_policy::plain;
  return wake_policy::automatic;
}

} // namespace

std::shared_ptr<const access> access_of(const config::broker_settings& settings) {
  if (settings.allow_anonymous && settings.acl.empty()) return nullptr;
  std::vector<access_rule> rules;
  for (const config::acl_settings& one : settings.acl)
    rules.push_back(
        {.user = one.user,
         .client_id = one.client_id,
         .topic = one.topic,
         .may_publish = one.may == "publish" || one.may == "both" || one.may == "no_publish",
         .may_subscribe = one.may == "subscribe" || one.may == "both" || one.may == "no_subscribe",
         .forbids = one.may.starts_with("no")});
  return std::make_shared<access_rules>(settings.allow_anonymous, std::move(rules),
                                        settings.acl_default == "allow");
}

broker_options options_of(const config::broker_settings& settings) {
  const auto expiry = std::chrono::ceil<std::chrono::seconds>(settings.max_session_expiry);
  const auto longest =
      std::min(expiry.count() == 0 ? peer_session::lives_forever : expiry, peer_session::lives_forever);
  return {.max_connections = settings.max_connections,
          .max_connects_per_second = settings.max_connects_per_second,
          .connect_timeout = settings.connect_timeout,
          .max_keep_alive = std::chrono::ceil<std::chrono::seconds>(settings.max_keep_alive),
          .receive_maximum = settings.receive_maximum,
          .maximum_packet_size = static_cast<std::uint32_t>(settings.maximum_packet_size.value),
          .topic_alias_maximum = settings.topic_alias_maximum,
          .retain_available = settings.retain_available,
          .max_sessions = settings.max_sessions,
          .max_session_expiry = longest,
          .max_subscriptions = settings.max_subscriptions,
          .max_filter_levels = settings.max_filter_levels,
          .max_inflight = settings.max_inflight,
          .max_queued_messages = settings.max_queued_messages,
          .max_queued_bytes = settings.max_queued_bytes.value,
          .when_full = overflow_of(settings.when_full),
          .block_timeout = settings.block_timeout,
          .queue_qos0_offline = settings.queue_qos0_offline,
          .max_retained_messages = settings.max_retained_messages,
          .may = access_of(settings),
          .sys_interval = settings.sys_interval};
}

listen_options listen_options_of(const config::listener_settings& settings) {
  const config::tls_settings& tls = settings.tls;
  return {.tls = {.ca_file = tls.ca_file,
                  .cert_file = tls.cert_file,
                  .key_file = tls.key_file,
                  .key_password = tls.key_password,
                  .verify_peer = tls.verify_peer,
                  .least = tls.least_version == "1.3" ? tls_version::v1_3 : tls_version::v1_2,
                  .ciphers = tls.ciphers,
                  .pins = tls.pins,
                  .name_is_user = settings.name_is_user}};
}

stage_options stage_options_of(const config::broker_settings& settings) {
  const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  return {.workers = settings.runtime.workers != 0 ? settings.runtime.workers : cores,
          .wake = wake_of(settings.runtime.wake),
          .name = "troupe-broker"};
}

} // namespace troupe::brokerage
