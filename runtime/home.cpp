#include "home.hpp"

#include "homes.hpp"
#include "pause.hpp"
#include "sanitizer.hpp"
#include "slab_pool.hpp"

#include <boost/asio/buffer.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <string>
#include <system_error>

namespace troupe::runtime {
namespace {

thread_local home* current_home = nullptr;

constexpr std::uint32_t jobs_between_looks = 16;
constexpr std::size_t inbox_chunk = 32;
constexpr std::size_t task_chunk = 16;
// About 40 us; looking at the sockets is a system call, so it is done a few times only.
constexpr int spin_pauses = 2000;
constexpr int pauses_between_polls = 400;
constexpr int pauses_between_looks = 8;
constexpr int pauses_between_yields = 64;

int open_bell() {
  const int made = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (made < 0) throw std::system_error{errno, std::system_category(), "eventfd"};
  return made;
}

} // namespace

// Does nothing but end run_one(). What Asio keeps of the read lies in memory of the home: a wake-up allocates
// nothing.
struct home::wake_handler {
  template <class Value>
  struct memory {
    using value_type = Value;
    home* where;

    explicit memory(home* of) noexcept : where{of} {}
    template <class Other>
    memory(const memory<Other>& other) noexcept // NOLINT(google-explicit-constructor)
        : where{other.where} {}
    template <class Other>
    bool operator==(const memory<Other>& other) const noexcept {
      return where == other.where;
    }
    Value* allocate(std::size_t) noexcept {
      static_assert(sizeof(Value) <= sizeof(wake_memory_));
      return reinterpret_cast<Value*>(where->wake_memory_);
    }
    void deallocate(Value*, std::size_t) noexcept {}
  };
  using allocator_type = memory<void*>;

  home* where;

