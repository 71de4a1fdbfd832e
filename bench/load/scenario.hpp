// scenario: loads that are known by a name.
//
// Lives here: scenario, all_scenarios().
// Holds:   what a scenario sets is only a beginning: every size can be said otherwise.
#pragma once

#include "load_options.hpp"

#include <span>

namespace troupe::bench {

struct scenario {
  const char* name;
  const char* text;
  void (*set)(load_options&);
};

std::span<const scenario> all_scenarios() noexcept;

} // namespace troupe::bench
