#include "tls_context.hpp"

#include "tls_error.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace troupe::runtime {

using protocol::result;

namespace {

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* what) const noexcept {
    Free(what);
  }
};
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free_all>>;
using x509_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;

/// The PEM text itself, or that of the file.
std::optional<std::string> pem_of(const std::string& file_or_text) {
  if (file_or_text.starts_with("-----BEGIN")) return file_or_text;
  std::ifstream file{file_or_text, std::ios::binary};
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

bio_ptr reader_of(const std::string& text) {
  return bio_ptr{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

int give_password(char* into, int size, int, void* options) {
  const std::string& password = static_cast<const tls_options*>(options)->key_password;
  const int count = std::min(size, static_cast<int>(password.size()));
  std::copy_n(password.data(), count, into);
  return count;
}

std::vector<x509_ptr> certificates_of(const std::string& file_or_text) {
  std::vector<x509_ptr> found;
  const auto text = pem_of(file_or_text);
  if (!text) return found;
  const bio_ptr from = reader_of(*text);
  while (X509* const one = PEM_read_bio_X509(from.get(), nullptr, nullptr, nullptr)) found.emplace_back(one);
  ERR_clear_error(); // the end of the file is one
  return found;
}

int version_number(tls_version which) noexcept {
  return which == tls_version::v1_2 ? TLS1_2_VERSION : TLS1_3_VERSION;
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool read_digest(std::string_view text, std::array<std::uint8_t, 32>& digest) noexcept {
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == ':') continue;
    const int value = hex_digit(c);
    if (value < 0 || digits == 64) return false;
    std::uint8_t& to = digest[digits++ / 2];
    to = static_cast<std::uint8_t>(to << 4U | static_cast<unsigned>(value));
  }
  return digits == 64;
}

} // namespace

tls_context::tls_context(tls_role role, tls_options options) noexcept
    : role_{role},
      options_{std::move(options)},
      context_{SSL_CTX_new(role == tls_role::client ? TLS_client_method() : TLS_server_method())} {}

result<std::shared_ptr<const tls_context>> tls_context::make(tls_role role, tls_options options) {
  const auto made = std::make_shared<tls_context>(role, std::move(options));
  const auto wrong = made->set_up();
  ERR_clear_error();
  if (wrong) return wrong;
  return std::shared_ptr<const tls_context>{made};
}

std::error_code tls_context::set_up() {
  if (context_ == nullptr) return std::make_error_code(std::errc::not_enough_memory);
  SSL_CTX* const to = context_.get();
  SSL_CTX_set_options(to, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET
                              | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_num_tickets(to, 0);
  SSL_CTX_set_session_cache_mode(to, SSL_SESS_CACHE_OFF);
  // A write that is repeated may come from elsewhere. Record buffers are given back once a turn, by the
  // stream: OpenSSL's own mode would do it for each record.
  SSL_CTX_set_mode(to, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  for (const auto step :
       {&tls_context::set_versions, &tls_context::set_ciphers, &tls_context::load_identity,
        &tls_context::load_authorities, &tls_context::set_protocols, &tls_context::read_pins})
    if (const auto wrong = (this->*step)()) return wrong;
  return {};
}

std::error_code tls_context::set_versions() {
  if (options_.least > options_.most) return tls_errc::bad_versions;
  SSL_CTX_set_min_proto_version(context_.get(), version_number(options_.least));
  SSL_CTX_set_max_proto_version(context_.get(), version_number(options_.most));
  return {};
}

std::error_code tls_context::set_ciphers() {
  if (!options_.ciphers.empty() && SSL_CTX_set_cipher_list(context_.get(), options_.ciphers.c_str()) != 1)
    return tls_errc::bad_ciphers;
  if (!options_.cipher_suites.empty()
      && SSL_CTX_set_ciphersuites(context_.get(), options_.cipher_suites.c_str()) != 1)
    return tls_errc::bad_ciphers;
  return {};
}

std::error_code tls_context::load_identity() {
  if (options_.cert_file.empty() && options_.key_file.empty())
    return role_ == tls_role::server ? make_error_code(tls_errc::missing_certificate_file)
                                     : std::error_code{};
  if (options_.cert_file.empty() || options_.key_file.empty()) return tls_errc::missing_certificate_file;
  const auto chain = certificates_of(options_.cert_file);
  if (chain.empty() || SSL_CTX_use_certificate(context_.get(), chain.front().get()) != 1)
    return tls_errc::bad_certificate_file;
  for (std::size_t i = 1; i < chain.size(); ++i)
    if (SSL_CTX_add1_chain_cert(context_.get(), chain[i].get()) != 1) return tls_errc::bad_certificate_file;
  const auto text = pem_of(options_.key_file);
  if (!text) return tls_errc::bad_key_file;
  const bio_ptr from = reader_of(*text);
  const key_ptr key{PEM_read_bio_PrivateKey(from.get(), nullptr, &give_password, &options_)};
  if (key == nullptr) return tls_errc::bad_key_file;
  if (SSL_CTX_use_PrivateKey(context_.get(), key.get()) != 1) return tls_errc::key_does_not_fit;
  return {};
}

std::error_code tls_context::load_authorities() {
  const bool is_server = role_ == tls_role::server;
  const bool asks = options_.verify_peer && (!is_server || !options_.ca_file.empty());
  const int how = is_server ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT : SSL_VERIFY_PEER;
  SSL_CTX_set_verify(context_.get(), asks ? how : SSL_VERIFY_NONE, nullptr);
  if (options_.ca_file.empty()) {
    if (asks) SSL_CTX_set_default_verify_paths(context_.get());
    return {};
  }
  const auto all = certificates_of(options_.ca_file);
  if (all.empty()) return tls_errc::bad_authorities;
  X509_STORE* const store = SSL_CTX_get_cert_store(context_.get());
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN); // each of them is trusted, not roots alone
  for (const x509_ptr& one : all) {
    if (X509_STORE_add_cert(store, one.get()) != 1) return tls_errc::bad_authorities;
    if (is_server) SSL_CTX_add_client_CA(context_.get(), one.get());
  }
  return {};
}

std::error_code tls_context::set_protocols() {
  for (const std::string& one : options_.alpn) {
    if (one.empty() || one.size() > 255) return tls_errc::bad_protocol_name;
    protocols_.push_back(static_cast<unsigned char>(one.size()));
    protocols_.insert(protocols_.end(), one.begin(), one.end());
  }
  if (protocols_.empty()) return {};
  if (role_ == tls_role::server)
    SSL_CTX_set_alpn_select_cb(context_.get(), &choose_protocol, this);
  else
    SSL_CTX_set_alpn_protos(context_.get(), protocols_.data(), static_cast<unsigned>(protocols_.size()));
  return {};
}

int tls_context::choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                                 const unsigned char* offered, unsigned offered_size, void* self) {
  const auto& ours = static_cast<const tls_context*>(self)->protocols_;
  unsigned char* found = nullptr;
  const int how = SSL_select_next_proto(&found, size, ours.data(), static_cast<unsigned>(ours.size()),
                                        offered, offered_size);
  if (how != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_NOACK;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

std::error_code tls_context::read_pins() {
  for (const std::string& text : options_.pins) {
    pin one;
    one.is_of_key = text.starts_with("spki:");
    if (!one.is_of_key && !text.starts_with("cert:")) return tls_errc::bad_pin;
    if (!read_digest(std::string_view{text}.substr(5), one.digest)) return tls_errc::bad_pin;
    pins_.push_back(one);
  }
  return {};
}

std::error_code tls_context::judge(const tls_peer& peer) const {
  if (!pins_.empty()) {
    const bool fits = std::any_of(pins_.begin(), pins_.end(), [&](const pin& one) {
      return one.digest == (one.is_of_key ? peer.key_sha256 : peer.certificate_sha256);
    });
    if (peer.certificate_der.empty()) return tls_errc::no_certificate;
    if (!fits) return tls_errc::pin_mismatch;
  }
  if (options_.check && !options_.check(peer)) return tls_errc::refused_by_check;
  return {};
}

} // namespace troupe::runtime