  allocator_type get_allocator() const noexcept { return allocator_type{where}; }
  void operator()(const boost::system::error_code& problem, std::size_t) const {
    ++where->wake_handlers_run_;
    if (!problem) where->listen_for_wakes();
  }
};

home::home(homes& among, std::size_t index, wake_policy wake, const manual_clock* time)
    : among_{among},
      index_{index},
      wake_{wake},
      slabs_{std::make_unique<slab_pool>()},
      clock_{time},
      bell_{io_, open_bell()},
      bell_number_{bell_.native_handle()} {
  listen_for_wakes();
}

home::~home() = default;

void home::listen_for_wakes() {
  bell_.async_read_some(boost::asio::buffer(&rung_, sizeof rung_), wake_handler{this});
}

home* home::here() noexcept { return current_home; }

const logger& home::log() const noexcept { return among_.log(); }

home_statistics home::statistics() const noexcept {
  return {
      .jobs = jobs_.value(), .sleeps = sleeps_.value(), .wakes = wakes_.value(), .flushes = flushes_.value()};
}

void home::post(task what, wake_cause cause) {
  hand_over(&tasks_);
  if (!tasks_.enqueue(std::move(what))) std::terminate();
  wake(cause);
}

void home::schedule(caf::resumable& job, wake_cause cause) {
  if (is_here()) {
    local_.push(&job);
    return;
  }
  hand_over(&job);
  if (!inbox_.enqueue(&job)) std::terminate();
  wake(cause);
}

bool home::wake(wake_cause cause) noexcept {
  // Between what was put into a queue and the look at asleep_; sleep() has its twin.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!asleep_.load(std::memory_order_relaxed)) return false;
  if (cause == wake_cause::ordinary) ordinary_wake_.store(true, std::memory_order_relaxed);
  if (!asleep_.exchange(false, std::memory_order_acq_rel)) return false;
  wakes_.add(1);
  const std::uint64_t one = 1;
  static_cast<void>(::write(bell_number_, &one, sizeof one)); // refused only when it has rung 2^64 times
  return true;
}

void home::stop() noexcept {
  stopping_.store(true, std::memory_order_release);
  wake();
}

void home::tell_when_idle(idle_watch& what) {
  post([this, &what] {
    --done_; // being asked is no activity
    watches_.push_back(&what);
  });
}

caf::resumable* home::next_job(bool& from_commons) {
  from_commons = false;
  if (current_home != this) current_home = this;
  for (;;) {
    if (++turn_ % jobs_between_looks == 0) {
      look_around();
      take_again();
      if (auto* job = take_common(from_commons); job != nullptr) return job;
    }
    if (!local_.is_empty()) {
      jobs_.add(1);
      ++done_;
      return local_.pop();
    }
    if (take_inbox() || run_tasks()) continue;
    if (!dirty_.is_empty()) {
      if (std::exchange(look_first_, false) && poll_sockets()) continue;
      flush_dirty();
      continue;
    }
    if (!again_.is_empty()) {
      // One call of a socket's: half the cost of asking until there is none, and the next round comes soon.
      done_ += guarded([this] { return io_.poll_one(); });
      done_ -= std::exchange(wake_handlers_run_, 0);
      take_again();
      continue;
    }
    if (stopping_.load(std::memory_order_acquire)) return nullptr;
    if (auto* job = take_common(from_commons); job != nullptr) return job;
    if (!clock_.is_empty() && clock_.next_look() <= clock_.now()) {
      if (guarded([this] { return clock_.fire() ? 1U : 0U; }) != 0) ++done_;
      continue;
    }
    if (!watches_.empty()) {
      if (!poll_sockets()) answer_watches();
      continue;
    }
    if (wake_ == wake_policy::spin && !loopback_only_ && spin()) continue;
    sleep();
  }
}

caf::resumable* home::take_common(bool& from_commons) noexcept {
  auto* job = among_.take_common();
  if (job == nullptr) return nullptr;
  jobs_.add(1);
  ++done_;
  from_commons = true;
  return job;
}

void home::look_around() {
  flush_dirty();
  poll_sockets();
  take_inbox();
  run_tasks();
  if (!clock_.is_empty() && clock_.next_look() <= clock_.now())
    done_ += guarded([this] { return clock_.fire() ? 1U : 0U; });
}

bool home::take_inbox() {
  caf::resumable* jobs[inbox_chunk];
  const auto count = inbox_.try_dequeue_bulk(jobs, inbox_chunk);
  for (std::size_t index = 0; index != count; ++index) {
    take_over(jobs[index]);
    local_.push(jobs[index]);
  }
  return count != 0;
}

void home::take_again() {
  while (!again_.is_empty()) local_.push(again_.pop());
}

bool home::run_tasks() {
  task tasks[task_chunk];
  const auto count = tasks_.try_dequeue_bulk(tasks, task_chunk);
  if (count == 0) return false;
  take_over(&tasks_);
  for (std::size_t index = 0; index != count; ++index) {
    ++done_;
    guarded([&tasks, index] {
      tasks[index]();
      return 1U;
    });
  }
  return true;
}

void home::flush_dirty() {
  if (dirty_.is_empty()) return;
  flushes_.add(1);
  ++done_;
  // Whoever becomes dirty by a flush waits for the next pass: two ends of a loopback that answer each
  // other, or a socket that is never drained, leave room for the jobs between.
  dirty_.add(end_of_pass_);
  while (auto* what = dirty_.pop()) {
    if (what == &end_of_pass_) break;
    guarded([what] {
      what->flush();
      return 1U;
    });
  }
}

bool home::poll_sockets() noexcept {
  auto handlers = guarded([this] { return io_.poll(); });
  handlers -= std::exchange(wake_handlers_run_, 0);
  done_ += handlers;
  return handlers != 0;
}

bool home::spin() {
  for (int count = 1; count <= spin_pauses; ++count) {
    cpu_pause();
    if (count % pauses_between_looks == 0
        && (inbox_.size_approx() != 0 || tasks_.size_approx() != 0 || among_.has_common()))
      return true;
    // Whoever would call us may wait for this very core.
    if (count % pauses_between_yields == 0) yield_thread();
    if (count % pauses_between_polls == 0 && poll_sockets()) return true;
  }
  return false;
}

void home::sleep() {
  asleep_.store(true, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const bool has_work = take_inbox() || tasks_.size_approx() != 0 || among_.has_common()
                        || stopping_.load(std::memory_order_relaxed);
  if (!has_work) sleep_in_io();
  asleep_.store(false, std::memory_order_relaxed);
}

void home::sleep_in_io() {
  sleeps_.add(1);
  const bool without_end = clock_.is_empty() || clock_.manual() != nullptr;
  auto handlers =
      guarded([&] { return without_end ? io_.run_one() : io_.run_one_until(clock_.next_look()); });
  asleep_.store(false, std::memory_order_relaxed);
  const bool only_woken = handlers == wake_handlers_run_;
  loopback_only_ = handlers != 0 && only_woken && !ordinary_wake_.exchange(false, std::memory_order_relaxed);
  if (wake_ == wake_policy::yield && handlers != 0 && !loopback_only_) yield_thread();
  handlers -= std::exchange(wake_handlers_run_, 0);
  done_ += handlers;
  poll_sockets();
}

void home::answer_watches() {
  auto asked = std::move(watches_);
  watches_.clear();
  for (auto* each : asked) each->on_idle(done_, clock_.next_due());
}

template <class Call>
std::size_t home::guarded(Call&& call) noexcept {
  try {
    return call();
  } catch (const std::exception& problem) {
    log().line(log_level::error, "home", problem.what());
  } catch (...) {
    log().line(log_level::error, "home", "a handler threw something that is no exception");
  }
  return 1;
}

#ifndef NDEBUG
namespace {
constexpr std::chrono::milliseconds too_long{100};
} // namespace

slow_watch::slow_watch(const home* where, std::string_view who) noexcept
    : where_{where}, who_{who}, since_{std::chrono::steady_clock::now()} {}

slow_watch::~slow_watch() {
  if (where_ == nullptr || !where_->log().is_on()) return;
  const auto took = std::chrono::steady_clock::now() - since_;
  if (took < too_long) return;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  try {
    where_->log().line(log_level::warning, "home",
                       std::string{who_} + " held the thread of its home for " + std::to_string(ms) + " ms");
  } catch (...) { // NOLINT(bugprone-empty-catch): no memory for a remark
  }
}
#endif

} // namespace troupe::runtime
