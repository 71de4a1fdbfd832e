// errc: what can be wrong with octets, a request, or a connection.
//
// Lives here: the codes, their category, and the reason code the peer is answered with.
// Holds:   one sentence a code; the value 0 is no error.
// Costs:   an error_code is two words; nothing allocates but message().
#pragma once

#include "reason_code.hpp"

#include <system_error>

namespace troupe::protocol {

enum class errc {
  // -- octets from the peer
  need_more = 1,            // the packet is not complete yet: no error of anybody
  malformed_packet,         // octets that cannot be a packet of this version
  protocol_error,           // a well-formed packet that must not say this, or not now
  packet_too_large,         // more octets than the receiver announced, or the protocol can say
  unsupported_version,      // CONNECT with a protocol level we do not speak
  topic_alias_invalid,      // alias 0, above the announced maximum, or never set
  receive_maximum_exceeded, // more unacknowledged publishes than the receiver announced
  payload_format_invalid,   // payload said to be text and is not
  // -- what a request says
  invalid_text,         // not well-formed UTF-8, U+0000 inside, or longer than 65,535 octets
  invalid_topic_name,   // empty, too long, not text, or with a wildcard
  invalid_topic_filter, // empty, too long, not text, or a wildcard in a wrong place
  invalid_share_name,   // $share without a name, a wildcard in it, or nothing behind it
  filter_too_complex,   // more levels or wildcards than the index takes
  property_not_allowed, // a property that this packet cannot carry
  property_repeated,    // a second value for a property that takes one
  property_value,       // out of the range or not of the type of the property
  invalid_reason_code,  // a reason code that this packet cannot carry
  invalid_packet_id,    // 0 where an id is needed, or an id where none may be
  invalid_argument,     // a combination of values no packet can say
  version_mismatch,     // a 5.0 feature asked of a 3.1.1 connection
  // -- what the peer does not offer
  quality_not_supported,
  retain_not_supported,
  wildcard_not_supported,
  shared_not_supported,
  subscription_identifier_not_supported,
  // -- the connection
  not_connected,
  connection_lost,
  connect_timeout, // the transport did not come up, or no CONNECT came, in time
  connack_timeout,
  ping_timeout,
  keep_alive_timeout, // the client was silent for one and a half keep-alive intervals
  refused_by_server,
  disconnected_by_peer,
  session_lost,
  session_taken_over,
  server_shutting_down,
  // -- the library
  cancelled,
  backpressure,
  would_deadlock,
  closed,
  no_packet_id,
  limit_exceeded,
  faulted,
  bad_settings,
  implementation_error,
};

const std::error_category& errc_category() noexcept;

inline std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), errc_category()};
}

/// The reason code that tells the peer about `error`; implementation_specific_error for everything
/// that is not the peer's fault, success for none.
reason_code answer_for(std::error_code error) noexcept;

} // namespace troupe::protocol

template <>
struct std::is_error_code_enum<troupe::protocol::errc> : std::true_type {};
