// certificates: certifiers and certificates made while a test runs; nothing lies in a file.
//
// Lives here: credentials (PEM texts), certificate_wish, certifier.
// Holds:   keys are of P-256, made anew each time; days are counted from now.
#pragma once

#include <string>
#include <vector>

namespace troupe::test {

struct credentials {
  std::string certificate{}; // PEM
  std::string key{};         // PEM, not encrypted
  std::string key_sha256{};  // hexadecimal, of the public key
  std::string sha256{};      // of the certificate
};

struct certificate_wish {
  std::string common_name = "localhost";
  std::vector<std::string> names{"DNS:localhost", "IP:127.0.0.1", "IP:::1"};
  int valid_from = -1; // days from now
  int valid_to = 30;
};

class certifier {
public:
  explicit certifier(const std::string& name = "authority of the tests");
  /// Its own certificate, PEM.
  const std::string& certificate() const noexcept { return own_.certificate; }
  credentials issue(const certificate_wish& wish = {}) const;

private:
  credentials own_;
};

/// The key, encrypted with `password`.
std::string locked(const std::string& key, const std::string& password);

} // namespace troupe::test
