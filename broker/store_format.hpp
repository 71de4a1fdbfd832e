// store_format: how sessions, messages and retained messages are written down as keys and values.
//
//   "m" message                         -> received, PUBLISH as 5.0 says it
//   "s" session "0"                     -> expiry, ends, client id
//   "s" session "1" filter              -> grant
//   "s" session "2" sequence            -> message, how far its delivery is
//   "s" session "3" packet id           -> (QoS 2 publish received, its PUBREL not)
//   "s" session "4"                     -> due, delay, received, the will as PUBLISH; alone when the session
//                                          ends with its connection, or has ended
//   "w" topic                           -> stamp, received, PUBLISH
//
// Lives here: the numbers in a file, key_of... (keys), and what values say: session_record, delivery_record.
// Holds:   numbers are big-endian, so that keys stand in the order of what they name. Moments are wall-clock
//          time in milliseconds.
// Threads: values and plain functions.
// Errors:  a reader that finds too little says so by ok().
#pragma once

#include "onward.hpp"
#include "peer_session.hpp"

#include "../protocol/vocabulary.hpp"
#include "../runtime/record_text.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace troupe::brokerage {

inline constexpr std::uint32_t store_application = 0x54525042; // "TRPB"
inline constexpr std::uint32_t store_version = 1;

/// Milliseconds since the epoch.
using wall_moment = std::int64_t;
inline constexpr wall_moment never_ends = INT64_MAX;
inline constexpr wall_moment was_connected = -1;

namespace record_kind {
inline constexpr char message = 'm';
inline constexpr char session = 's';
inline constexpr char word = 'w'; // behind sessions, which are behind messages
// of a session, in this order
inline constexpr char head = '0';
inline constexpr char filter = '1';
inline constexpr char delivery = '2';
inline constexpr char receipt = '3';
inline constexpr char will = '4';
} // namespace record_kind

using runtime::record_reader;
using runtime::record_writer;

struct session_record {
  std::uint32_t expiry = 0; // seconds
  wall_moment ends = was_connected;
  std::string_view client_id{};
};

/// How far one message is on its way to one client.
struct delivery_record {
  enum class stage : std::uint8_t { waiting, sent, released };

  std::uint64_t message = 0;
  std::uint64_t rank = 0; // of a released one among its like
  protocol::packet_id id = 0;
  stage where = stage::waiting;
  protocol::qos quality = protocol::qos::at_least_once;
  bool retain = false;
  bool is_shared = false; // a $share group chose the session
};

inline record_writer& key_of_message(record_writer& to, std::uint64_t message) {
  return to.anew().letter(record_kind::message).number(message, 8);
}
inline record_writer& key_of_session(record_writer& to, session_number session) {
  return to.anew().letter(record_kind::session).number(session, 8);
}
inline record_writer& key_of_word(record_writer& to, std::string_view topic) {
  return to.anew().letter(record_kind::word).text(topic);
}

inline void write(record_writer& to, const session_record& what) {
  to.anew().number(what.expiry, 4).number(static_cast<std::uint64_t>(what.ends), 8).text(what.client_id);
}
inline session_record read_session(record_reader& from) noexcept {
  session_record what;
  what.expiry = static_cast<std::uint32_t>(from.number(4));
  what.ends = static_cast<wall_moment>(from.number(8));
  what.client_id = from.rest();
  return what;
}

inline void write(record_writer& to, const grant& what) {
  to.anew().number(what.identifier, 4).number(static_cast<std::uint8_t>(what.quality), 1);
  to.number((what.no_local ? 1U : 0U) | (what.retain_as_published ? 2U : 0U), 1);
}
inline grant read_grant(record_reader& from) noexcept {
  grant what;
  what.identifier = static_cast<std::uint32_t>(from.number(4));
  what.quality = static_cast<protocol::qos>(from.number(1) % 3);
  const std::uint64_t flags = from.number(1);
  what.no_local = (flags & 1U) != 0;
  what.retain_as_published = (flags & 2U) != 0;
  return what;
}

void write(record_writer& to, const delivery_record& what, std::span<const std::uint32_t> identifiers);
delivery_record read_delivery(record_reader& from, std::vector<std::uint32_t>& identifiers);

} // namespace troupe::brokerage
