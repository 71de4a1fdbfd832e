// shared_group: whose turn it is in a $share group.
//
// Lives here: member, shared_group: one group with one filter, on the shard that owns it.
// Holds:   each message goes to one member [MQTT 4.8.2]: in turn among those that are connected, else
//          among those whose session waits. A member appears once.
// Threads: belongs to the owner's shard.
// Costs:   a choice looks at one member in the usual case, at all when most are away.
#pragma once

#include "onward.hpp"
#include "peer_session.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::brokerage {

struct member {
  session_number number = 0;
  std::uint32_t shard = 0;
  bool is_connected = true;
  grant how{};
};

class shared_group {
public:
  /// `name` is "$share/<group>/<filter>"; `number` is never 0 and unique in the broker.
  shared_group(std::string name, std::uint32_t number);
  shared_group(const shared_group&) = delete;
  shared_group& operator=(const shared_group&) = delete;

  const std::string& name() const noexcept { return name_; }
  std::string_view filter() const noexcept { return filter_; }
  std::uint32_t number() const noexcept { return number_; }
  bool empty() const noexcept { return members_.empty(); }

  /// True when it is new; else what is known is replaced.
  bool join(const member& who);
  bool leave(session_number who);
  void set_connected(session_number who, bool is_connected, std::uint32_t shard) noexcept;
  /// The next one in turn; null when nobody is there but `except`.
  const member* pick(session_number except = 0) noexcept;

private:
  std::string name_;
  std::string_view filter_; // in name_
  std::uint32_t number_;
  std::vector<member> members_{};
  std::size_t turn_ = 0;
};

} // namespace troupe::brokerage
