// broker_place: where a load runs: a stage, and a broker of ours in it when one is asked for.
//
// Lives here: broker_place.
// Holds:   an embedded broker lives in the stage of the clients, at an address that the system chooses and,
//          where TLS is asked for, with a certificate made for the occasion. Anything else is a URL of a
//          broker elsewhere.
// Threads: one outside thread.
// Errors:  failure() says in words why there is nothing to dial; empty: there is.
#pragma once

#include "../../broker/broker.hpp"
#include "../../runtime/stage.hpp"

#include <optional>
#include <string>

namespace troupe::bench {

class broker_place {
public:
  broker_place(const std::string& broker, std::size_t workers);

  stage& where() noexcept { return stage_; }
  const std::string& endpoint() const noexcept { return endpoint_; }
  const std::string& failure() const noexcept { return failure_; }
  /// PEM of what an embedded broker shows; empty: it does without.
  const std::string& certificate() const noexcept { return certificate_; }
  /// Of the embedded broker.
  std::optional<broker_statistics> statistics() const;

private:
  stage stage_;
  std::optional<broker> broker_;
  std::string endpoint_;
  std::string certificate_;
  std::string failure_;
};

} // namespace troupe::bench
