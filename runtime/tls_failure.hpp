// tls_failure: what OpenSSL says of a connection, in our words.
//
// Lives here: tls_failure (an error), tls_card and certificate_of (the peer's certificate). For sources only.
// Threads: called right after OpenSSL's call, on the same thread: its errors lie in a queue per thread.
#pragma once

#include <openssl/ssl.h>

#include <array>
#include <cstdint>
#include <string>
#include <system_error>

namespace troupe::runtime {

/// Of the last call on `ssl`. Empties the queue.
std::error_code tls_failure(const SSL* ssl) noexcept;

struct tls_card {
  std::string common_name{};
  std::string der{}; // empty: there is no certificate
  std::array<std::uint8_t, 32> certificate_sha256{};
  std::array<std::uint8_t, 32> key_sha256{};
};

/// The certificate the peer has presented.
tls_card certificate_of(const SSL* ssl);

} // namespace troupe::runtime
