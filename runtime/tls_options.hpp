// tls_options: what one side of a TLS connection is told.
//
// Lives here: tls_options, tls_version, tls_peer (whom the custom check sees); no header of OpenSSL.
// Holds:   wherever a file is named, its PEM text may stand instead ("-----BEGIN ...").
// Threads: values. `check` is called on the thread of the connection's home and must not block.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

enum class tls_version : std::uint8_t { v1_2, v1_3 };

/// The other side, after its handshake.
struct tls_peer {
  std::string_view host{};                           // as it was dialled; empty for a client of ours
  std::string_view common_name{};                    // of its certificate; empty when it has none
  std::array<std::uint8_t, 32> certificate_sha256{}; // of the whole certificate
  std::array<std::uint8_t, 32> key_sha256{};         // of its public key (SubjectPublicKeyInfo)
  std::string_view certificate_der{};                // empty: it presented none
};

struct tls_options {
  /// Whom to trust. Empty: the system's authorities; a listener asks nobody for a certificate then.
  std::string ca_file{};
  /// Our certificate, followed by those between it and the authority; with its key. A listener needs
  /// them, a client presents them when it is asked.
  std::string cert_file{};
  std::string key_file{};
  std::string key_password{};
  /// Client: the broker's certificate must be vouched for and bear its name. Listener: where there is a
  /// ca_file, clients must present a certificate that it vouches for.
  bool verify_peer = true;
  /// Client: the name to ask for and to find in the certificate, when it is not the host's that is dialled.
  std::string server_name{};
  tls_version least = tls_version::v1_2;
  tls_version most = tls_version::v1_3;
  /// OpenSSL's list of cipher suites for TLS 1.2, and that for 1.3. Empty: its own choice.
  std::string ciphers{};
  std::string cipher_suites{};
  /// Offered by clients, chosen from by listeners. Without a common one the connection goes on without.
  std::vector<std::string> alpn{"mqtt"};
  /// When there are any, the peer must match one: "spki:" or "cert:" and the SHA-256 of its public key or
  /// its certificate in hexadecimal digits, colons allowed. Works with and without verify_peer.
  std::vector<std::string> pins{};
  /// A last word of the program's own; false refuses the peer.
  std::function<bool(const tls_peer&)> check{};
  /// Listener: the common name of a verified certificate becomes the user name, whatever CONNECT says.
  bool name_is_user = false;
};

} // namespace troupe
