// bench_certificate: a certificate for the TLS rows, made when they begin.
//
// Lives here: bench_certificate.
// Holds:   self-signed, P-256, for 127.0.0.1 and a day; the published rows were taken with such a one.
// Errors:  std::runtime_error.
#pragma once

#include <string>

namespace troupe::bench {

struct bench_certificate {
  std::string certificate{}; // PEM
  std::string key{};         // PEM

  static bench_certificate make();
};

} // namespace troupe::bench
