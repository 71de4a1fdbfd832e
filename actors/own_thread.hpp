// own_thread: a thread, or several, that call one handler which may block.
//
// Lives here: own_thread (a mailbox whose owners are threads), thread_list (who joins them).
// Holds:   the same as a subscriber, apart from the client's worker: acks and pings go on while the
//          handler sleeps. After stop() no further message is handled; a thread ends when the handler
//          returns. Several threads take one message after the other, each as soon as it is free.
// Threads: bell members: anybody. stop: the dispatcher.
// Costs:   one thread per subscription; a futex wake when it sleeps. With several, a lock per message.
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
  /// Starts a thread, or as many of `hands` as are to be had; the answer is kept by references to its
  /// bell. Throws std::system_error when there is none.
  static own_thread& start(thread_list& threads, handler_runner runner, std::size_t hands = 1);

  runtime::mailbox<delivery>& box() noexcept { return box_; }
  void stop() noexcept;

  void ring() noexcept override;
  void retain() noexcept override { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept override {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

private:
  explicit own_thread(handler_runner runner, bool is_shared)
      : is_shared_{is_shared}, box_{*this}, outlet_{box_}, runner_{std::move(runner)} {}
  ~own_thread() = default;
  void work();
  void work_along(handler_runner mine);
  void end();
  delivery take_one();
  void begin(thread_list& threads);

  const bool is_shared_;                     // several threads work here
  std::mutex mutex_;                         // if so, taken for each message
  delivery left_{};                          // under mutex_: what nobody has taken
  std::atomic<std::uint32_t> hands_{0};      // threads that have not ended
  std::atomic<std::uint32_t> references_{1}; // whoever starts it to begin with, then the threads
  std::atomic<bool> is_stopping_{false};     // set by the dispatcher
  std::atomic<bool> is_rung_{true};          // set by anybody, cleared by the thread
  wait_spot rest_;
  runtime::mailbox<delivery> box_;
  runtime::outlet<delivery> outlet_; // the thread's, or under mutex_
  handler_runner runner_;            // the thread's, or each has a copy
};

} // namespace troupe::actors
