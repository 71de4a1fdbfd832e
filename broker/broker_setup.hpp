// broker_setup: from settings to what a broker is made of.
//
// Lives here: options_of, access_of, listen_options_of, stage_options_of, what_is_not_there.
// Holds:   a setting that cannot be obeyed is a problem, never ignored.
// Threads: plain functions.
#pragma once

#include "broker.hpp"

#include "../config/broker_settings.hpp"
#include "../config/problem.hpp"
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
/// Settings that this build has no means to obey.
std::vector<config::problem> what_is_not_there(const config::broker_settings& settings);

} // namespace troupe::brokerage
