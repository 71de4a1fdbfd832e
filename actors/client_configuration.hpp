// client_configuration: a client out of a settings file, the environment, the command line.
//
// Lives here: client_options_of(), stage_options_of() for config::client_settings.
// Holds:   every key of client_settings comes out somewhere in the two; what has no key keeps its default
//          (hooks, connector, session_records, tls.check: those are code; connect_properties other than user
//          properties, properties of the will).
// Threads: values.
// Errors:  none: settings that have been loaded without a problem can be said. What is wrong with the
//          files they name is found when the client is made.
#pragma once

#include "client_options.hpp"

#include "../config/client_settings.hpp"
#include "../runtime/stage.hpp"

namespace troupe {

client_options client_options_of(const config::client_settings& settings);
stage_options stage_options_of(const config::client_settings& settings);

} // namespace troupe
