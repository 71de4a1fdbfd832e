// homes: the homes of one actor system, and what they share.
//
// Lives here: homes; commons (jobs that may run anywhere); name_board (who listens on which loopback
//          name).
// Holds:   lives longer than every thread, actor and socket of it. Jobs of the commons are run by the
//          extra workers when there are some, else by the homes.
// Threads: everything may be used by anybody.
// Costs:   the name board has a mutex: it is read when somebody dials.
#pragma once

#include "clock.hpp"
#include "concurrent_queue.hpp"
#include "home.hpp"
#include "log.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <semaphore.h>
#include <string>
#include <vector>

namespace troupe::runtime {

class name_board {
public:
  /// False when the name is taken.
  bool enter(const std::string& name, std::shared_ptr<void> who);
  /// Takes the entry back if it is still `who`'s.
  void leave(const std::string& name, const void* who) noexcept;
  std::shared_ptr<void> find(const std::string& name) const;

private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<void>, std::less<>> entries_; // under mutex_
};

/// Jobs that are bound to no home: the user's actors.
class commons {
public:
  commons() noexcept;
  commons(const commons&) = delete;
  commons& operator=(const commons&) = delete;
  ~commons();

  void put(caf::resumable& job);
  /// Null: nothing there. Else end_run() is to be called after the run.
  caf::resumable* take() noexcept;
  /// Sleeps until there is a job. Else as take().
  caf::resumable& wait();
  void end_run() noexcept { running_.fetch_sub(1, std::memory_order_acq_rel); }
  bool is_empty() const noexcept { return queue_.size_approx() == 0; }
  /// Nothing there and nothing running.
  bool is_idle() const noexcept;

private:
  bool wake_one() noexcept;
  void sleep() noexcept;

  moodycamel::ConcurrentQueue<caf::resumable*> queue_{0};
  std::atomic<int> sleepers_{0}; // raised by sleepers, lowered by whoever wakes one
  std::atomic<int> running_{0};  // jobs taken and not finished
  sem_t wake_{};                 // posted once for each sleeper called
};

class homes final : public timed {
public:
  struct setup {
    std::size_t count = 1;
    std::size_t extra = 0; // workers beside the homes that run the commons
    wake_policy wake = wake_policy::automatic;
    manual_clock* time = nullptr;
    log_sink log{};
  };

  explicit homes(setup how);
  homes(const homes&) = delete;
  homes& operator=(const homes&) = delete;
  ~homes();

  std::size_t size() const noexcept { return homes_.size(); }
  std::size_t extra() const noexcept { return extra_; }
  home& operator[](std::size_t index) const noexcept { return *homes_[index]; }
  /// Round robin.
  home& next() noexcept;
  name_board& names() noexcept { return names_; }
  const logger& log() const noexcept { return log_; }
  runtime::commons& commons() noexcept { return commons_; }
  /// A job that may run anywhere, from any thread.
  void schedule_anywhere(caf::resumable& job);
  /// For a home that is idle: a job of the commons; none, or the commons are not for homes: null.
  caf::resumable* take_common() noexcept { return shares_commons() ? commons_.take() : nullptr; }
  bool has_common() const noexcept { return shares_commons() && !commons_.is_empty(); }

  /// Actors of ours that run on somebody else's scheduler and are not idle: for settle().
  void begin_foreign_run() noexcept {
    foreign_.fetch_add(1, std::memory_order_acq_rel);
    foreign_runs_.fetch_add(1, std::memory_order_acq_rel);
  }
  void end_foreign_run() noexcept { foreign_.fetch_sub(1, std::memory_order_acq_rel); }

  bool settle() override;
  time_point first_due() override;
  void look() override;

private:
  /// A single home has its own queue for everything.
  bool shares_commons() const noexcept { return extra_ == 0 && homes_.size() > 1; }

  logger log_;
  manual_clock* time_;
  name_board names_;
  runtime::commons commons_;
  std::size_t extra_;
  std::vector<std::unique_ptr<home>> homes_;
  std::atomic<std::size_t> next_{0};
  std::atomic<int> foreign_{0};
  std::atomic<std::uint64_t> foreign_runs_{0};
  std::uint64_t settled_at_ = 0;             // what all homes had done at the last settle()
  time_point first_due_ = time_point::max(); // as of the last settle()
};

} // namespace troupe::runtime
