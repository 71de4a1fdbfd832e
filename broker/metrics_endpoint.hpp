// metrics_endpoint: a broker's figures for Prometheus, over HTTP.
//
// Lives here: metrics_endpoint; no header of prometheus-cpp.
// Holds:   http://<address>/metrics answers troupe_broker_... of the moment; counters end in _total.
// Threads: construct and destroy on one outside thread, before the broker goes; requests are answered on
//          threads of its own.
// Errors:  make() answers std::errc::address_not_available when it cannot listen there.
// Costs:   two threads that sleep; a request reads the counters once.
#pragma once

#include "broker.hpp"

#include "../protocol/result.hpp"

#include <memory>
#include <string>

namespace troupe::brokerage {

class metrics_endpoint {
public:
  /// `address`: "127.0.0.1:9464"; port 0: any free one.
  static protocol::result<std::unique_ptr<metrics_endpoint>> make(const broker& of,
                                                                  const std::string& address);
  ~metrics_endpoint();
  metrics_endpoint(const metrics_endpoint&) = delete;
  metrics_endpoint& operator=(const metrics_endpoint&) = delete;

  /// The port really bound.
  int port() const;

private:
  struct inside;
  explicit metrics_endpoint(std::unique_ptr<inside> what);
  std::unique_ptr<inside> inside_;
};

} // namespace troupe::brokerage
