#include "transport_settings.hpp"

#include <algorithm>
#include <array>

namespace troupe::config {

namespace {

constexpr std::array<std::string_view, 9> schemes{"mqtt",     "mqtts", "ws",  "wss", "unix",
                                                  "loopback", "tcp",   "tls", "ssl"};

} // namespace

std::vector<field> tls_settings::fields() {
  return {
      {.key = "ca_file", .where = &ca_file, .sentence = "Authorities to trust, PEM; empty: the system's"},
      {.key = "cert_file", .where = &cert_file, .sentence = "Our certificate chain, PEM"},
      {.key = "key_file", .where = &key_file, .sentence = "Our private key, PEM"},
      {.key = "key_password", .where = &key_password, .sentence = "Of the private key"},
      {.key = "verify_peer",
       .where = &verify_peer,
       .sentence = "Whether the other side must present a certificate that the authorities vouch for"},
      {.key = "least_version", .where = &least_version, .sentence = "Of TLS", .choices = {"1.2", "1.3"}},
      {.key = "ciphers", .where = &ciphers, .sentence = "Cipher suites of TLS 1.2; empty: OpenSSL's choice"},
      {.key = "pins",
       .where = &pins,
       .sentence = "The peer must fit one: spki: or cert: and the SHA-256 of its key or certificate"},
  };
}

std::string_view scheme_of(std::string_view endpoint) noexcept {
  auto end = endpoint.find("://");
  return end == std::string_view::npos ? std::string_view{} : endpoint.substr(0, end);
}

std::string misfit_of_endpoint(std::string_view endpoint) {
  auto scheme = scheme_of(endpoint);
  if (std::ranges::find(schemes, scheme) == schemes.end())
    return "wants mqtt://, mqtts://, ws://, wss://, unix:// or loopback://, not '" + std::string(endpoint)
           + "'";
  if (endpoint.size() == scheme.size() + 3) return "names no host in '" + std::string(endpoint) + "'";
  return {};
}

} // namespace troupe::config
