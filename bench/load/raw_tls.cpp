#include "raw_tls.hpp"

#include "bench_certificate.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

namespace troupe::bench {

struct raw_tls::session {
  SSL_CTX* context = nullptr;
  SSL* ssl = nullptr;
  ~session() {
    SSL_free(ssl);
    SSL_CTX_free(context);
  }
};

namespace {

void use(SSL_CTX* context, const bench_certificate& mine) {
  BIO* const certificate =
      BIO_new_mem_buf(mine.certificate.data(), static_cast<int>(mine.certificate.size()));
  BIO* const secret = BIO_new_mem_buf(mine.key.data(), static_cast<int>(mine.key.size()));
  X509* const card = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(secret, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context, card);
  SSL_CTX_use_PrivateKey(context, key);
  X509_free(card);
  EVP_PKEY_free(key);
  BIO_free(certificate);
  BIO_free(secret);
}

std::unique_ptr<raw_tls::session> make_end(int socket, bool is_server) {
  auto made = std::make_unique<raw_tls::session>();
  made->context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
  if (is_server) use(made->context, bench_certificate::make());
  SSL_CTX_set_num_tickets(made->context, 0);
  // The raw ends are cut, not ended; OpenSSL would answer with an alert, and the socket with a signal.
  SSL_CTX_set_options(made->context, SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(made->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  made->ssl = SSL_new(made->context);
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  if (made->ssl == nullptr || SSL_set_fd(made->ssl, socket) != 1)
    throw std::runtime_error{"raw TLS: no session"};
  if (is_server)
    SSL_set_accept_state(made->ssl);
  else
    SSL_set_connect_state(made->ssl);
  return made;
}

ssize_t as_system_call(SSL* ssl, int done, std::size_t count) {
  if (done == 1) return static_cast<ssize_t>(count);
  switch (SSL_get_error(ssl, done)) {
  case SSL_ERROR_WANT_READ:
  case SSL_ERROR_WANT_WRITE: errno = EAGAIN; return -1;
  case SSL_ERROR_ZERO_RETURN: return 0;
  default: errno = ECONNRESET; return -1; // cut without close_notify: the raw ends do not say it
  }
}

} // namespace

raw_tls::raw_tls(std::unique_ptr<session> made) noexcept : session_{std::move(made)} {}
raw_tls::~raw_tls() = default;

ssize_t raw_tls::receive(void* into, std::size_t room) {
  std::size_t total = 0;
  while (room - total >= record) {
    ERR_clear_error();
    std::size_t count = 0;
    const int done = SSL_read_ex(session_->ssl, static_cast<char*>(into) + total, room - total, &count);
    if (done != 1) return total != 0 ? static_cast<ssize_t>(total) : as_system_call(session_->ssl, done, 0);
    total += count;
  }
  return static_cast<ssize_t>(total);
}

ssize_t raw_tls::send(const void* from, std::size_t size) {
  ERR_clear_error();
  std::size_t count = 0;
  const int done = SSL_write_ex(session_->ssl, from, size, &count);
  return as_system_call(session_->ssl, done, count);
}

std::pair<std::unique_ptr<raw_tls>, std::unique_ptr<raw_tls>> secure_pair(int near, int far) {
  auto client = make_end(near, false);
  auto server = make_end(far, true);
  for (int turns = 0; !SSL_is_init_finished(client->ssl) || !SSL_is_init_finished(server->ssl); ++turns) {
    SSL_do_handshake(client->ssl);
    SSL_do_handshake(server->ssl);
    if (turns == 100'000) throw std::runtime_error{"raw TLS: no handshake"};
  }
  return {std::make_unique<raw_tls>(std::move(client)), std::make_unique<raw_tls>(std::move(server))};
}

} // namespace troupe::bench
