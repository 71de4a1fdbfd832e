// introduction: how a client presents itself: settings, and the CONNECT made of them.
//
// Lives here: will_options, client_machine_options, write_connect.
// Holds:   plain values, owned.
// Errors:  what encode_connect refuses; errc::version_mismatch for 5.0 properties on 3.1.1. Nothing is
//          written then.
// Costs:   one property block a connection.
#pragma once

#include "connect.hpp"
#include "outbox.hpp"
#include "properties.hpp"
#include "result.hpp"
#include "vocabulary.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// The will as a client keeps it, section 3.1.2.5.
struct will_options {
  std::string topic{};
  std::vector<octet> payload{};
  qos quality = qos::at_most_once;
  bool retain = false;
  property_block properties{};
};

struct client_machine_options {
  version protocol = version::v5_0;
  std::string client_id{};
  std::optional<std::string> user_name{};
  std::optional<std::vector<octet>> password{};
  bool clean_start = true;                // of the first connection; later ones resume
  std::chrono::seconds keep_alive{60};    // 0 = off
  std::chrono::seconds session_expiry{0}; // 5.0; 0xFFFFFFFF = never
  std::uint16_t receive_maximum = 65'535; // how many QoS 1/2 we take at once
  std::uint32_t maximum_packet_size = max_packet_size;
  std::uint16_t topic_alias_maximum = 0;    // inbound aliases we accept
  std::uint16_t outbound_topic_aliases = 0; // most aliases we set by ourselves; 0 = off
  std::uint16_t send_window = 65'535;       // most publishes in flight, whatever the server takes
  std::uint16_t exact_window = 65'535;      // most of these at QoS 2
  duration connack_timeout = std::chrono::seconds{30};
  duration ping_timeout = std::chrono::seconds{30};
  std::optional<will_options> will{};
  property_block connect_properties{}; // user properties, authentication, ...
};

/// Appends the CONNECT. What 3.1.1 cannot announce (receive maximum, session expiry, ...) is left out
/// there: those are our own limits, not parts of a message.
result<void> write_connect(outbox& out, const client_machine_options& options, std::string_view client_id,
                           bool clean_start);

} // namespace troupe::protocol
