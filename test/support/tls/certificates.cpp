#include "certificates.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

namespace troupe::test {

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
using extension_ptr = std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>>;

void require(bool fine) {
  if (!fine) throw std::runtime_error{"OpenSSL refuses to make a certificate"};
}

template <class Write>
std::string pem(Write write) {
  const bio_ptr to{BIO_new(BIO_s_mem())};
  require(write(to.get()) == 1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(to.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string hex(const unsigned char* from) {
  std::string text;
  for (int i = 0; i < 32; ++i) {
    text += "0123456789abcdef"[from[i] >> 4U];
    text += "0123456789abcdef"[from[i] & 15U];
  }
  return text;
}

void extend(X509* to, X509* issuer, int which, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  const extension_ptr made{X509V3_EXT_conf_nid(nullptr, &context, which, value.c_str())};
  require(made != nullptr && X509_add_ext(to, made.get(), -1) == 1);
}

void name(X509_NAME* to, const std::string& common_name) {
  require(X509_NAME_add_entry_by_txt(to, "CN", MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(common_name.data()),
                                     static_cast<int>(common_name.size()), -1, 0)
          == 1);
}

x509_ptr blank(const certificate_wish& wish, EVP_PKEY* key) {
  x509_ptr made{X509_new()};
  std::uint64_t serial = 0;
  require(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1);
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(made.get()), serial >> 1U);
  constexpr long day = 86'400;
  X509_gmtime_adj(X509_getm_notBefore(made.get()), wish.valid_from * day);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), wish.valid_to * day);
  X509_set_pubkey(made.get(), key);
  name(X509_get_subject_name(made.get()), wish.common_name);
  return made;
}

credentials write_down(X509* made, EVP_PKEY* key) {
  credentials all;
  all.certificate = pem([&](BIO* to) { return PEM_write_bio_X509(to, made); });
  all.key =
      pem([&](BIO* to) { return PEM_write_bio_PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr); });
  unsigned char digest[32];
  require(X509_digest(made, EVP_sha256(), digest, nullptr) == 1);
  all.sha256 = hex(digest);
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  require(size > 0);
  require(EVP_Digest(der, static_cast<std::size_t>(size), digest, nullptr, EVP_sha256(), nullptr) == 1);
  OPENSSL_free(der);
  all.key_sha256 = hex(digest);
  return all;
}

x509_ptr read_certificate(const std::string& text) {
  const bio_ptr from{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
  return x509_ptr{PEM_read_bio_X509(from.get(), nullptr, nullptr, nullptr)};
}

key_ptr read_key(const std::string& text) {
  const bio_ptr from{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
  return key_ptr{PEM_read_bio_PrivateKey(from.get(), nullptr, nullptr, nullptr)};
}

} // namespace

certifier::certifier(const std::string& called) {
  const key_ptr key{EVP_EC_gen("P-256")};
  const x509_ptr made = blank({.common_name = called, .valid_from = -10, .valid_to = 60}, key.get());
  X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
  extend(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE");
  extend(made.get(), made.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(made.get(), made.get(), NID_subject_key_identifier, "hash");
  require(X509_sign(made.get(), key.get(), EVP_sha256()) > 0);
  own_ = write_down(made.get(), key.get());
}

credentials certifier::issue(const certificate_wish& wish) const {
  const x509_ptr issuer = read_certificate(own_.certificate);
  const key_ptr issuer_key = read_key(own_.key);
  const key_ptr key{EVP_EC_gen("P-256")};
  const x509_ptr made = blank(wish, key.get());
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer.get()));
  extend(made.get(), issuer.get(), NID_basic_constraints, "critical,CA:FALSE");
  std::string names;
  for (const std::string& one : wish.names) names += (names.empty() ? "" : ",") + one;
  if (!names.empty()) extend(made.get(), issuer.get(), NID_subject_alt_name, names);
  require(X509_sign(made.get(), issuer_key.get(), EVP_sha256()) > 0);
  return write_down(made.get(), key.get());
}

std::string locked(const std::string& key, const std::string& password) {
  const key_ptr read = read_key(key);
  return pem([&](BIO* to) {
    return PEM_write_bio_PrivateKey(to, read.get(), EVP_aes_256_cbc(), nullptr, 0, nullptr,
                                    const_cast<char*>(password.c_str()));
  });
}

} // namespace troupe::test
