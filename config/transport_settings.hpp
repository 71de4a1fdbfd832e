// transport_settings: what a connection needs besides its address. A part of other settings.
#pragma once

#include "field.hpp"
#include "problem.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::config {

struct tls_settings {
  std::string ca_file{};   // PEM; empty: the system's
  std::string cert_file{}; // PEM; a listener needs it, a client may present it
  std::string key_file{};  // PEM
  std::string key_password{};
  bool verify_peer = true;
  std::string least_version = "1.2";
  std::string ciphers{};           // of TLS 1.2, OpenSSL's list
  std::vector<std::string> pins{}; // "spki:" or "cert:" and a SHA-256 in hexadecimal digits

  std::vector<field> fields();
  bool is_set() const noexcept { return !ca_file.empty() || !cert_file.empty() || !key_file.empty(); }
  friend bool operator==(const tls_settings&, const tls_settings&) = default;
};

/// The scheme of an endpoint ("mqtt" of "mqtt://127.0.0.1:1883"); empty when it has none.
std::string_view scheme_of(std::string_view endpoint) noexcept;
/// What is wrong with an endpoint, in words; empty when nothing is.
std::string misfit_of_endpoint(std::string_view endpoint);

} // namespace troupe::config
