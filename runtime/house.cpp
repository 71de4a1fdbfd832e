#include "house.hpp"

#include "scheduler.hpp"

#include <caf/atom.hpp>
#include <caf/detail/set_thread_name.hpp>

#include <chrono>

namespace troupe::runtime {
namespace {

// Whoever still holds an actor after it has ended is outside and should have let go before the stage.
constexpr std::chrono::seconds patience_with_holders{5};

std::shared_ptr<homes> make_homes(const stage_options& options, std::size_t extra) {
  return std::make_shared<homes>(homes::setup{.count = options.workers,
                                              .extra = extra,
                                              .wake = options.wake,
                                              .time = options.time,
                                              .log = options.log});
}

} // namespace

// -- census --------------------------------------------------------------------------------------

void census::enter(resident& who) {
  alive_.fetch_add(1, std::memory_order_acq_rel);
  who.retain();
  const std::lock_guard hold{mutex_};
  who.next_in_census_ = first_;
  if (first_ != nullptr) first_->before_in_census_ = &who;
  first_ = &who;
  if (is_stopping()) who.told_to_stop_.store(true, std::memory_order_release);
}

void census::ended(resident& who) noexcept {
  {
    const std::lock_guard hold{mutex_};
    (who.before_in_census_ != nullptr ? who.before_in_census_->next_in_census_ : first_) =
        who.next_in_census_;
    if (who.next_in_census_ != nullptr) who.next_in_census_->before_in_census_ = who.before_in_census_;
    who.next_in_census_ = who.before_in_census_ = nullptr;
    changed_.notify_all();
  }
  who.release(); // the run holds another reference
}

void census::left() noexcept {
  const std::lock_guard hold{mutex_};
  alive_.fetch_sub(1, std::memory_order_acq_rel);
  changed_.notify_all();
}

void census::stop_all() {
  const std::lock_guard hold{mutex_};
  stopping_.store(true, std::memory_order_release);
  for (auto* each = first_; each != nullptr; each = each->next_in_census_) each->stop_soon();
}

bool census::wait_until_gone() {
  std::unique_lock hold{mutex_};
  changed_.wait(hold, [this] { return first_ == nullptr; });
  return changed_.wait_for(hold, patience_with_holders, [this] { return alive() == 0; });
}

// -- house ---------------------------------------------------------------------------------------

house::house(const stage_options& options)
    : homes_{make_homes(options, 0)},
      pinning_{options.scheduler == scheduler_kind::own},
      own_config_{std::make_unique<caf::actor_system_config>()} {
  if (pinning_) {
    run_on_homes(*own_config_, homes_);
  } else {
    const bool sharing = options.scheduler == scheduler_kind::sharing;
    own_config_->set("scheduler.policy", sharing ? caf::atom("sharing") : caf::atom("stealing"));
    own_config_->set("scheduler.max-threads", homes_->size());
    own_config_->set("scheduler.max-throughput", std::size_t{64});
  }
  own_system_ = std::make_unique<caf::actor_system>(*own_config_);
  system_ = own_system_.get();
  if (!pinning_) give_homes_threads();
}

house::house(caf::actor_system& borrowed, const stage_options& options)
    : homes_{homes_of(borrowed)}, pinning_{homes_ != nullptr}, system_{&borrowed} {
  if (pinning_) return;
  homes_ = make_homes(options, 0);
  give_homes_threads();
}

house::~house() { close(); }

void house::give_homes_threads() {
  for (std::size_t index = 0; index != homes_->size(); ++index)
    threads_.emplace_back([&where = (*homes_)[index]] {
      caf::detail::set_thread_name("troupe.io");
      bool ignored = false;
      while (where.next_job(ignored) != nullptr) {}
    });
}

void house::end_threads() noexcept {
  for (std::size_t index = 0; index != threads_.size(); ++index) (*homes_)[index].stop();
  for (auto& each : threads_) each.join();
  threads_.clear();
}

void house::close() {
  if (std::exchange(closed_, true)) return;
  census_->stop_all();
  if (!census_->wait_until_gone())
    log().line(log_level::warning, "stage", "somebody still holds actors of a stage that has stopped");
  // Threads first: one that spawned an actor holds the system's logger, for which the system waits.
  end_threads();
  own_system_.reset();
}

} // namespace troupe::runtime
