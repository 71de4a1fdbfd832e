#include "tls_failure.hpp"

#include "tls_error.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

namespace troupe::runtime {

namespace {

std::error_code verdict(long code) noexcept {
  switch (code) {
  case X509_V_ERR_CERT_HAS_EXPIRED: return tls_errc::expired;
  case X509_V_ERR_CERT_NOT_YET_VALID: return tls_errc::not_yet_valid;
  case X509_V_ERR_HOSTNAME_MISMATCH:
  case X509_V_ERR_IP_ADDRESS_MISMATCH: return tls_errc::wrong_name;
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
  case X509_V_ERR_CERT_UNTRUSTED: return tls_errc::unknown_authority;
  default: return tls_errc::bad_certificate;
  }
}

std::error_code alert(int description) noexcept {
  switch (description) {
  case SSL_AD_BAD_CERTIFICATE:
  case SSL_AD_UNSUPPORTED_CERTIFICATE:
  case SSL_AD_CERTIFICATE_REVOKED:
  case SSL_AD_CERTIFICATE_EXPIRED:
  case SSL_AD_CERTIFICATE_UNKNOWN:
  case SSL_AD_ACCESS_DENIED:
  case SSL_AD_UNKNOWN_CA: return tls_errc::refused_by_peer;
  case SSL_AD_CERTIFICATE_REQUIRED: return tls_errc::certificate_required_by_peer;
  case SSL_AD_PROTOCOL_VERSION: return tls_errc::no_common_version;
  case SSL_AD_HANDSHAKE_FAILURE: return tls_errc::handshake_refused;
  case SSL_AD_INSUFFICIENT_SECURITY: return tls_errc::no_common_cipher;
  default: return tls_errc::broken_protocol;
  }
}

std::error_code reason(int code) noexcept {
  if (code > SSL_AD_REASON_OFFSET && code < SSL_AD_REASON_OFFSET + 256)
    return alert(code - SSL_AD_REASON_OFFSET);
  switch (code) {
  case SSL_R_WRONG_VERSION_NUMBER:
  case SSL_R_HTTP_REQUEST:
  case SSL_R_HTTPS_PROXY_REQUEST:
  case SSL_R_UNKNOWN_PROTOCOL: return tls_errc::not_tls;
  case SSL_R_UNSUPPORTED_PROTOCOL:
  case SSL_R_NO_PROTOCOLS_AVAILABLE: return tls_errc::no_common_version;
  case SSL_R_NO_SHARED_CIPHER: return tls_errc::no_common_cipher;
  case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: return tls_errc::no_certificate;
  case SSL_R_UNEXPECTED_EOF_WHILE_READING: return tls_errc::truncated;
  default: return tls_errc::broken_protocol;
  }
}

/// In UTF-8. A name with a NUL in it is none: others would read another one.
std::string common_name_of(X509* one) {
  const X509_NAME* const subject = X509_get_subject_name(one);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return {};
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  std::string name;
  if (size > 0) name.assign(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  OPENSSL_free(text);
  if (name.find('\0') != std::string::npos) name.clear();
  return name;
}

} // namespace

std::error_code tls_failure(const SSL* ssl) noexcept {
  const unsigned long first = ERR_get_error();
  ERR_clear_error();
  const int code = ERR_GET_REASON(first);
  if (ERR_GET_LIB(first) == ERR_LIB_SSL && code == SSL_R_CERTIFICATE_VERIFY_FAILED)
    return verdict(SSL_get_verify_result(ssl));
  if (ERR_GET_LIB(first) == ERR_LIB_SSL) return reason(code);
  return tls_errc::broken_protocol;
}

tls_card certificate_of(const SSL* ssl) {
  tls_card card;
  X509* const one = SSL_get0_peer_certificate(ssl);
  if (one == nullptr) return card;
  card.common_name = common_name_of(one);
  unsigned char* der = nullptr;
  if (const int length = i2d_X509(one, &der); length > 0)
    card.der.assign(reinterpret_cast<const char*>(der), static_cast<std::size_t>(length));
  OPENSSL_free(der);
  X509_digest(one, EVP_sha256(), card.certificate_sha256.data(), nullptr);
  unsigned char* key = nullptr;
  if (const int length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(one), &key); length > 0)
    EVP_Digest(key, static_cast<std::size_t>(length), card.key_sha256.data(), nullptr, EVP_sha256(), nullptr);
  OPENSSL_free(key);
  return card;
}

} // namespace troupe::runtime
