// scheduler: CAF's scheduler as we want it: one thread is socket loop and actor worker.
//
// Lives here: putting our scheduler into a CAF configuration, and finding it again in a system.
// Holds:   the first workers of the system are the homes, in order; the extra ones run the commons.
//          Pinned actors never leave their home; the others run anywhere, an idle worker takes what is
//          there. A run handles at most 64 CAF messages, unless the configuration says otherwise.
// Threads: configure before the system starts; find: anybody.
#pragma once

#include <memory>

namespace caf {
class actor_system;
class actor_system_config;
} // namespace caf

namespace troupe::runtime {

class homes;

/// The system made from `config` will run on `all`.
void run_on_homes(caf::actor_system_config& config, std::shared_ptr<homes> all);
/// The homes that `system` runs on; null when its scheduler is not ours.
std::shared_ptr<homes> homes_of(caf::actor_system& system);

} // namespace troupe::runtime
