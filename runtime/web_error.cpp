#include "web_error.hpp"

#include <string>

namespace troupe::runtime {

namespace {

const char* sentence(web_errc code) noexcept {
  switch (code) {
  case web_errc::not_http: return "the other side does not speak HTTP/1.1";
  case web_errc::header_too_long: return "the header of the HTTP message is too long";
  case web_errc::bad_upgrade: return "the upgrade to WebSocket breaks RFC 6455";
  case web_errc::no_mqtt_protocol:
    return "the other side does not offer MQTT as the WebSocket's sub-protocol";
  case web_errc::bad_header: return "a name or a value is not possible in an HTTP header";
  case web_errc::text_frame: return "the peer sent text; MQTT travels in binary frames";
  case web_errc::bad_frame: return "the peer sent a WebSocket frame that RFC 6455 forbids";
  case web_errc::bad_mask: return "the peer sent a WebSocket frame masked the wrong way";
  case web_errc::truncated: return "the connection was cut without a WebSocket close";
  case web_errc::not_socks: return "the proxy does not speak SOCKS5";
  case web_errc::proxy_needs_other_login: return "the proxy accepts none of our ways to log in";
  case web_errc::proxy_refuses_login: return "the proxy refuses user name and password";
  case web_errc::proxy_failed: return "the proxy failed";
  case web_errc::proxy_forbids: return "the proxy does not allow this connection";
  case web_errc::network_unreachable: return "the proxy can not reach the network";
  case web_errc::host_unreachable: return "the proxy can not reach the host";
  case web_errc::target_refused: return "the proxy was refused by the host";
  case web_errc::login_too_long: return "a name or a password is too long for the proxy";
  case web_errc::no_chance: return "the system has no random octets for a WebSocket's key or mask";
  }
  return "unknown error";
}

class web_category final : public std::error_category {
public:
  const char* name() const noexcept override { return "troupe.web"; }
  std::string message(int code) const override { return sentence(static_cast<web_errc>(code)); }
};

class http_category final : public std::error_category {
public:
  const char* name() const noexcept override { return "troupe.http"; }
  std::string message(int status) const override {
    if (status == 407) return "the proxy demands a user name and a password (HTTP status 407)";
    return "the other side answered with HTTP status " + std::to_string(status);
  }
};

} // namespace

std::error_code make_error_code(web_errc code) noexcept {
  static const web_category category;
  return {static_cast<int>(code), category};
}

std::error_code http_status(int status) noexcept {
  static const http_category category;
  return {status, category};
}

} // namespace troupe::runtime
