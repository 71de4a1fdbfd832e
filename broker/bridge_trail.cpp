#include "bridge_trail.hpp"

#include "bridge_desk.hpp"

namespace troupe::brokerage {

using protocol::property;

bridge_trail bridge_trail::outward(const std::string& own, const std::string& remote) {
  return {own, remote, own};
}

bridge_trail bridge_trail::inward(const std::string& own, const std::string& remote) {
  const std::string from = remote.empty() ? "in " + own : remote;
  return {from, own, from};
}

bool bridge_trail::may_pass(protocol::properties_view properties) const noexcept {
  if (!properties.has(property::user_property)) return true;
  std::size_t left = longest;
  for (std::size_t at = 0; const auto each = properties.next_user_property(at);) {
    if (each->name != bridge_property) continue;
    if (each->value == from_ || each->value == to_ || --left == 0) return false;
  }
  return true;
}

void bridge_trail::mark(protocol::properties_view properties, protocol::property_block& onward) const {
  onward.assign(properties);
  onward.remove(property::subscription_identifier);
  onward.remove(property::topic_alias);
  static_cast<void>(onward.add_user_property(bridge_property, mark_)); // a short text
}

} // namespace troupe::brokerage
