#include "tls_error.hpp"

#include <string>

namespace troupe::runtime {

namespace {

const char* sentence(tls_errc code) noexcept {
  switch (code) {
  case tls_errc::bad_authorities: return "the file of trusted authorities holds no certificates";
  case tls_errc::bad_certificate_file: return "the certificate file can not be read as PEM";
  case tls_errc::bad_key_file: return "the key file can not be read as PEM with this password";
  case tls_errc::key_does_not_fit: return "the private key does not belong to the certificate";
  case tls_errc::bad_ciphers: return "none of the cipher suites named is known";
  case tls_errc::bad_versions: return "the least version of TLS is above the most";
  case tls_errc::bad_pin: return "a pin is not spki: or cert: and 64 hexadecimal digits";
  case tls_errc::bad_protocol_name: return "a name for ALPN is empty or longer than 255 octets";
  case tls_errc::missing_certificate_file: return "a certificate and its key are needed";
  case tls_errc::unknown_authority: return "no authority we trust vouches for the peer's certificate";
  case tls_errc::expired: return "the peer's certificate has expired";
  case tls_errc::not_yet_valid: return "the peer's certificate is not valid yet";
  case tls_errc::wrong_name: return "the peer's certificate is for another name";
  case tls_errc::bad_certificate: return "the peer's certificate is not acceptable";
  case tls_errc::no_certificate: return "the peer presented no certificate";
  case tls_errc::pin_mismatch: return "the peer's certificate fits no pin";
  case tls_errc::refused_by_check: return "the program's own check refused the peer's certificate";
  case tls_errc::not_tls: return "the peer does not speak TLS";
  case tls_errc::no_common_version: return "the peer speaks no version of TLS that we may speak";
  case tls_errc::no_common_cipher: return "the peer shares no cipher suite with us";
  case tls_errc::handshake_refused:
    return "the peer refused the TLS handshake: no common cipher suite, or it misses our certificate";
  case tls_errc::refused_by_peer: return "the peer does not accept our certificate";
  case tls_errc::certificate_required_by_peer: return "the peer wants a certificate and we have none";
  case tls_errc::closed_in_handshake: return "the peer closed the connection during the TLS handshake";
  case tls_errc::truncated: return "the connection was cut without the end that TLS demands";
  case tls_errc::broken_protocol: return "the peer broke the rules of TLS";
  }
  return "unknown TLS error";
}

class tls_category final : public std::error_category {
public:
  const char* name() const noexcept override { return "troupe.tls"; }
  std::string message(int code) const override { return sentence(static_cast<tls_errc>(code)); }
};

} // namespace

std::error_code make_error_code(tls_errc code) noexcept {
  static const tls_category category;
  return {static_cast<int>(code), category};
}

} // namespace troupe::runtime
