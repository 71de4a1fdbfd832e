// hex: octets as people write them.
//
// Lives here: from_hex("30 05 ..."), to_hex, octets_of("text").
#pragma once

#include <troupe/protocol/slice.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace support {

using bytes = std::vector<troupe::protocol::octet>;

/// Hex digits in pairs, anything else between them is ignored; 'a text in quotes' stands for itself.
bytes from_hex(std::string_view text);
std::string to_hex(troupe::protocol::octets data);

} // namespace support
