// vocabulary: the one-line types of MQTT.
//
// Lives here: version, qos, packet_type, packet_id, role; time_point as handed in by hosts.
// Units:   packet ids are 1..65535; 0 means "no id".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace troupe::protocol {

/// Protocol level as it stands in CONNECT [MQTT-3.1.2-2].
enum class version : std::uint8_t { v3_1_1 = 4, v5_0 = 5 };

/// Quality of service, MQTT 5.0 section 4.3.
enum class qos : std::uint8_t { at_most_once = 0, at_least_once = 1, exactly_once = 2 };

/// Control packet types, MQTT 5.0 section 2.1.2.
enum class packet_type : std::uint8_t {
  connect = 1,
  connack = 2,
  publish = 3,
  puback = 4,
  pubrec = 5,
  pubrel = 6,
  pubcomp = 7,
  subscribe = 8,
  suback = 9,
  unsubscribe = 10,
  unsuback = 11,
  pingreq = 12,
  pingresp = 13,
  disconnect = 14,
  auth = 15,
};

using packet_id = std::uint16_t;

/// Which end of the connection a machine or a decoder plays.
enum class role : std::uint8_t { client, server };

/// Hosts hand the time in; nothing in this folder reads a clock.
using time_point = std::chrono::steady_clock::time_point;
using duration = std::chrono::steady_clock::duration;
inline constexpr time_point never = time_point::max();

/// Largest remaining length that four octets can say (MQTT 5.0 section 1.5.5).
inline constexpr std::uint32_t max_remaining_length = 268'435'455;
/// Largest whole packet: type octet, four length octets, remaining length.
inline constexpr std::uint32_t max_packet_size = max_remaining_length + 5;

} // namespace troupe::protocol
