#include "client_setup.hpp"

#include "../protocol/errc.hpp"
#include "../protocol/topic.hpp"
#include "../protocol/utf8.hpp"
#include "../runtime/tls_context.hpp"
#include "../runtime/websocket_dialogue.hpp"

#include <algorithm>
#include <limits>
#include <random>

namespace troupe::actors {

namespace {

using protocol::errc;

std::vector<protocol::octet> octets_of(std::string_view text) { return {text.begin(), text.end()}; }

std::error_code check_endpoint(const std::string& text) { return runtime::parse_endpoint(text).error(); }

std::error_code check_will(const will& last, version v) {
  if (const auto named = protocol::check_topic_name(last.topic); !named) return named.error();
  if (last.payload.size() > 65'535) return errc::bad_settings; // [MQTT-3.1.3.4]: a two-octet length
  if (v == version::v3_1_1 && (!last.properties.empty() || last.delay.count() != 0))
    return errc::version_mismatch;
  return {};
}

std::error_code check_numbers(const client_options& options) {
  const bool is_fine =
      options.keep_alive.count() >= 0 && options.keep_alive.count() <= 65'535
      && options.session_expiry.count() >= 0 && options.session_expiry.count() <= std::int64_t{0xFFFF'FFFF}
      && options.receive_maximum != 0 && options.maximum_packet_size != 0
      && options.maximum_packet_size <= protocol::max_packet_size && options.pending_items != 0
      && options.pending_items <= (std::size_t{1} << 20U) && options.pending_octets != 0;
  return is_fine ? std::error_code{} : make_error_code(errc::bad_settings);
}

/// What every broker takes that is heard of, where none can say how much it takes.
constexpr std::uint16_t unsaid_exact_window = 20;

void set_windows(const client_options& options, protocol::client_machine_options& result) {
  if (options.send_window != 0)
    result.send_window = options.send_window;
  else if (options.version == version::v3_1_1)
    result.exact_window = unsaid_exact_window;
}

void use_credentials_of(const std::string& broker, protocol::client_machine_options& options) {
  const auto where = runtime::parse_endpoint(broker);
  if (!where || where->user.empty()) return;
  options.user_name = where->user;
  if (!where->password.empty()) options.password = octets_of(where->password);
}

std::error_code check_words(const client_options& options) {
  if (const auto error = check_endpoint(options.broker)) return error;
  for (const std::string& each : options.more_brokers)
    if (const auto error = check_endpoint(each)) return error;
  if (const auto error = check_numbers(options)) return error;
  if (options.version == version::v3_1_1) {
    if (options.client_id.empty() && !options.clean_start) return errc::bad_settings; // [MQTT-3.1.3-8]
    if (options.password && !options.user_name) return errc::bad_settings;            // [MQTT-3.1.2-22]
    if (!options.connect_properties.empty()) return errc::version_mismatch;
  }
  return options.will ? check_will(*options.will, options.version) : std::error_code{};
}

bool is_secure(const std::string& broker) {
  const auto where = runtime::parse_endpoint(broker);
  return where && where->is_secure();
}

/// How to dial: reads the files that TLS needs.
protocol::result<runtime::dial_options> dial_setup(const client_options& options) {
  runtime::dial_options result;
  result.timeout = options.connect_timeout;
  // The other half of the time for an orderly end belongs to what is in flight.
  result.pipe.linger = options.disconnect_timeout / 2;
  result.headers = options.web_headers;
  result.socket = options.socket;
  result.connector = options.connector;
  result.pipe.no_delay = options.socket.no_delay;
  result.pipe.send_buffer = options.socket.send_buffer;
  result.pipe.receive_buffer = options.socket.receive_buffer;
  if (const auto error = runtime::check_headers(options.web_headers)) return error;
  if (!options.proxy.empty()) {
    auto proxy = runtime::parse_proxy(options.proxy);
    if (!proxy) return proxy.error();
    result.proxy = std::move(*proxy);
  }
  if (is_secure(options.broker)
      || std::any_of(options.more_brokers.begin(), options.more_brokers.end(), is_secure)) {
    auto context = runtime::tls_context::make(runtime::tls_role::client, options.tls);
    if (!context) return context.error();
    result.tls = std::move(*context);
  }
  return result;
}

} // namespace

std::error_code check_options(const client_options& options) {
  if (const auto error = check_words(options)) return error;
  return dial_setup(options).error();
}

std::optional<protocol::will_options> will_setup(const std::optional<will>& wanted) {
  if (!wanted) return std::nullopt;
  protocol::will_options last;
  last.topic = wanted->topic;
  last.payload = octets_of(wanted->payload);
  last.quality = wanted->quality;
  last.retain = wanted->retain;
  last.properties = wanted->properties;
  if (wanted->delay.count() > 0)
    static_cast<void>(last.properties.set(protocol::property::will_delay_interval,
                                          static_cast<std::uint32_t>(wanted->delay.count())));
  return last;
}

protocol::client_machine_options machine_options(const client_options& options) {
  protocol::client_machine_options result;
  result.protocol = options.version;
  result.client_id = options.client_id;
  if (options.user_name)
    result.user_name = options.user_name;
  else
    use_credentials_of(options.broker, result);
  if (options.password) result.password = octets_of(*options.password);
  result.clean_start = options.clean_start;
  result.keep_alive = options.keep_alive;
  result.session_expiry = options.session_expiry;
  result.receive_maximum = options.receive_maximum;
  result.maximum_packet_size = options.maximum_packet_size;
  result.topic_alias_maximum = options.topic_alias_maximum;
  result.outbound_topic_aliases = options.outbound_topic_aliases;
  set_windows(options, result);
  result.connack_timeout = options.connack_timeout;
  result.ping_timeout = options.ping_timeout;
  result.connect_properties = options.connect_properties;
  result.will = will_setup(options.will);
  return result;
}

supervisor_options supervisor_setup(const client_options& options, std::error_code fault) {
  supervisor_options result;
  result.bad_settings = check_words(options);
  if (!result.bad_settings) {
    auto dial = dial_setup(options);
    result.bad_settings = dial.error();
    if (dial) result.dial = std::move(*dial);
    result.brokers.push_back(runtime::parse_endpoint(options.broker).value());
    for (const std::string& each : options.more_brokers)
      result.brokers.push_back(runtime::parse_endpoint(each).value());
  }
  if (!result.bad_settings) result.bad_settings = fault;
  result.client_id = options.client_id;
  result.backoff.first = options.backoff_first;
  result.backoff.cap = options.backoff_limit;
  result.seed = std::random_device{}();
  result.stable_after = options.stable_after;
  result.attempts_limit = options.attempts_limit;
  result.redirects_limit = options.redirects_limit;
  result.tls = options.tls;
  result.reconnect = options.reconnect;
  result.dial_at_once = options.dial_at_once;
  result.connection.version = options.version;
  result.connection.maximum_packet_size = options.maximum_packet_size;
  return result;
}

} // namespace troupe::actors
