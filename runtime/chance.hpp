// chance: octets that nobody can foresee: masks and keys of WebSockets.
//
// Lives here: chance_source, system_chance().
// Threads: anybody.
// Errors:  false: there are none, and what was asked for is not to be sent.
#pragma once

#include "../protocol/slice.hpp"

#include <span>

namespace troupe::runtime {

/// Fills all of it, or answers false.
using chance_source = bool (*)(std::span<protocol::octet>) noexcept;

/// OpenSSL's generator.
bool system_chance(std::span<protocol::octet> into) noexcept;

} // namespace troupe::runtime
