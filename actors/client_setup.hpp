// client_setup: from what the user says to what the actors need.
//
// Lives here: check_options, machine_options, supervisor_setup.
// Holds:   reads nothing but the options and the files of TLS they name; a user and password in the broker's address serve when the
//          options name none.
// Errors:  the first thing that is wrong, as an error code.
#pragma once

#include "client_options.hpp"
#include "supervisor.hpp"

#include "../protocol/introduction.hpp"

#include <system_error>

namespace troupe::actors {

/// What is wrong with the options; none: nothing.
std::error_code check_options(const client_options& options);
std::optional<protocol::will_options> will_setup(const std::optional<will>& wanted);
protocol::client_machine_options machine_options(const client_options& options);
/// `fault`: what is wrong already.
supervisor_options supervisor_setup(const client_options& options, std::error_code fault = {});

} // namespace troupe::actors
