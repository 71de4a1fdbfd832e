// tls_context: options -> what all TLS connections of one dialer or listener share.
//
// Lives here: tls_role, tls_context.
// Holds:   certificates are read once, when it is made. Sessions are not resumed: each connection proves
//          its peer anew.
// Threads: made on any; immutable and shared by all homes afterwards.
// Errors:  make() answers tls_errc. No password is ever asked for on a terminal.
// Costs:   reading the authorities; nothing per connection but OpenSSL's own.
#pragma once

#include "tls_options.hpp"

#include "../protocol/result.hpp"

#include <openssl/ssl.h>

#include <memory>
#include <vector>

namespace troupe::runtime {

enum class tls_role : std::uint8_t { client, server };

class tls_context {
public:
  static protocol::result<std::shared_ptr<const tls_context>> make(tls_role role, tls_options options);
  explicit tls_context(tls_role role, tls_options options) noexcept;
  tls_context(const tls_context&) = delete;
  tls_context& operator=(const tls_context&) = delete;

  tls_role role() const noexcept { return role_; }
  const tls_options& options() const noexcept { return options_; }
  SSL_CTX* handle() const noexcept { return context_.get(); }
  /// What pins and the program's own check say of a peer whose certificate OpenSSL has accepted.
  std::error_code judge(const tls_peer& peer) const;

private:
  struct pin {
    bool is_of_key = true;
    std::array<std::uint8_t, 32> digest{};
  };
  struct deleter {
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
  };

  std::error_code set_up();
  std::error_code set_versions();
  std::error_code set_ciphers();
  std::error_code load_identity();
  std::error_code load_authorities();
  std::error_code set_protocols();
  std::error_code read_pins();
  static int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                             const unsigned char* offered, unsigned offered_size, void* self);

  tls_role role_;
  tls_options options_;
  std::unique_ptr<SSL_CTX, deleter> context_;
  std::vector<unsigned char> protocols_; // as they travel: a length before each name
  std::vector<pin> pins_;
};

} // namespace troupe::runtime
