// caf_settings: a client's settings as options of a CAF program: group "mqtt".
//
// Lives here: add_client_options(), client_config, read_client_settings().
// Holds:   client_id is --mqtt.client-id on the command line, and client-id in the group mqtt of
//          caf-application.ini; tls.ca_file is --mqtt.tls-ca-file. Durations and sizes are texts as in a
//          settings file ("30s", "64KiB"); a switch is said as --mqtt.clean-start=false. What is not said keeps the default of client_settings. Nothing
//          else is read: no file of ours, no environment. The settings of a stage (runtime.) are left out,
//          since a CAF program has its own system.
// Threads: values.
// Errors:  as problems, all of them, with the option's name as key.
//
//     class config : public caf::actor_system_config {
//     public:
//       config() { troupe::add_client_options(custom_options_); }
//     };
//     config::client_settings mqtt;
//     if (auto wrong = troupe::read_client_settings(system.config(), mqtt); wrong.empty())
//       client = troupe::spawn_client(stage, troupe::client_options_of(mqtt));
#pragma once

#include "client_configuration.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/config_option_set.hpp>

#include <vector>

namespace troupe {

/// For the constructor of a configuration of one's own, where `custom_options_` can be reached.
void add_client_options(caf::config_option_set& to);

/// A configuration that has them.
class client_config : public caf::actor_system_config {
public:
  client_config() { add_client_options(custom_options_); }
};

/// What file, command line and code have said about group "mqtt"; the settings are partly changed and not
/// to be used when there are problems.
std::vector<config::problem> read_client_settings(const caf::actor_system_config& from,
                                                  config::client_settings& into);

} // namespace troupe
