#include "errc.hpp"

#include <string>

namespace troupe::protocol {

namespace {

const char* sentence(errc code) noexcept {
  switch (code) {
  case errc::need_more: return "the packet is not complete yet";
  case errc::malformed_packet: return "the octets are not a well-formed packet";
  case errc::protocol_error: return "the packet breaks a rule of the protocol";
  case errc::packet_too_large: return "the packet is larger than its receiver allows";
  case errc::unsupported_version: return "the protocol version is not supported";
  case errc::topic_alias_invalid: return "the topic alias is zero, too large or unknown";
  case errc::receive_maximum_exceeded: return "more publishes are unacknowledged than the receiver allows";
  case errc::payload_format_invalid: return "the payload is not of the format it claims";
  case errc::invalid_text: return "the text is not valid UTF-8, contains U+0000 or is too long";
  case errc::invalid_topic_name: return "the topic name is empty, too long, not text or contains a wildcard";
  case errc::invalid_topic_filter:
    return "the topic filter is empty, too long, not text or has a misplaced wildcard";
  case errc::invalid_share_name: return "the shared subscription has no valid share name or no filter";
  case errc::filter_too_complex: return "the topic filter has too many levels or wildcards";
  case errc::property_not_allowed: return "the property may not stand in this packet";
  case errc::property_repeated: return "the property may stand only once in this packet";
  case errc::property_value: return "the value is out of range or not of the property's type";
  case errc::invalid_reason_code: return "the reason code may not stand in this packet";
  case errc::invalid_packet_id: return "the packet identifier is missing or out of place";
  case errc::invalid_argument: return "no packet can say this combination of values";
  case errc::version_mismatch: return "an MQTT 5.0 feature was used on a 3.1.1 connection";
  case errc::quality_not_supported: return "the server does not support this quality of service";
  case errc::retain_not_supported: return "the server does not support retained messages";
  case errc::wildcard_not_supported: return "the server does not support wildcard subscriptions";
  case errc::shared_not_supported: return "the server does not support shared subscriptions";
  case errc::subscription_identifier_not_supported:
    return "the server does not support subscription identifiers";
  case errc::not_connected: return "there is no connection";
  case errc::connection_lost: return "the connection was lost before the answer came";
  case errc::connect_timeout: return "the connection did not come up in time";
  case errc::connack_timeout: return "the server did not answer CONNECT in time";
  case errc::ping_timeout: return "the server did not answer PINGREQ in time";
  case errc::keep_alive_timeout: return "the client was silent for longer than its keep-alive allows";
  case errc::refused_by_server: return "the server refused the connection";
  case errc::disconnected_by_peer: return "the peer ended the connection";
  case errc::session_lost: return "the server no longer has the session";
  case errc::session_taken_over: return "another connection took the session over";
  case errc::server_shutting_down: return "the server is shutting down";
  case errc::cancelled: return "the operation was cancelled";
  case errc::backpressure: return "too much is waiting already";
  case errc::would_deadlock: return "waiting here would block the thread that has to do the work";
  case errc::closed: return "the object was closed";
  case errc::no_packet_id: return "all packet identifiers are in use";
  case errc::limit_exceeded: return "a configured limit was exceeded";
  case errc::faulted: return "the client could not be started with these settings";
  case errc::bad_settings: return "the settings are not valid";
  case errc::implementation_error: return "a mistake inside the library";
  }
  return "unknown error";
}

class category final : public std::error_category {
public:
  const char* name() const noexcept override { return "mqtt"; }
  std::string message(int value) const override { return sentence(static_cast<errc>(value)); }
};

reason_code answer(errc code) noexcept {
  switch (code) {
  case errc::malformed_packet:
  case errc::invalid_text:
  case errc::property_not_allowed: // section 2.2.2.2
  case errc::invalid_reason_code: return reason_code::malformed_packet;
  case errc::protocol_error:
  case errc::property_repeated:
  case errc::property_value:
  case errc::invalid_packet_id:
  case errc::invalid_argument:
  case errc::version_mismatch: return reason_code::protocol_error;
  case errc::packet_too_large: return reason_code::packet_too_large;
  case errc::unsupported_version: return reason_code::unsupported_protocol_version;
  case errc::topic_alias_invalid: return reason_code::topic_alias_invalid;
  case errc::receive_maximum_exceeded: return reason_code::receive_maximum_exceeded;
  case errc::payload_format_invalid: return reason_code::payload_format_invalid;
  case errc::invalid_topic_name: return reason_code::topic_name_invalid;
  case errc::invalid_topic_filter:
  case errc::invalid_share_name: return reason_code::topic_filter_invalid;
  case errc::filter_too_complex:
  case errc::backpressure:
  case errc::limit_exceeded: return reason_code::quota_exceeded;
  case errc::quality_not_supported: return reason_code::qos_not_supported;
  case errc::retain_not_supported: return reason_code::retain_not_supported;
  case errc::wildcard_not_supported: return reason_code::wildcard_subscriptions_not_supported;
  case errc::shared_not_supported: return reason_code::shared_subscriptions_not_supported;
  case errc::subscription_identifier_not_supported:
    return reason_code::subscription_identifiers_not_supported;
  case errc::keep_alive_timeout: return reason_code::keep_alive_timeout;
  case errc::session_taken_over: return reason_code::session_taken_over;
  case errc::server_shutting_down: return reason_code::server_shutting_down;
  case errc::connect_timeout: return reason_code::maximum_connect_time;
  default: return reason_code::implementation_specific_error;
  }
}

} // namespace

const std::error_category& errc_category() noexcept {
  static const category instance;
  return instance;
}

reason_code answer_for(std::error_code error) noexcept {
  if (!error) return reason_code::success;
  if (error.category() != errc_category()) return reason_code::implementation_specific_error;
  return answer(static_cast<errc>(error.value()));
}

} // namespace troupe::protocol
