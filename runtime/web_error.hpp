// web_error: what can be wrong with WebSocket, HTTP and proxies, as error codes.
//
// Lives here: web_errc and its category; http_status(), whose value is the status the other side answered.
#pragma once

#include <system_error>

namespace troupe::runtime {

enum class web_errc {
  // HTTP
  not_http = 1,
  header_too_long,
  bad_upgrade,
  no_mqtt_protocol,
  bad_header,
  // WebSocket
  text_frame,
  bad_frame,
  bad_mask,
  truncated,
  // SOCKS5
  not_socks,
  proxy_needs_other_login,
  proxy_refuses_login,
  proxy_failed,
  proxy_forbids,
  network_unreachable,
  host_unreachable,
  target_refused,
  login_too_long,
  // Here
  no_chance,
};

std::error_code make_error_code(web_errc code) noexcept;

/// An answer other than the one that was hoped for: 401, 404, 407, ...
std::error_code http_status(int status) noexcept;

} // namespace troupe::runtime

template <>
struct std::is_error_code_enum<troupe::runtime::web_errc> : std::true_type {};
