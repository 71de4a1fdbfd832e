#include "finality.hpp"

#include "../protocol/errc.hpp"

namespace troupe::actors {

using protocol::errc;
using protocol::reason_code;

namespace {

/// Refusals that the next attempt would meet again.
bool is_final(reason_code reason) noexcept {
  switch (reason) {
  case reason_code::unsupported_protocol_version:
  case reason_code::client_identifier_not_valid:
  case reason_code::bad_user_name_or_password:
  case reason_code::not_authorized:
  case reason_code::banned:
  case reason_code::bad_authentication_method:
  case reason_code::session_taken_over:
  case reason_code::packet_too_large:
  case reason_code::payload_format_invalid:
  case reason_code::topic_name_invalid:
  case reason_code::qos_not_supported:
  case reason_code::retain_not_supported: return true;
  default: return false;
  }
}

} // namespace

bool is_final(const session_down& end) noexcept {
  if (end.error == errc::session_taken_over) return true;
  if (end.by == initiator::peer) return is_final(end.reason);
  // What CONNECT cannot say will not be sayable next time.
  return end.error.category() == protocol::errc_category()
         && end.error.value() >= static_cast<int>(errc::invalid_text)
         && end.error.value() <= static_cast<int>(errc::version_mismatch);
}

bool sends_elsewhere(const session_down& end) noexcept {
  return end.by == initiator::peer
         && (end.reason == reason_code::use_another_server || end.reason == reason_code::server_moved);
}

} // namespace troupe::actors
