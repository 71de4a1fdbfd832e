#include "endpoint.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <sys/un.h>

namespace troupe::runtime {

using protocol::result;

namespace {

class endpoint_category final : public std::error_category {
public:
  const char* name() const noexcept override { return "troupe.endpoint"; }
  std::string message(int code) const override {
    switch (static_cast<endpoint_errc>(code)) {
    case endpoint_errc::empty: return "the endpoint is empty";
    case endpoint_errc::unknown_scheme:
      return "the scheme is none of mqtt, mqtts, tcp, tls, ssl, ws, wss, unix, loopback";
    case endpoint_errc::unknown_proxy: return "the scheme of the proxy is none of http, socks5";
    case endpoint_errc::missing_host: return "the endpoint names no host";
    case endpoint_errc::bad_host: return "the host is neither a name nor an address";
    case endpoint_errc::bad_port: return "the port is not a number from 0 to 65535";
    case endpoint_errc::bad_escape: return "a percent sign is not followed by two hexadecimal digits";
    case endpoint_errc::missing_path: return "the socket names no path";
    case endpoint_errc::path_too_long: return "the path is longer than the system allows for a socket";
    case endpoint_errc::unexpected_part: return "the endpoint goes on where it should end";
    }
    return "unknown endpoint error";
  }
};

struct scheme {
  std::string_view name;
  endpoint_kind kind;
  std::uint16_t port;
};

// The first of each kind is the one that is printed.
constexpr std::array<scheme, 9> schemes{{
    {"mqtt", endpoint_kind::tcp, 1883},
    {"mqtts", endpoint_kind::tls, 8883},
    {"ws", endpoint_kind::websocket, 80},
    {"wss", endpoint_kind::secure_websocket, 443},
    {"unix", endpoint_kind::unix_socket, 0},
    {"loopback", endpoint_kind::loopback, 0},
    {"tcp", endpoint_kind::tcp, 1883},
    {"tls", endpoint_kind::tls, 8883},
    {"ssl", endpoint_kind::tls, 8883},
}};

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether `name`, in whatever case, is `expected`.
bool is_same(std::string_view name, std::string_view expected) noexcept {
  return std::equal(name.begin(), name.end(), expected.begin(), expected.end(),
                    [](char a, char b) { return lower(a) == b; });
}

const scheme* find_scheme(std::string_view name) noexcept {
  for (const scheme& each : schemes)
    if (is_same(name, each.name)) return &each;
  return nullptr;
}

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (lower(c) >= 'a' && lower(c) <= 'f') return lower(c) - 'a' + 10;
  return -1;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    if (i + 2 >= text.size() || hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0) return std::nullopt;
    plain += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
    i += 2;
  }
  return plain;
}

std::error_code take_login(std::string_view& rest, endpoint& to) {
  const auto at = rest.rfind('@');
  if (at == std::string_view::npos) return {};
  const std::string_view login = rest.substr(0, at);
  const auto colon = login.find(':');
  auto user = unescaped(login.substr(0, colon));
  auto password = unescaped(colon == std::string_view::npos ? std::string_view{} : login.substr(colon + 1));
  if (!user || !password) return endpoint_errc::bad_escape;
  to.user = std::move(*user);
  to.password = std::move(*password);
  rest.remove_prefix(at + 1);
  return {};
}

bool is_host_character(char c) noexcept {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_literal_character(char c) noexcept { return is_host_character(c) || c == ':' || c == '%'; }

std::error_code take_host(std::string_view& rest, endpoint& to) {
  const bool is_literal = rest.starts_with('[');
  const auto end = is_literal ? rest.find(']') : std::min(rest.find(':'), rest.size());
  if (end == std::string_view::npos) return endpoint_errc::bad_host;
  const std::string_view host = is_literal ? rest.substr(1, end - 1) : rest.substr(0, end);
  if (host.empty()) return endpoint_errc::missing_host;
  if (!std::all_of(host.begin(), host.end(), is_literal ? is_literal_character : is_host_character))
    return endpoint_errc::bad_host;
  to.host = host;
  rest.remove_prefix(is_literal ? end + 1 : end);
  return {};
}

std::error_code take_port(std::string_view rest, endpoint& to) {
  if (rest.empty()) return {};
  if (!rest.starts_with(':')) return endpoint_errc::bad_host;
  rest.remove_prefix(1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), to.port);
  if (rest.empty() || error != std::errc{} || end != rest.data() + rest.size())
    return endpoint_errc::bad_port;
  return {};
}

