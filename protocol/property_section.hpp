// property_section: the property length and block as a part of a packet, in either version.
//
// Lives here: size, reading, judging and writing of that part; 3.1.1 has none.
// Errors:  errc::malformed_packet, errc::protocol_error when reading; errc::version_mismatch for
//          properties on a 3.1.1 connection: what cannot be said is refused, not dropped.
// Costs:   inline, no allocation.
#pragma once

#include "properties.hpp"
#include "wire_reader.hpp"
#include "wire_writer.hpp"

namespace troupe::protocol {

inline std::size_t section_size(properties_view properties, version v) noexcept {
  if (v == version::v3_1_1) return 0;
  const std::size_t block = properties.block().size();
  return variable_size(static_cast<std::uint32_t>(block)) + block;
}

/// The value 0 means that all is well.
inline errc read_section(wire_reader& from, property_place place, version v,
                         properties_view& properties) noexcept {
  if (v == version::v3_1_1) return errc{};
  scanned_properties found;
  const auto wrong = read_properties(from, place, found);
  properties = found.view;
  return wrong;
}

/// The value 0 means that nothing stands against writing.
inline errc judge_section(properties_view properties, property_place place, version v) noexcept {
  if (v == version::v3_1_1) return properties.empty() ? errc{} : errc::version_mismatch;
  return judge_properties(properties, place);
}

inline void write_section(wire_writer& to, properties_view properties, version v) noexcept {
  if (v == version::v3_1_1) return;
  to.write_variable(static_cast<std::uint32_t>(properties.block().size()));
  to.write_raw(properties.block());
}

} // namespace troupe::protocol
