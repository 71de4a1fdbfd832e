#include "limits.hpp"

#include "topic.hpp"

namespace troupe::protocol {

server_limits read_limits(const connack& packet, std::chrono::seconds keep_alive) {
  const properties_view& said = packet.properties;
  const auto flag = [&](property id) { return said.number(id).value_or(1) != 0; };
  server_limits limits;
  limits.receive_maximum =
      static_cast<std::uint16_t>(said.number(property::receive_maximum).value_or(65'535));
  limits.maximum_packet_size = said.number(property::maximum_packet_size).value_or(max_packet_size);
  limits.topic_alias_maximum =
      static_cast<std::uint16_t>(said.number(property::topic_alias_maximum).value_or(0));
  limits.maximum_qos = static_cast<qos>(said.number(property::maximum_qos).value_or(2));
  limits.retain_available = flag(property::retain_available);
  limits.wildcard_subscription_available = flag(property::wildcard_subscription_available);
  limits.subscription_identifier_available = flag(property::subscription_identifier_available);
  limits.shared_subscription_available = flag(property::shared_subscription_available);
  limits.keep_alive = keep_alive;
  if (const auto other = said.number(property::server_keep_alive))
    limits.keep_alive = std::chrono::seconds{*other};
  if (const auto id = said.text(property::assigned_client_identifier))
    limits.assigned_client_identifier = *id;
  return limits;
}

result<void> check_publish(const publish& packet, const server_limits& limits) noexcept {
  if (packet.quality > limits.maximum_qos) return errc::quality_not_supported;
  if (packet.retain && !limits.retain_available) return errc::retain_not_supported;
  return {};
}

result<void> check_subscribe(std::span<const subscription> filters, properties_view properties, version v,
                             const server_limits& limits) noexcept {
  if (filters.empty() || filters.size() > 65'535) return errc::invalid_argument;
  if (v == version::v3_1_1 && !properties.empty()) return errc::version_mismatch;
  if (properties.has(property::subscription_identifier) && !limits.subscription_identifier_available)
    return errc::subscription_identifier_not_supported;
  for (const subscription& line : filters) {
    if (const result<void> well_formed = check_topic_filter(line.filter); !well_formed) return well_formed;
    const shared_filter parts = split_shared(line.filter);
    if (!parts.share.empty() && !limits.shared_subscription_available) return errc::shared_not_supported;
    if (!limits.wildcard_subscription_available && has_wildcard(parts.filter))
      return errc::wildcard_not_supported;
  }
  return {};
}

} // namespace troupe::protocol
