// stage: where actors live: workers, sockets, clocks, and an actor system, owned or borrowed.
//
// Lives here: stage, stage_options, configure().
// Holds:   a stage outlives its clients and brokers; destroying it closes what is still open, waits
//          until its actors are destroyed (bounded work, no user code runs after), then stops.
// Threads: construct and destroy on one outside thread; all else is for everybody.
// Errors:  the constructor throws std::system_error only when threads or descriptors cannot be had.
// Costs:   idle workers sleep in the operating system.
#pragma once

#include "log.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace caf {
class actor_system;
class actor_system_config;
} // namespace caf

namespace troupe {

namespace runtime {
class house; // the inside of a stage: homes, loopback names, system
class manual_clock;
} // namespace runtime

/// What a worker does when it has nothing to do.
enum class wake_policy : std::uint8_t {
  automatic, // spin when cores exceed workers by two or more, else yield
  yield,     // one sched_yield after each wake-up: throughput
  spin,      // look around for about 40 us before sleeping: latency
  plain,     // neither
};

/// Whose scheduler runs the actors of an owned system.
enum class scheduler_kind : std::uint8_t { own, sharing, stealing };

struct stage_options {
  std::size_t workers = 1;
  wake_policy wake = wake_policy::automatic;
  scheduler_kind scheduler = scheduler_kind::own;
  std::string name = "troupe";
  /// Where lines of the log go; none: nowhere.
  log_sink log{};
  /// For tests: time stands still until this clock is advanced. It outlives the stage.
  runtime::manual_clock* time = nullptr;
};

class stage {
public:
  explicit stage(stage_options options = {});
  /// Borrows the user's system. At full speed when runtime::configure(cfg) was called before the
  /// system started; otherwise with I/O threads of its own.
  explicit stage(caf::actor_system& system, stage_options options = {});
  ~stage();
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;

  caf::actor_system& system() noexcept;
  std::size_t workers() const noexcept;
  /// Actors of this stage that are alive.
  std::size_t actors_alive() const noexcept;
  /// The inside, for rooms of this library.
  runtime::house& inside() noexcept;

private:
  std::shared_ptr<runtime::house> house_;
};

namespace runtime {
/// Puts our scheduler into a configuration: its first `workers` threads also run sockets and pinned
/// actors, `extra` more run the system's other actors.
void configure(caf::actor_system_config& config, stage_options options = {}, std::size_t extra = 0);
} // namespace runtime

} // namespace troupe
