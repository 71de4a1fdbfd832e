// house: the inside of a stage.
//
// Lives here: house (system, homes, spawning, the order of stopping), census (which of our actors are
//          alive).
// Holds:   an owned system ends with the house; a borrowed one is left as it was. Stopping: every actor
//          is told to stop and drops its sockets on its own home; when all have ended, threads of ours
//          end, then the system.
// Threads: everything may be called by anybody; close() by one outside thread.
// Costs:   spawning takes a mutex.
#pragma once

#include "homes.hpp"
#include "resident.hpp"
#include "stage.hpp"

#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <typeindex>
#include <vector>

namespace troupe::runtime {

/// Counts the actors of a house and keeps them until they end; lives as long as the last of them.
class census {
public:
  void enter(resident& who);
  /// The actor is in its last run; its memory may still be referenced.
  void ended(resident& who) noexcept;
  /// The actor has been destroyed.
  void left() noexcept;

  std::size_t alive() const noexcept { return alive_.load(std::memory_order_acquire); }
  /// Tells everybody to stop, those to come included.
  void stop_all();
  bool is_stopping() const noexcept { return stopping_.load(std::memory_order_acquire); }
  /// Returns when all have ended; then waits, but not for ever, until all are destroyed. False when some
  /// are not: somebody outside holds them.
  bool wait_until_gone();

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  resident* first_ = nullptr;         // under mutex_
  std::atomic<std::size_t> alive_{0}; // entered and not left
  std::atomic<bool> stopping_{false};
};

class house {
public:
  explicit house(const stage_options& options);
  house(caf::actor_system& borrowed, const stage_options& options);
  house(const house&) = delete;
  house& operator=(const house&) = delete;
  ~house();

  caf::actor_system& system() noexcept { return *system_; }
  /// Whether actors run on their homes (our scheduler), or wherever CAF runs them.
  bool is_pinning() const noexcept { return pinning_; }
  std::size_t size() const noexcept { return homes_->size(); }
  home& operator[](std::size_t index) const noexcept { return (*homes_)[index]; }
  home& next_home() noexcept { return homes_->next(); }
  runtime::homes& homes() const noexcept { return *homes_; }
  name_board& names() noexcept { return homes_->names(); }
  const logger& log() const noexcept { return homes_->log(); }
  std::size_t actors_alive() const noexcept { return census_->alive(); }
  const std::shared_ptr<runtime::census>& census() const noexcept { return census_; }

  /// Starts an actor with the constructor (caf::actor_config&, place, arguments...).
  template <class Actor, class... Arguments>
  resident_ref<Actor> spawn(home& where, Arguments&&... arguments) {
    // Not spawn(): that turns pointers to actors into handles.
    caf::actor_config config;
    const auto handle = system_->spawn_impl<Actor, caf::no_spawn_options>(
        config, place{*this, where}, std::forward<Arguments>(arguments)...);
    return resident_ref<Actor>{static_cast<Actor*>(caf::actor_cast<caf::abstract_actor*>(handle))};
  }
  /// Something of an upper floor that all of its kind in this house share: made when first asked for,
  /// destroyed with the house or by the last who holds it.
  template <class Fixture>
  std::shared_ptr<Fixture> fixture() {
    const std::lock_guard hold{fixtures_mutex_};
    auto& there = fixtures_[std::type_index{typeid(Fixture)}];
    if (!there) there = std::make_shared<Fixture>();
    return std::static_pointer_cast<Fixture>(there);
  }
  /// Stops everything, in order. Later calls do nothing.
  void close();

private:
  void give_homes_threads();
  void end_threads() noexcept;

  std::mutex fixtures_mutex_;
  std::map<std::type_index, std::shared_ptr<void>> fixtures_; // under fixtures_mutex_; go last

  std::shared_ptr<runtime::homes> homes_;
  std::shared_ptr<runtime::census> census_ = std::make_shared<runtime::census>();
  bool pinning_ = false;
  bool closed_ = false;              // the closing thread's
  std::vector<std::thread> threads_; // of homes whose system has a stock scheduler
  std::unique_ptr<caf::actor_system_config> own_config_;
  std::unique_ptr<caf::actor_system> own_system_;
  caf::actor_system* system_ = nullptr;
};

} // namespace troupe::runtime
