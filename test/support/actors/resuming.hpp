// resuming: the options of a client whose session outlives its connections and its process.
#pragma once

#include <troupe/actors/client.hpp>

#include <chrono>
#include <string>

namespace support {

inline troupe::client_options resuming(const std::string& broker, const std::string& id) {
  troupe::client_options result;
  result.broker = broker;
  result.client_id = id;
  result.clean_start = false;
  result.session_expiry = std::chrono::hours{1};
  result.keep_alive = std::chrono::seconds{0};
  result.backoff_first = std::chrono::milliseconds{1};
  result.backoff_limit = std::chrono::milliseconds{1};
  return result;
}

} // namespace support
