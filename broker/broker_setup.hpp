// broker_setup: from settings to what a broker is made of.
//
// Lives here: options_of, access_of, listen_options_of, stage_options_of.
// Threads: plain functions.
#pragma once

#include "broker.hpp"

#include "../config/broker_settings.hpp"
#include "../runtime/stage.hpp"

#include <memory>
#include <vector>

namespace troupe::brokerage {

broker_options options_of(const config::broker_settings& settings);
/// Null: everything is allowed.
std::shared_ptr<const access> access_of(const config::broker_settings& settings);
listen_options listen_options_of(const config::listener_settings& settings);
/// 0 workers become as many as there are cores, at most 4.
stage_options stage_options_of(const config::broker_settings& settings);

} // namespace troupe::brokerage
