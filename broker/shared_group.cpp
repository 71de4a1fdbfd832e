#include "shared_group.hpp"

#include "../protocol/topic.hpp"

#include <algorithm>
#include <utility>

namespace troupe::brokerage {

shared_group::shared_group(std::string name, std::uint32_t number)
    : name_{std::move(name)}, filter_{protocol::split_shared(name_).filter}, number_{number} {}

bool shared_group::join(const member& who) {
  const auto known = std::find_if(members_.begin(), members_.end(),
                                  [&](const member& one) { return one.number == who.number; });
  if (known != members_.end()) {
    *known = who;
    return false;
  }
  members_.push_back(who);
  return true;
}

bool shared_group::leave(session_number who) {
  return std::erase_if(members_, [&](const member& one) { return one.number == who; }) != 0;
}

void shared_group::set_connected(session_number who, bool is_connected, std::uint32_t shard) noexcept {
  for (member& one : members_) {
    if (one.number != who) continue;
    one.is_connected = is_connected;
    one.shard = shard;
  }
}

const member* shared_group::pick(session_number except) noexcept {
  const member* waiting = nullptr;
  for (std::size_t tried = 0; tried < members_.size(); ++tried) {
    const member& one = members_[turn_++ % members_.size()];
    if (one.number == except) continue;
    if (one.is_connected) return &one;
    if (waiting == nullptr) waiting = &one;
  }
  return waiting;
}

} // namespace troupe::brokerage
