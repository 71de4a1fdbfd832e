// limits: what the server of the present connection allows, and whether a request keeps to it.
//
// Lives here: server_limits, read from a CONNACK; the checks a client makes before a request leaves.
// Holds:   a limit that the CONNACK does not name has its default; nothing is left over from an
//          earlier connection.
// Errors:  one errc for each limit; errc::version_mismatch for 5.0 features on 3.1.1.
// Costs:   a few comparisons; nothing allocates but the assigned identifier.
#pragma once

#include "connack.hpp"
#include "publish.hpp"
#include "result.hpp"
#include "subscribe.hpp"
#include "vocabulary.hpp"

#include <chrono>
#include <span>
#include <string>

namespace troupe::protocol {

/// What the server allows, from the present CONNACK (3.1.1: the defaults).
struct server_limits {
  std::uint16_t receive_maximum = 65'535;
  std::uint32_t maximum_packet_size = max_packet_size;
  std::uint16_t topic_alias_maximum = 0;
  qos maximum_qos = qos::exactly_once;
  bool retain_available = true;
  bool wildcard_subscription_available = true;
  bool subscription_identifier_available = true;
  bool shared_subscription_available = true;
  std::chrono::seconds keep_alive{0};
  std::string assigned_client_identifier{};
};

/// `keep_alive` is what the CONNECT asked for; the server may say another [MQTT-3.1.2-21].
server_limits read_limits(const connack& packet, std::chrono::seconds keep_alive);

/// Whether the server takes a publish [MQTT-3.2.2-11, MQTT-3.2.2-14].
result<void> check_publish(const publish& packet, const server_limits& limits) noexcept;
/// Both for a SUBSCRIBE.
result<void> check_subscribe(std::span<const subscription> filters, properties_view properties, version v,
                             const server_limits& limits) noexcept;

} // namespace troupe::protocol
