// system_topics: the $SYS tree: what a broker says of itself.
//
// Lives here: system_topics.
// Holds:   one topic for each figure below $SYS/broker/, with its value as decimal text. Only what has
//          changed is said again.
// Threads: belongs to one shard.
// Costs:   some thirty small texts each interval, for the whole broker.
#pragma once

#include "broker.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace troupe::brokerage {

class system_topics {
public:
  using speaker = std::function<void(std::string_view topic, std::string_view value)>;

  /// Says what differs from the last time.
  void say(const broker_statistics& figures, std::chrono::seconds uptime, const speaker& publish);

private:
  std::unordered_map<std::string_view, std::string> said_{}; // keys are literals
};

} // namespace troupe::brokerage
