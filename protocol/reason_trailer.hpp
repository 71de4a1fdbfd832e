// reason_trailer: the reason code and properties at the end of the acknowledgements, DISCONNECT and AUTH,
// which may be left out when they say nothing (MQTT 5.0 sections 3.4.2.1, 3.14.2.1, 3.15.2.1).
//
// Lives here: size, reading and writing of that end; shared by ack, disconnect and auth.
// Errors:  errc::malformed_packet, errc::protocol_error when reading; errc::invalid_reason_code,
//          errc::property_not_allowed, errc::invalid_argument, errc::packet_too_large from the judge.
// Costs:   no allocation.
#pragma once

#include "errc.hpp"
#include "properties.hpp"
#include "reason_code.hpp"
#include "vocabulary.hpp"

#include <cstddef>

namespace troupe::protocol {

class wire_reader;
class wire_writer;

/// Who says it, in which packet.
struct trailer_place {
  packet_type type;
  role sender;
  property_place properties;
};

/// Octets: none for 0x00 without properties, one for a reason alone.
std::size_t trailer_size(reason_code reason, properties_view properties) noexcept;
/// Reads what is left of `from`; the value 0 means that all is well.
errc read_trailer(wire_reader& from, const trailer_place& place, reason_code& reason,
                  properties_view& properties) noexcept;
/// What must not be written; the value 0 means that nothing stands against it.
errc judge_trailer(const trailer_place& place, reason_code reason, properties_view properties) noexcept;
/// Writes exactly trailer_size octets.
void write_trailer(wire_writer& to, reason_code reason, properties_view properties) noexcept;

} // namespace troupe::protocol
