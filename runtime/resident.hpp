// resident: what all our actors have in common.
//
// Lives here: place (where an actor lives), resident (base class), resident_ref (a counted reference
//          with the actor's own type).
// Holds:   an actor lives until it is told to stop or finishes, whoever holds it. It runs on the thread of its home (on a stock scheduler: wherever CAF runs it, one run
//          at a time). A run is: stop if told to, on_bell(), then CAF's messages. on_stop() is called
//          once, in the last run; inlets, handles, transports and deadlines are to be dropped there, for
//          two actors that hold each other are never destroyed otherwise.
// Threads: ring, stop_soon, retain, release: anybody. All else: the actor's thread.
// Errors:  an exception out of on_bell() or a message handler ends the actor, with a line in the log.
// Costs:   ringing allocates nothing and does not pass through CAF's mailbox: one atomic step, plus a
//          place in the home's run queue if the actor was idle.
#pragma once

#include "bell.hpp"
#include "clock.hpp"
#include "home.hpp"
#include "mailbox.hpp"

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/execution_unit.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace troupe::runtime {

class census;
class house;

struct place {
  house& inside;
  home& where;
};

/// Whether the caller may block: not on a home's thread, not inside a run of ours.
bool may_block() noexcept;

class resident : public caf::event_based_actor, public bell {
public:
  /// In actors the word means ours, not CAF's.
  template <class Item>
  using mailbox = runtime::mailbox<Item>;

  ~resident() override;

  /// The thread of its sockets, and (but for stock schedulers) its own.
  home& where() const noexcept { return home_; }
  /// Now, and deadlines that fire while nothing else of this actor runs. Outside a run of the actor
  /// they may touch all of its state, but must not call quit(): see finish().
  runtime::clock& time() noexcept { return own_clock_ ? *own_clock_ : home_.time(); }

  void ring() noexcept final { ring_for(wake_cause::ordinary); }
  /// As ring(), when what came is from a loopback peer.
  void ring_for(wake_cause cause) noexcept;
  void retain() noexcept final;
  void release() noexcept final;
  /// Ends the actor; overtakes everything it has still to do.
  void stop_soon() noexcept;

  // CAF's.
  using caf::event_based_actor::enqueue;
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* unit) final;
  void launch(caf::execution_unit* unit, bool lazy, bool hide) final;
  resume_result resume(caf::execution_unit* unit, std::size_t most_messages) final;
  void on_exit() final;

protected:
  resident(caf::actor_config& config, place where);

  /// Bounded work: drain outlets within their budgets. True: there is more, to be done after others
  /// had their turn.
  virtual bool on_bell() = 0;
  /// Drops everything that leads out of the actor. No bell is heard afterwards.
  virtual void on_stop() {}
  /// Handlers of CAF messages; by default none are expected.
  caf::behavior make_behavior() override;
  /// Ends the actor after the present handler; may also be called from deadlines and sinks.
  void finish() noexcept;
  house& inside() const noexcept { return house_; }

private:
  friend class census;

  /// Lends itself to CAF where that wants to schedule the actor.
  class doorkeeper final : public caf::execution_unit {
  public:
    explicit doorkeeper(resident& self);
    void exec_later(caf::resumable* job) override;

  private:
    resident& self_;
  };

  enum class run_end : std::uint8_t { idle, more, over };
  class alarm;

  void schedule(wake_cause cause) noexcept;
  run_end run(caf::execution_unit* unit, std::size_t most_messages);
  /// on_bell() and deadlines of an own clock; what they throw ends the actor.
  bool run_bell() noexcept;
  /// Ends the actor if somebody wants that.
  bool end_if_wanted();
  void set_alarm();

  house& house_;
  home& home_;
  std::shared_ptr<census> census_;
  doorkeeper doorkeeper_;
  // Everybody raises it, the one who raises it from zero schedules; the run takes off what it saw.
  std::atomic<std::uint64_t> rings_{0};
  std::atomic<bool> told_to_stop_{false}; // set by anybody
  std::atomic<bool> finished_{false};     // set by the actor's thread or its sinks'
  bool is_counted_ = false;               // entered into the census
  bool has_ended_ = false;                // on_stop() was called
  // On a stock scheduler the home's clock runs on another thread: then the actor has one of its own.
  std::unique_ptr<runtime::clock> own_clock_;
  std::shared_ptr<alarm> alarm_;

  resident* next_in_census_ = nullptr; // under the census' mutex
  resident* before_in_census_ = nullptr;
};

template <class Actor>
class resident_ref {
public:
  resident_ref() noexcept = default;
  /// Takes a reference.
  explicit resident_ref(Actor* actor) noexcept : actor_{actor} {
    if (actor_ != nullptr) actor_->retain();
  }
  resident_ref(const resident_ref& other) noexcept : resident_ref{other.actor_} {}
  resident_ref(resident_ref&& other) noexcept : actor_{std::exchange(other.actor_, nullptr)} {}
  resident_ref& operator=(resident_ref other) noexcept {
    std::swap(actor_, other.actor_);
    return *this;
  }
  ~resident_ref() {
    if (actor_ != nullptr) actor_->release();
  }

  Actor* get() const noexcept { return actor_; }
  Actor* operator->() const noexcept { return actor_; }
  Actor& operator*() const noexcept { return *actor_; }
  explicit operator bool() const noexcept { return actor_ != nullptr; }
  /// For CAF: links, monitors, messages.
  caf::actor handle() const { return caf::actor_cast<caf::actor>(actor_->ctrl()); }

private:
  Actor* actor_ = nullptr;
};

} // namespace troupe::runtime
