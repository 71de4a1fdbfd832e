#include "stage.hpp"

#include "house.hpp"
#include "scheduler.hpp"

namespace troupe {

stage::stage(stage_options options) : house_{std::make_shared<runtime::house>(options)} {}

stage::stage(caf::actor_system& system, stage_options options)
    : house_{std::make_shared<runtime::house>(system, options)} {}

stage::~stage() { house_->close(); }

caf::actor_system& stage::system() noexcept { return house_->system(); }

std::size_t stage::workers() const noexcept { return house_->size(); }

std::size_t stage::actors_alive() const noexcept { return house_->actors_alive(); }

runtime::house& stage::inside() noexcept { return *house_; }

namespace runtime {

void configure(caf::actor_system_config& config, stage_options options, std::size_t extra) {
  run_on_homes(config, std::make_shared<homes>(homes::setup{.count = options.workers,
                                                            .extra = extra,
                                                            .wake = options.wake,
                                                            .time = options.time,
                                                            .log = std::move(options.log)}));
}

} // namespace runtime
} // namespace troupe
