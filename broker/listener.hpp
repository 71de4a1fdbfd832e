// listener: accepted transport -> shard.
//
// Lives here: listener: one endpoint at which a broker takes clients.
// Holds:   arrivals go to the shards in turn. After close() nothing arrives, and the address is free.
// Threads: made, listening and closed by one outside thread at a time; arrivals come on the homes.
// Errors:  listen() answers what the acceptor says.
#pragma once

#include "shard_actor.hpp"

#include "../protocol/result.hpp"
#include "../runtime/acceptor.hpp"
#include "../runtime/endpoint.hpp"
#include "../runtime/house.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace troupe::brokerage {

class listener {
public:
  using shard_refs = std::vector<runtime::resident_ref<shard_actor>>;

  listener(runtime::house& where, shard_refs shards, runtime::accept_options options);
  ~listener();
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  protocol::result<runtime::endpoint> listen(const runtime::endpoint& at);
  /// Who comes from now on is greeted with this; on any thread.
  void renew(std::shared_ptr<const runtime::tls_context> tls) { acceptor_.renew(std::move(tls)); }
  /// Returns when the address is free.
  void close();
  /// The endpoint really bound, as clients dial it.
  const std::string& bound() const noexcept { return bound_; }

private:
  // What arrivals share; outlives the listener while one is on its way.
  struct turns {
    shard_refs shards;
    std::atomic<std::size_t> next{0};
  };

  std::shared_ptr<turns> turns_;
  runtime::acceptor acceptor_;
  std::string bound_{};
};

} // namespace troupe::brokerage