result<endpoint> parse_remote(std::string_view rest, endpoint to) {
  const bool has_path = to.kind == endpoint_kind::websocket || to.kind == endpoint_kind::secure_websocket;
  const auto slash = std::min(rest.find_first_of("/?#"), rest.size());
  const std::string_view path = rest.substr(slash);
  rest = rest.substr(0, slash);
  if (has_path)
    to.path = path.starts_with('/') ? std::string{path} : "/" + std::string{path};
  else if (!path.empty() && path != "/")
    return endpoint_errc::unexpected_part;
  if (auto error = take_login(rest, to)) return error;
  if (auto error = take_host(rest, to)) return error;
  if (auto error = take_port(rest, to)) return error;
  return to;
}

result<endpoint> parse_unix(std::string_view rest, endpoint to) {
  if (rest.empty() || rest == "/" || rest == "@") return endpoint_errc::missing_path;
  if (rest.size() >= sizeof(sockaddr_un::sun_path)) return endpoint_errc::path_too_long;
  to.path = rest;
  return to;
}

result<endpoint> parse_loopback(std::string_view rest, endpoint to) {
  if (rest.empty()) return endpoint_errc::missing_host;
  if (rest.find_first_of("/?#@ ") != std::string_view::npos) return endpoint_errc::unexpected_part;
  to.host = rest;
  return to;
}

const scheme& scheme_of(endpoint_kind kind) noexcept {
  return *std::find_if(schemes.begin(), schemes.end(), [&](const scheme& each) { return each.kind == kind; });
}

} // namespace

std::error_code make_error_code(endpoint_errc code) noexcept {
  static const endpoint_category category;
  return {static_cast<int>(code), category};
}

result<endpoint> parse_endpoint(std::string_view text) {
  if (text.empty()) return endpoint_errc::empty;
  endpoint to;
  const auto mark = text.find("://");
  const scheme* const found = find_scheme(mark == std::string_view::npos ? "mqtt" : text.substr(0, mark));
  if (found == nullptr) return endpoint_errc::unknown_scheme;
  to.kind = found->kind;
  to.port = found->port;
  const std::string_view rest = mark == std::string_view::npos ? text : text.substr(mark + 3);
  if (to.kind == endpoint_kind::unix_socket) return parse_unix(rest, std::move(to));
  if (to.kind == endpoint_kind::loopback) return parse_loopback(rest, std::move(to));
  return parse_remote(rest, std::move(to));
}

result<proxy_endpoint> parse_proxy(std::string_view text) {
  if (text.empty()) return endpoint_errc::empty;
  endpoint parts;
  proxy_kind kind = proxy_kind::http;
  const auto mark = text.find("://");
  const std::string_view called = text.substr(0, mark);
  if (mark == std::string_view::npos) return endpoint_errc::unknown_proxy;
  if (is_same(called, "http")) {
    parts.port = 8080;
  } else if (is_same(called, "socks5") || is_same(called, "socks5h")) {
    kind = proxy_kind::socks5;
    parts.port = 1080;
  } else {
    return endpoint_errc::unknown_proxy;
  }
  auto read = parse_remote(text.substr(mark + 3), std::move(parts));
  if (!read) return read.error();
  return proxy_endpoint{kind, std::move(read->host), read->port, std::move(read->user),
                        std::move(read->password)};
}

std::string authority(std::string_view host, std::uint16_t port) {
  const bool is_literal = host.find(':') != std::string_view::npos;
  std::string text;
  if (is_literal) text += '[';
  text += host;
  if (is_literal) text += ']';
  return text + ':' + std::to_string(port);
}

std::string to_string(const endpoint& where) {
  std::string text{scheme_of(where.kind).name};
  text += "://";
  if (where.kind == endpoint_kind::unix_socket) return text + where.path;
  if (where.kind == endpoint_kind::loopback) return text + where.host;
  return text + authority(where.host, where.port) + where.path;
}

} // namespace troupe::runtime
