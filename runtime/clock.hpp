// clock: now, and deadlines; there is no other timer.
//
// Lives here: deadline (something that is to happen), clock (one per worker), manual_clock (a test's).
// Holds:   a deadline fires once per arming, not before it is due; those due at different times fire in
//          that order, those due at the same time in the order of arming. A callback may arm and disarm
//          anything, itself included. A deadline disarms itself when it goes.
// Threads: clock and deadlines belong to one thread (a home's, or an actor's run, see resident). now()
//          is for anybody. manual_clock: now() for anybody, the rest for one test thread.
// Units:   std::chrono::steady_clock.
// Costs:   arming later what is armed already: a store; else logarithmic. No allocation once the clock
//          has seen its peak. now() costs ~30 ns, next_due() a load.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace troupe::runtime {

using time_point = std::chrono::steady_clock::time_point;
using duration = std::chrono::steady_clock::duration;

class clock;
class manual_clock;

/// Says which member of its owner a deadline calls: deadline retry_{calls<&session::on_retry>, *this};
template <auto Member>
struct calls_member {};
template <auto Member>
inline constexpr calls_member<Member> calls{};

class deadline {
public:
  template <auto Member, class Owner>
  deadline(calls_member<Member>, Owner& owner) noexcept
      : call_{[](void* who) { (static_cast<Owner*>(who)->*Member)(); }}, owner_{&owner} {}
  deadline(const deadline&) = delete;
  deadline& operator=(const deadline&) = delete;
  ~deadline() { disarm(); }

  bool is_armed() const noexcept { return clock_ != nullptr; }
  time_point due() const noexcept { return due_; }
  void disarm() noexcept;

private:
  friend class clock;

  void (*call_)(void*);
  void* owner_;
  clock* clock_ = nullptr; // where it is armed
  time_point due_{};       // when to fire
  time_point filed_{};     // where it stands in the heap: at or before due_
  std::uint64_t turn_ = 0; // order of arming
  std::size_t place_ = 0;  // index in the heap
};

class clock {
public:
  /// Real time, or a test's.
  explicit clock(const manual_clock* time = nullptr) noexcept : manual_{time} {}
  clock(const clock&) = delete;
  clock& operator=(const clock&) = delete;
  ~clock();

  time_point now() const noexcept;
  /// Fires at `due`, whether or not it was armed before.
  void arm(deadline& what, time_point due);
  void arm_in(deadline& what, duration after) { arm(what, now() + after); }
  void disarm(deadline& what) noexcept;

  bool is_empty() const noexcept { return heap_.empty(); }
  /// The test's clock behind this one; none: null.
  const manual_clock* manual() const noexcept { return manual_; }
  /// The moment to look again, at or before the first deadline; time_point::max() when there is none.
  time_point next_look() const noexcept { return heap_.empty() ? time_point::max() : heap_.front()->filed_; }
  /// When the first deadline is due.
  time_point next_due() noexcept;
  /// Fires what is due. True when something fired.
  bool fire();

private:
  static bool is_before(const deadline& left, const deadline& right) noexcept;
  void place(deadline& what, std::size_t at) noexcept;
  void rise(std::size_t at) noexcept;
  void sink(std::size_t at) noexcept;
  void take_out(std::size_t at) noexcept;

  const manual_clock* manual_;
  std::vector<deadline*> heap_;
  std::uint64_t turns_ = 0;
};

/// Something whose time a manual_clock moves: the homes of a stage.
class timed {
public:
  /// Returns when all of it is idle. True when it did nothing since it was asked last.
  virtual bool settle() = 0;
  /// The first deadline; only asked while all is idle.
  virtual time_point first_due() = 0;
  /// Makes everybody look at the clock.
  virtual void look() = 0;

protected:
  ~timed() = default;
};

class manual_clock {
public:
  manual_clock() = default;
  manual_clock(const manual_clock&) = delete;
  manual_clock& operator=(const manual_clock&) = delete;

  time_point now() const noexcept { return time_point{duration{now_.load(std::memory_order_acquire)}}; }
  /// Lets time pass: fires what becomes due, in order, each time waiting until the stages are idle.
  void advance(duration by);
  /// Waits until the stages are idle.
  void settle();

  void attach(timed& part);
  void detach(timed& part) noexcept;

private:
  time_point first_due();

  // Written by advance only. Starts away from zero, so that tests may look back.
  std::atomic<duration::rep> now_{duration{std::chrono::hours{1000}}.count()};
  std::mutex parts_mutex_;
  std::vector<timed*> parts_; // under parts_mutex_
};

} // namespace troupe::runtime
