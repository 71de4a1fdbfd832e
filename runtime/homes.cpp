#include "homes.hpp"

#include "pause.hpp"
#include "sanitizer.hpp"
#include "thread_barrier.hpp"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <thread>

namespace troupe::runtime {
namespace {

wake_policy decide(wake_policy wanted, std::size_t workers) {
  if (wanted != wake_policy::automatic) return wanted;
  // A spinning worker needs a core beside the one that the threads which call us run on. On two cores
  // with one worker the kernel puts both on one: bursts of 1,000 took 900 us instead of 75 us to publish.
  return std::thread::hardware_concurrency() > workers + 1 ? wake_policy::spin : wake_policy::yield;
}

/// Waits until every home has been idle once.
class roll_call final : public idle_watch {
public:
  explicit roll_call(std::size_t homes) noexcept : missing_{homes} {}
  void on_idle(std::uint64_t done, time_point first_due) override {
    const std::lock_guard hold{mutex_};
    done_ += done;
    first_due_ = std::min(first_due_, first_due);
    if (--missing_ == 0) complete_.notify_one();
  }
  void wait() {
    std::unique_lock hold{mutex_};
    complete_.wait(hold, [this] { return missing_ == 0; });
  }
  std::uint64_t done() const noexcept { return done_; }
  time_point first_due() const noexcept { return first_due_; }

private:
  std::mutex mutex_;
  std::condition_variable complete_;
  std::size_t missing_;
  std::uint64_t done_ = 0;
  time_point first_due_ = time_point::max();
};

} // namespace

// -- name_board ----------------------------------------------------------------------------------

bool name_board::enter(const std::string& name, std::shared_ptr<void> who) {
  const std::lock_guard hold{mutex_};
  return entries_.try_emplace(name, std::move(who)).second;
}

void name_board::leave(const std::string& name, const void* who) noexcept {
  std::shared_ptr<void> last; // goes after the mutex
  const std::lock_guard hold{mutex_};
  const auto found = entries_.find(name);
  if (found == entries_.end() || found->second.get() != who) return;
  last = std::move(found->second);
  entries_.erase(found);
}

std::shared_ptr<void> name_board::find(const std::string& name) const {
  const std::lock_guard hold{mutex_};
  const auto found = entries_.find(name);
  return found != entries_.end() ? found->second : nullptr;
}

// -- commons -------------------------------------------------------------------------------------

commons::commons() noexcept { ::sem_init(&wake_, 0, 0); }

commons::~commons() { ::sem_destroy(&wake_); }

void commons::sleep() noexcept {
  while (::sem_wait(&wake_) != 0 && errno == EINTR) {}
}

void commons::put(caf::resumable& job) {
  hand_over(&job);
  if (!queue_.enqueue(&job)) std::terminate();
  wake_one();
}

caf::resumable* commons::take() noexcept {
  running_.fetch_add(1, std::memory_order_acq_rel); // first, so that is_idle() never misses a job
  caf::resumable* job = nullptr;
  if (queue_.try_dequeue(job)) {
    take_over(job);
    return job;
  }
  end_run();
  return nullptr;
}

caf::resumable& commons::wait() {
  for (;;) {
    if (auto* job = take(); job != nullptr) return *job;
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (is_empty()) {
      sleep();
      continue;
    }
    // Not asleep after all; if somebody has already called us, his call must be taken.
    auto count = sleepers_.load(std::memory_order_relaxed);
    while (count > 0 && !sleepers_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel)) {}
    if (count <= 0) sleep();
  }
}

bool commons::wake_one() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  auto count = sleepers_.load(std::memory_order_relaxed);
  while (count > 0) {
    if (!sleepers_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel)) continue;
    ::sem_post(&wake_);
    return true;
  }
  return false;
}

bool commons::is_idle() const noexcept { return is_empty() && running_.load(std::memory_order_acquire) == 0; }

// -- homes ---------------------------------------------------------------------------------------

homes::homes(setup how) : log_{std::move(how.log)}, time_{how.time}, extra_{how.extra} {
  // Front doors ask for it, too; as long as a process has one thread, the kernel answers at once.
  static_cast<void>(can_bar_all_threads());
  const auto count = std::max<std::size_t>(1, how.count);
  const auto wake = decide(how.wake, count + how.extra);
  homes_.reserve(count);
  for (std::size_t index = 0; index != count; ++index)
    homes_.push_back(std::make_unique<home>(*this, index, wake, time_));
  if (time_ != nullptr) time_->attach(*this);
}

homes::~homes() {
  if (time_ != nullptr) time_->detach(*this);
}

home& homes::next() noexcept {
  return *homes_[next_.fetch_add(1, std::memory_order_relaxed) % homes_.size()];
}

void homes::schedule_anywhere(caf::resumable& job) {
  if (!shares_commons() && extra_ == 0) {
    homes_.front()->schedule(job);
    return;
  }
  commons_.put(job);
  if (extra_ != 0) return;
  for (const auto& each : homes_)
    if (each->wake()) return;
}

bool homes::settle() {
  roll_call everybody{homes_.size()};
  for (const auto& each : homes_) each->tell_when_idle(everybody);
  everybody.wait();
  const auto done = everybody.done() + foreign_runs_.load(std::memory_order_acquire);
  first_due_ = everybody.first_due();
  const bool busy_elsewhere = !commons_.is_idle() || foreign_.load(std::memory_order_acquire) != 0;
  if (busy_elsewhere) yield_thread();
  const bool quiet = !busy_elsewhere && done == settled_at_;
  settled_at_ = done;
  return quiet;
}

time_point homes::first_due() { return first_due_; }

void homes::look() {
  for (const auto& each : homes_) each->post([] {});
}

} // namespace troupe::runtime
