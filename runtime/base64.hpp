// base64: octets as text, RFC 4648 section 4.
//
// Lives here: base64().
// Threads: a plain function.
#pragma once

#include "../protocol/slice.hpp"

#include <string>

namespace troupe::runtime {

std::string base64(protocol::octets from);

} // namespace troupe::runtime
