// tls_error: what can be wrong with a TLS connection, as error codes.
//
// Lives here: tls_errc and its category.
// Errors:  OpenSSL's many are told apart as far as somebody could act on the difference.
#pragma once

#include <system_error>

namespace troupe::runtime {

enum class tls_errc {
  // settings
  bad_authorities = 1,
  bad_certificate_file,
  bad_key_file,
  key_does_not_fit,
  bad_ciphers,
  bad_versions,
  bad_pin,
  bad_protocol_name,
  missing_certificate_file,
  // the peer's certificate
  unknown_authority,
  expired,
  not_yet_valid,
  wrong_name,
  bad_certificate,
  no_certificate,
  pin_mismatch,
  refused_by_check,
  // the conversation
  not_tls,
  no_common_version,
  no_common_cipher,
  handshake_refused,
  refused_by_peer,
  certificate_required_by_peer,
  closed_in_handshake,
  truncated,
  broken_protocol,
};

std::error_code make_error_code(tls_errc code) noexcept;

} // namespace troupe::runtime

template <>
struct std::is_error_code_enum<troupe::runtime::tls_errc> : std::true_type {};
