// home: one worker thread, as seen by the actors and sockets that live on it.
//
// Lives here: home: run queue, inbox, io_context, clock, slabs and idle point of one thread; how it
//          sleeps and is woken.
// Holds:   all actors pinned here, all handlers of io(), all posted tasks, deadlines and flushes run on
//          this thread, one at a time. Flushes happen when the run queue is empty, or every 16 jobs.
//          The thread sleeps only in io(), and only when there is nothing to do.
// Threads: is_here, here, post, schedule, wake, index: anybody. All else: the home's thread.
// Errors:  what a handler or task throws is caught and logged; it ends nothing but that call.
// Costs:   schedule from this thread: a push on a ring. From another: a lock-free push, and a wake-up
//          (one write(2)) only when this thread sleeps. post: no allocation for small tasks.
#pragma once

#include "clock.hpp"
#include "concurrent_queue.hpp"
#include "counters.hpp"
#include "flushable.hpp"
#include "ring.hpp"
#include "stage.hpp"
#include "task.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace caf {
class resumable;
} // namespace caf

namespace troupe::runtime {

class homes;
class logger;
class slab_pool;

/// Why a home is woken. What a loopback peer sends is no reason to let other threads go first.
enum class wake_cause : std::uint8_t { ordinary, loopback };

/// Who wants to know when a home is idle.
class idle_watch {
public:
  /// On the home's thread, at the moment before it would sleep. `done` counts all it ever did.
  virtual void on_idle(std::uint64_t done, time_point first_due) = 0;

protected:
  ~idle_watch() = default;
};

struct home_statistics {
  std::uint64_t jobs = 0;    // runs of actors
  std::uint64_t sleeps = 0;  // times the thread slept
  std::uint64_t wakes = 0;   // times another thread woke it
  std::uint64_t flushes = 0; // idle points that had something to flush
};

class home {
public:
  home(homes& among, std::size_t index, wake_policy wake, const manual_clock* time);
  home(const home&) = delete;
  home& operator=(const home&) = delete;
  ~home();

  boost::asio::io_context& io() noexcept { return io_; }
  std::size_t index() const noexcept { return index_; }
  /// All homes of the system, and what they share.
  homes& among() const noexcept { return among_; }
  const logger& log() const noexcept;
  /// Whether the caller runs on this home's thread.
  bool is_here() const noexcept { return here() == this; }
  /// The home whose thread the caller runs on; none: null.
  static home* here() noexcept;

  clock& time() noexcept { return clock_; }
  slab_pool& slabs() noexcept { return *slabs_; }
  /// `what` is flushed at the next idle point.
  void flush_later(flushable& what) noexcept { dirty_.add(what); }
  /// The same, once the sockets have been looked at: for who has more to write, so that what he wrote is
  /// taken out of the system's buffers while it is in the cache.
  void flush_after_looking(flushable& what) noexcept {
    look_first_ = true;
    dirty_.add(what);
  }
  /// Calls `what` on the home's thread, never from inside post().
  void post(task what, wake_cause cause = wake_cause::ordinary);
  home_statistics statistics() const noexcept;

  // For the scheduler.

  /// A pinned actor wants to run. Takes over one reference to it.
  void schedule(caf::resumable& job, wake_cause cause = wake_cause::ordinary);
  /// Sleeps until there is a job; does everything else meanwhile. `from_commons`: where it is from.
  /// Null after stop().
  caf::resumable* next_job(bool& from_commons);
  /// A job that wants to go on, on the home's thread: after everybody else, flushes and sockets included.
  void schedule_again(caf::resumable& job) { again_.push(&job); }
  /// Wakes the thread when it sleeps. True when it did.
  bool wake(wake_cause cause = wake_cause::ordinary) noexcept;
  /// next_job() returns null from now on.
  void stop() noexcept;
  /// Calls `what->on_idle` once, the next time there is nothing to do.
  void tell_when_idle(idle_watch& what);
  /// Jobs that nobody runs any more; after the thread has ended.
  template <class Function>
  void take_jobs(Function&& function) {
    take_again();
    for (take_inbox(); !local_.is_empty(); take_inbox()) function(local_.pop());
  }

private:
  struct wake_handler;

  void listen_for_wakes();
  void look_around();
  caf::resumable* take_common(bool& from_commons) noexcept;
  bool take_inbox();
  void take_again();
  bool run_tasks();
  void flush_dirty();
  bool poll_sockets() noexcept;
  bool spin();
  void sleep();
  void sleep_in_io();
  void answer_watches();
  /// Runs `call` and logs what it throws.
  template <class Call>
  std::size_t guarded(Call&& call) noexcept;

  homes& among_;
  const std::size_t index_;
  const wake_policy wake_;

  // The home's thread only.
  std::unique_ptr<slab_pool> slabs_;
  ring<caf::resumable*> local_;
  ring<caf::resumable*> again_; // those that want to go on; join local_ when it is empty
  class pass_mark final : public flushable {
    void flush() override {}
  };
  flush_list dirty_;
  pass_mark end_of_pass_; // in dirty_ while a pass of flushes is under way
  std::vector<idle_watch*> watches_;
  std::uint32_t turn_ = 0;
  std::size_t wake_handlers_run_ = 0; // of the handlers just run, those that only woke us
  std::uint64_t done_ = 0;            // everything that was run, but for watches
  bool look_first_ = false;           // at the sockets, before the next pass of flushes
  bool loopback_only_ = false;        // woken by a loopback peer and nothing else since
  own_tally jobs_;
  own_tally sleeps_;
  own_tally flushes_;

  // Everybody.
  moodycamel::ConcurrentQueue<caf::resumable*> inbox_{0};
  moodycamel::ConcurrentQueue<task> tasks_{0};
  alignas(64) std::atomic<bool> asleep_{false}; // set by the thread, cleared by whoever wakes it
  std::atomic<bool> stopping_{false};           // set once by anybody
  std::atomic<bool> ordinary_wake_{false};      // set by wakers, cleared by the thread
  tally wakes_;

  clock clock_;
  alignas(std::max_align_t) std::byte wake_memory_[192]; // of the read on bell_; the thread's
  std::uint64_t rung_ = 0;                               // what it reads
  // It is this thread's alone, so it needs no lock. Whoever wakes us writes to a descriptor: posting would
  // hold a mutex through a system call, and the woken thread would wait for it first of all.
  boost::asio::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE};
  boost::asio::posix::stream_descriptor bell_;
  const int bell_number_; // the same, for other threads
};

/// Says, in builds with assertions, who held a home's thread for more than 100 ms.
class slow_watch {
public:
#ifdef NDEBUG
  slow_watch(const home*, std::string_view) noexcept {}
#else
  slow_watch(const home* where, std::string_view who) noexcept;
  slow_watch(const slow_watch&) = delete;
  slow_watch& operator=(const slow_watch&) = delete;
  ~slow_watch();

private:
  const home* where_;
  std::string_view who_;
  std::chrono::steady_clock::time_point since_;
#endif
};

} // namespace troupe::runtime
