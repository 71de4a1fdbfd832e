// bridge_setup: from [[bridge]] tables to bridges.
//
// Lives here: bridge_options_of, bridge_list, stop_together.
// Threads: plain functions; stop_together as bridge::stop.
#pragma once

#include "bridge.hpp"

#include "../config/bridge_settings.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace troupe::brokerage {

using bridge_list = std::vector<std::unique_ptr<bridge>>;

/// Of the bridge at `place`, which names the nameless.
bridge_options bridge_options_of(const std::vector<config::bridge_settings>& all, std::size_t place);

/// Stops all at the same time: it takes as long as the slowest, whatever their number.
void stop_together(bridge_list& bridges);

} // namespace troupe::brokerage
