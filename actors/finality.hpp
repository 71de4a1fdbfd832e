// finality: which ends of a connection dialling again would not mend.
//
// Lives here: is_final, sends_elsewhere.
#pragma once

#include "messages.hpp"

namespace troupe::actors {

/// The next attempt would meet the same.
bool is_final(const session_down& end) noexcept;
/// The broker asked to dial another one (section 4.11).
bool sends_elsewhere(const session_down& end) noexcept;

} // namespace troupe::actors
