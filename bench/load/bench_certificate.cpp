#include "bench_certificate.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace troupe::bench {
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
  if (!fine) throw std::runtime_error{"OpenSSL makes no certificate"};
}

template <class Write>
std::string pem(Write write) {
  const bio_ptr to{BIO_new(BIO_s_mem())};
  require(to != nullptr && write(to.get()) == 1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(to.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

} // namespace

bench_certificate bench_certificate::make() {
  const key_ptr key{EVP_EC_gen("P-256")};
  const x509_ptr made{X509_new()};
  require(key != nullptr && made != nullptr);
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -3'600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 86'400);
  X509_set_pubkey(made.get(), key.get());
  X509_NAME* const name = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("bench"), -1,
                             -1, 0);
  X509_set_issuer_name(made.get(), name);
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, made.get(), made.get(), nullptr, nullptr, 0);
  const extension_ptr names{X509V3_EXT_conf_nid(nullptr, &context, NID_subject_alt_name, "IP:127.0.0.1")};
  require(names != nullptr && X509_add_ext(made.get(), names.get(), -1) == 1);
  require(X509_sign(made.get(), key.get(), EVP_sha256()) > 0);
  return {pem([&](BIO* to) { return PEM_write_bio_X509(to, made.get()); }), pem([&](BIO* to) {
            return PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

} // namespace troupe::bench
