// kept_clients: timed clients whose session outlives its connections.
//
// Lives here: kept_clients, the fixture: its options, and the same for a client that dials again at once.
#pragma once

#include "timed_clients.hpp"

#include <chrono>
#include <memory>

namespace support {

class kept_clients : public timed_clients {
protected:
  troupe::client_options kept() const {
    auto result = options();
    result.clean_start = false;
    result.session_expiry = std::chrono::hours{1};
    return result;
  }
  troupe::client_options resuming_at_once() const {
    auto result = kept();
    result.hooks = std::make_shared<eager_hooks>();
    return result;
  }
};

} // namespace support
