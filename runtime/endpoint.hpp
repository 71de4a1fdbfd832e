// endpoint: where to dial or to listen, as a value.
//
// Lives here: endpoint, its parser and printer; proxy_endpoint and its parser; endpoint_errc.
// Holds:   mqtt:// and tcp:// (1883), mqtts://, tls:// and ssl:// (8883), ws:// (80), wss:// (443),
//          unix:///path (a leading @ names an abstract socket), loopback://name. A host without a
//          scheme is mqtt. IPv6 literals stand in brackets. to_string(parse(x)) parses to the same.
// Threads: a value.
// Errors:  endpoint_errc; a parser never throws.
#pragma once

#include "../protocol/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace troupe::runtime {

enum class endpoint_kind : std::uint8_t { tcp, tls, websocket, secure_websocket, unix_socket, loopback };

enum class endpoint_errc {
  empty = 1,
  unknown_scheme,
  unknown_proxy,
  missing_host,
  bad_host,
  bad_port,
  bad_escape,
  missing_path,
  path_too_long,
  unexpected_part,
};

std::error_code make_error_code(endpoint_errc code) noexcept;

struct endpoint {
  endpoint_kind kind = endpoint_kind::tcp;
  std::string host{};     // a name or an address without brackets; the name of a loopback
  std::uint16_t port = 0; // 0: the system chooses (listening only)
  std::string path{};     // of a unix socket, or of a WebSocket with its query
  std::string user{};     // of "user:password@", unescaped; never printed
  std::string password{};

  /// Whether octets of it travel through a network, and the host has to be resolved.
  bool is_remote() const noexcept {
    return kind != endpoint_kind::unix_socket && kind != endpoint_kind::loopback;
  }
  bool is_secure() const noexcept {
    return kind == endpoint_kind::tls || kind == endpoint_kind::secure_websocket;
  }
  bool is_web() const noexcept {
    return kind == endpoint_kind::websocket || kind == endpoint_kind::secure_websocket;
  }
  friend bool operator==(const endpoint&, const endpoint&) = default;
};

protocol::result<endpoint> parse_endpoint(std::string_view text);

enum class proxy_kind : std::uint8_t { http, socks5 };

/// Through whom to dial: "http://user:password@proxy:8080", "socks5://proxy" (1080).
struct proxy_endpoint {
  proxy_kind kind = proxy_kind::http;
  std::string host{};
  std::uint16_t port = 0;
  std::string user{}; // empty: no login
  std::string password{};
  friend bool operator==(const proxy_endpoint&, const proxy_endpoint&) = default;
};

protocol::result<proxy_endpoint> parse_proxy(std::string_view text);

/// The canonical form: "mqtt://host:1883", "unix:///path", "loopback://name".
std::string to_string(const endpoint& where);

/// "host:port" with brackets where needed.
std::string authority(std::string_view host, std::uint16_t port);

} // namespace troupe::runtime

template <>
struct std::is_error_code_enum<troupe::runtime::endpoint_errc> : std::true_type {};
