#include "client_configuration.hpp"

#include <algorithm>
#include <string_view>
#include <thread>
#include <utility>

namespace troupe {

namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;

std::optional<std::string> said(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional{text};
}

offline_overflow overflow_of(std::string_view word) noexcept {
  if (word == "wait") return offline_overflow::wait;
  return word == "drop_oldest" ? offline_overflow::drop_oldest : offline_overflow::reject;
}

address_family family_of(std::string_view word) noexcept {
  if (word == "v4") return address_family::v4;
  return word == "v6" ? address_family::v6 : address_family::any;
}

wake_policy wake_of(std::string_view word) noexcept {
  if (word == "yield") return wake_policy::yield;
  if (word == "spin") return wake_policy::spin;
  return word == "plain" ? wake_policy::plain : wake_policy::automatic;
}

/// "Name: value".
std::pair<std::string_view, std::string_view> pair_of(std::string_view line) {
  const auto colon = line.find(':');
  const auto value = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
  return {line.substr(0, colon), line.substr(value)};
}

web_header header_of(const std::string& line) {
  const auto [name, value] = pair_of(line);
  return {std::string{name}, std::string{value}};
}

protocol::property_block properties_of(const std::vector<std::string>& lines) {
  protocol::property_block all;
  for (const std::string& line : lines) {
    const auto [name, value] = pair_of(line);
    static_cast<void>(all.add_user_property(name, value)); // looked at when it was loaded
  }
  return all;
}

std::optional<will> will_of(const config::will_settings& settings) {
  if (settings.topic.empty()) return std::nullopt;
  return will{.topic = settings.topic,
              .payload = settings.payload,
              .quality = static_cast<qos>(settings.qos),
              .retain = settings.retain,
              .delay = duration_cast<seconds>(settings.delay)};
}

socket_options socket_of(const config::socket_settings& settings) {
  return {.no_delay = settings.no_delay,
          .keep_alive = settings.keep_alive,
          .send_buffer = static_cast<std::size_t>(settings.send_buffer.value),
          .receive_buffer = static_cast<std::size_t>(settings.receive_buffer.value),
          .family = family_of(settings.family),
          .local_address = settings.local_address};
}

tls_options tls_of(const config::client_settings& settings) {
  const config::tls_settings& tls = settings.tls;
  return {.ca_file = tls.ca_file,
          .cert_file = tls.cert_file,
          .key_file = tls.key_file,
          .key_password = tls.key_password,
          .verify_peer = tls.verify_peer,
          .server_name = settings.tls_server_name,
          .least = tls.least_version == "1.3" ? tls_version::v1_3 : tls_version::v1_2,
          .ciphers = tls.ciphers,
          .cipher_suites = settings.tls_cipher_suites,
          .alpn = settings.tls_alpn,
          .pins = tls.pins};
}

void set_time(client_options& result, const config::client_settings& settings) {
  result.keep_alive = duration_cast<seconds>(settings.keep_alive);
  result.session_expiry = duration_cast<seconds>(settings.session_expiry);
  result.connect_timeout = settings.connect_timeout;
  result.connack_timeout = settings.connack_timeout;
  result.ping_timeout = settings.ping_timeout;
  result.disconnect_timeout = settings.disconnect_timeout;
  result.reconnect = settings.reconnect;
  result.backoff_first = settings.reconnect_least;
  result.backoff_limit = settings.reconnect_most;
  result.stable_after = settings.stable_after;
  result.attempts_limit = settings.attempts_limit;
  result.dial_at_once = settings.dial_at_once;
  result.redirects_limit = settings.redirects_limit;
}

void set_amounts(client_options& result, const config::client_settings& settings) {
  result.receive_maximum = settings.receive_maximum;
  result.maximum_packet_size = static_cast<std::uint32_t>(settings.maximum_packet_size.value);
  result.topic_alias_maximum = settings.topic_alias_maximum;
  result.outbound_topic_aliases = settings.outbound_topic_aliases;
  result.send_window = settings.send_window;
  result.pending_items = settings.pending_items;
  result.pending_octets = static_cast<std::size_t>(settings.pending_octets.value);
  result.publish_wait = settings.publish_wait;
  result.when_offline_full = overflow_of(settings.when_offline_full);
  result.drop_offline_qos_0 = settings.drop_offline_qos_0;
}

} // namespace

client_options client_options_of(const config::client_settings& settings) {
  client_options result;
  result.broker = settings.broker;
  result.more_brokers = settings.more_brokers;
  result.client_id = settings.client_id;
  result.version = settings.version == "3.1.1" ? version::v3_1_1 : version::v5_0;
  result.user_name = said(settings.user_name);
  result.password = said(settings.password);
  result.clean_start = settings.clean_start;
  result.session_file = settings.session_file;
  result.connect_properties = properties_of(settings.user_properties);
  result.will = will_of(settings.will);
  set_time(result, settings);
  set_amounts(result, settings);
  result.tls = tls_of(settings);
  for (const std::string& line : settings.web_headers) result.web_headers.push_back(header_of(line));
  result.proxy = settings.proxy;
  result.socket = socket_of(settings.socket);
  return result;
}

stage_options stage_options_of(const config::client_settings& settings) {
  const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  return {.workers = settings.runtime.workers != 0 ? settings.runtime.workers : cores,
          .wake = wake_of(settings.runtime.wake)};
}

} // namespace troupe
