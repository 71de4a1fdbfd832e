#include "transport_settings.hpp"

#include <algorithm>
#include <array>

namespace troupe::config {

namespace {

constexpr std::array<std::string_view, 6> schemes{"mqtt", "mqtts", "ws", "wss", "unix", "loopback"};

} // namespace

std::vector<field> tls_settings::fields() {
  return {
      {.key = "ca_file", .where = &ca_file, .sentence = "Authorities to trust, PEM; empty: the system's"},
      {.key = "cert_file", .where = &cert_file, .sentence = "Our certificate chain, PEM"},
      {.key = "key_file", .where = &key_file, .sentence = "Our private key, PEM"},
      {.key = "verify_peer",
       .where = &verify_peer,
       .sentence = "Whether the other side must present a certificate that the authorities vouch for"},
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
