// resolver: a host's name -> its addresses.
//
// Lives here: address, resolver (the face that tests replace), system_resolver().
// Holds:   an answer is given at most once, on the home's thread, never from inside resolve().
// Threads: resolve() is called on the home's thread. The system's look-up blocks, so it runs on a thread
//          of its own that nobody waits for: a name server that is silent delays no shutdown.
// Errors:  what the system says, in the answer.
// Costs:   an address in digits needs no thread.
#pragma once

#include "../protocol/result.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::runtime {

class home;

using address = boost::asio::ip::tcp::endpoint;

class resolver {
public:
  using answer = std::function<void(protocol::result<std::vector<address>>)>;

  virtual ~resolver() = default;
  /// The answer is not given once the returned object has been destroyed.
  [[nodiscard]] virtual std::shared_ptr<void> resolve(home& where, const std::string& host,
                                                      std::uint16_t port, answer done) = 0;
};

/// getaddrinfo. It may be shared by everybody.
std::shared_ptr<resolver> system_resolver();

} // namespace troupe::runtime
