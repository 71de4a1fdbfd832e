#include "scheduler.hpp"

#include "homes.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/policy/unprofiled.hpp>
#include <caf/scheduler/coordinator.hpp>

#include <limits>

namespace troupe::runtime {
namespace {

constexpr std::size_t messages_a_run = 64;

/// The policy that CAF's coordinator and workers ask.
class scheduling : public caf::policy::unprofiled {
public:
  struct coordinator_data {
    explicit coordinator_data(caf::scheduler::abstract_coordinator*) {}
    std::shared_ptr<homes> all; // set before the workers start
  };

  /// CAF copies one of these for each worker.
  struct worker_data {
    explicit worker_data(caf::scheduler::abstract_coordinator* parent);

    homes* all;
    bool runs_common = false; // the worker's: where its present job came from
  };

  template <class Coordinator>
  void central_enqueue(Coordinator* self, caf::resumable* job) {
    self->data().all->schedule_anywhere(*job);
  }
  /// Only used to end the workers: each is handed a job that ends whoever runs it.
  template <class Worker>
  void external_enqueue(Worker* self, caf::resumable* job) {
    if (auto* home = home_of(self); home != nullptr)
      home->schedule(*job);
    else
      self->data().all->commons().put(*job);
  }
  template <class Worker>
  void internal_enqueue(Worker* self, caf::resumable* job) {
    self->data().all->schedule_anywhere(*job);
  }
  template <class Worker>
  void resume_job_later(Worker* self, caf::resumable* job) {
    auto* home = home_of(self);
    if (home != nullptr && !self->data().runs_common)
      home->schedule_again(*job);
    else
      self->data().all->schedule_anywhere(*job);
  }
  template <class Worker>
  caf::resumable* dequeue(Worker* self) {
    auto& mine = self->data();
    auto* home = home_of(self);
    if (home != nullptr) return home->next_job(mine.runs_common);
    mine.runs_common = true;
    return &mine.all->commons().wait();
  }
  template <class Worker>
  void after_resume(Worker* self, caf::resumable*) {
    if (self->data().runs_common) self->data().all->commons().end_run();
  }
  template <class Worker, class Function>
  void foreach_resumable(Worker* self, Function function) {
    if (auto* home = home_of(self); home != nullptr) home->take_jobs(function);
  }
  template <class Coordinator, class Function>
  void foreach_central_resumable(Coordinator* self, Function function) {
    auto& commons = self->data().all->commons();
    while (auto* job = commons.take()) {
      function(job);
      commons.end_run();
    }
  }

private:
  template <class Worker>
  static home* home_of(Worker* self) noexcept {
    auto& all = *self->data().all;
    return self->id() < all.size() ? &all[self->id()] : nullptr;
  }
};

class coordinator final : public caf::scheduler::coordinator<scheduling> {
public:
  using super = caf::scheduler::coordinator<scheduling>;

  coordinator(caf::actor_system& system, std::shared_ptr<homes> all) : super{system} {
    data().all = std::move(all);
  }
  void init(caf::actor_system_config& config) override {
    super::init(config);
    num_workers_ = data().all->size() + data().all->extra();
    if (max_throughput_ == std::numeric_limits<std::size_t>::max()) max_throughput_ = messages_a_run;
  }
};

scheduling::worker_data::worker_data(caf::scheduler::abstract_coordinator* parent)
    : all{static_cast<coordinator*>(parent)->data().all.get()} {}

} // namespace

void run_on_homes(caf::actor_system_config& config, std::shared_ptr<homes> all) {
  config.module_factories.emplace_back(
      [all = std::move(all)](caf::actor_system& system) -> caf::actor_system::module* {
        return new coordinator{system, all};
      });
}

std::shared_ptr<homes> homes_of(caf::actor_system& system) {
  auto* ours = dynamic_cast<coordinator*>(&system.scheduler());
  return ours != nullptr ? ours->data().all : nullptr;
}

} // namespace troupe::runtime
