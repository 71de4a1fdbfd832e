// own_thread: a thread that calls one handler which may block.
//
// Lives here: own_thread (a mailbox whose owner is a thread), thread_list (who joins them).
// Holds:   the same as a subscriber, apart from the client's worker: acks and pings go on while the
//          handler sleeps. After stop() no further message is handled; the thread ends when the handler
//          returns.
// Threads: bell members: anybody. stop: the dispatcher.
// Costs:   one thread per subscription; a futex wake when it sleeps.
#pragma once

#include "handler_runner.hpp"
#include "wait_spot.hpp"

#include "../runtime/outlet.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace troupe::actors {

/// The threads of one client. Joined when the client ends; those that have ended before, when the next
/// one starts.
class thread_list {
public:
  thread_list() = default;
  thread_list(const thread_list&) = delete;
  thread_list& operator=(const thread_list&) = delete;
  ~thread_list() { join(); }

  void add(std::thread thread, std::shared_ptr<std::atomic<bool>> has_ended);
  /// Waits for all of them; the calling thread, if it is one, is let go instead.
  void join() noexcept;

private:
  struct entry {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> has_ended;
  };
  std::mutex mutex_; // taken when a subscription with a thread begins, and at the end
  std::vector<entry> entries_;
};

class own_thread final : public runtime::bell {
public:
  /// Starts a thread; the answer is kept by references to its bell.
  static own_thread& start(thread_list& threads, handler_runner runner);

  runtime::mailbox<delivery>& box() noexcept { return box_; }
  void stop() noexcept;

  void ring() noexcept override;
  void retain() noexcept override { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept override {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

private:
  explicit own_thread(handler_runner runner) : box_{*this}, outlet_{box_}, runner_{std::move(runner)} {}
  ~own_thread() = default;
  void work();

  std::atomic<std::uint32_t> references_{1}; // the thread's own to begin with
  std::atomic<bool> is_stopping_{false};     // set by the dispatcher
  std::atomic<bool> is_rung_{true};          // set by anybody, cleared by the thread
  wait_spot rest_;
  runtime::mailbox<delivery> box_;
  runtime::outlet<delivery> outlet_; // the thread's
  handler_runner runner_;            // the thread's
};

} // namespace troupe::actors
