#include "resident.hpp"

#include "house.hpp"
#include "sanitizer.hpp"

#include <caf/all.hpp>

#include <exception>

namespace troupe::runtime {
namespace {

/// What this thread is running, for as long as it does.
class run_mark {
public:
  explicit run_mark(caf::execution_unit* unit) noexcept : outer_{std::exchange(present, unit)} {}
  run_mark(const run_mark&) = delete;
  run_mark& operator=(const run_mark&) = delete;
  ~run_mark() { present = outer_; }

  static caf::execution_unit* unit() noexcept { return present; }

private:
  static thread_local caf::execution_unit* present;
  caf::execution_unit* outer_;
};

thread_local caf::execution_unit* run_mark::present = nullptr;

} // namespace

bool may_block() noexcept { return home::here() == nullptr && run_mark::unit() == nullptr; }

// Rings an actor whose own clock has something due, from the clock of its home.
class resident::alarm {
public:
  alarm(home& where, resident& whom) noexcept : where_{where}, whom_{whom} {}

  // On the home's thread.
  void set(time_point due) { where_.time().arm(timer_, due); }
  void cancel() noexcept {
    timer_.disarm();
    whom_ = {};
  }

  time_point asked_for = time_point::max(); // the actor's: when it wants to be rung next

private:
  void go_off() {
    if (whom_) whom_.ring();
  }

  home& where_;
  bell_ref whom_;
  deadline timer_{calls<&alarm::go_off>, *this};
};

resident::doorkeeper::doorkeeper(resident& self) : caf::execution_unit{&self.home_system()}, self_{self} {}

void resident::doorkeeper::exec_later(caf::resumable* job) {
  self_.ring();
  caf::intrusive_ptr_release(job); // schedule() took its own
}

resident::resident(caf::actor_config& config, place where)
    : caf::event_based_actor{config},
      house_{where.inside},
      home_{where.where},
      census_{where.inside.census()},
      doorkeeper_{*this} {
  set_default_handler(caf::drop);
  set_down_handler([](caf::scheduled_actor*, caf::down_msg&) {});
  set_exception_handler([this](caf::scheduled_actor*, std::exception_ptr& thrown) -> caf::error {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& problem) {
      home_.log().line(log_level::error, name(), problem.what());
    } catch (...) {
      home_.log().line(log_level::error, name(), "ended by something that is no exception");
    }
    return caf::sec::runtime_error;
  });
  if (house_.is_pinning()) return;
  const auto* manual = home_.time().manual();
  own_clock_ = std::make_unique<runtime::clock>(manual);
  alarm_ = std::make_shared<alarm>(home_, *this);
}

resident::~resident() {
  if (is_counted_) census_->left();
}

void resident::retain() noexcept { caf::intrusive_ptr_add_ref(ctrl()); }

void resident::release() noexcept { caf::intrusive_ptr_release(ctrl()); }

void resident::ring_for(wake_cause cause) noexcept {
  if (rings_.fetch_add(1, std::memory_order_acq_rel) == 0) schedule(cause);
}

void resident::stop_soon() noexcept {
  told_to_stop_.store(true, std::memory_order_release);
  ring();
}

void resident::finish() noexcept {
  finished_.store(true, std::memory_order_release);
  ring();
}

void resident::schedule(wake_cause cause) noexcept {
  retain(); // the run's
  if (own_clock_ == nullptr) {
    home_.schedule(*this, cause);
    return;
  }
  home_.among().begin_foreign_run();
  hand_over(this);
  auto* unit = run_mark::unit();
  if (unit != nullptr && &unit->system() == &home_system())
    unit->exec_later(this);
  else
    home_system().scheduler().enqueue(this);
}

void resident::enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) {
  caf::event_based_actor::enqueue(std::move(what), &doorkeeper_);
}

void resident::launch(caf::execution_unit*, bool, bool hide) {
  is_counted_ = true;
  census_->enter(*this);
  caf::event_based_actor::launch(&doorkeeper_, false, hide);
}

caf::resumable::resume_result resident::resume(caf::execution_unit* unit, std::size_t most_messages) {
  const run_mark mark{unit};
  const auto seen = rings_.load(std::memory_order_acquire);
  auto* elsewhere = own_clock_ != nullptr ? &home_.among() : nullptr;
  if (elsewhere != nullptr) take_over(this);
  switch (run(unit, most_messages)) {
  case run_end::more: return resume_later;
  case run_end::idle:
    if (elsewhere != nullptr) hand_over(this);
    // From here on somebody else may ring and run us.
    if (rings_.fetch_sub(seen, std::memory_order_acq_rel) != seen) return resume_later;
    if (elsewhere != nullptr) elsewhere->end_foreign_run();
    return awaiting_message;
  case run_end::over: break;
  }
  // rings_ stays above zero: nobody schedules us any more.
  if (elsewhere != nullptr) elsewhere->end_foreign_run();
  return done;
}

auto resident::run(caf::execution_unit* unit, std::size_t most_messages) -> run_end {
  if (has_ended_ || !activate(unit) || end_if_wanted()) return run_end::over;
  const slow_watch watch{home::here(), name()};
  bool more = run_bell();
  if (end_if_wanted()) return run_end::over;
  if (!caf::event_based_actor::mailbox().blocked()) {
    const auto result = caf::event_based_actor::resume(unit, most_messages);
    if (result == done || end_if_wanted()) return run_end::over;
    more = more || result == resume_later;
  }
  if (own_clock_ != nullptr) set_alarm();
  return more ? run_end::more : run_end::idle;
}

bool resident::run_bell() noexcept {
  try {
    if (own_clock_ != nullptr) own_clock_->fire();
    return on_bell();
  } catch (...) {
    auto thrown = std::current_exception();
    quit(call_handler(exception_handler_, this, thrown));
    return false;
  }
}

bool resident::end_if_wanted() {
  if (told_to_stop_.load(std::memory_order_acquire) || finished_.load(std::memory_order_acquire))
    quit(caf::exit_reason::user_shutdown);
  return getf(is_shutting_down_flag) && finalize();
}

void resident::on_exit() {
  if (std::exchange(has_ended_, true)) return;
  try {
    on_stop();
  } catch (const std::exception& problem) {
    home_.log().line(log_level::error, name(), problem.what());
  }
  if (alarm_ != nullptr) home_.post([last = std::move(alarm_)] { last->cancel(); });
  if (is_counted_) census_->ended(*this);
}

caf::behavior resident::make_behavior() {
  return {[](caf::unit_t) {}}; // an actor without a behaviour would be over
}

void resident::set_alarm() {
  auto& asked = alarm_->asked_for;
  if (asked <= own_clock_->now()) asked = time_point::max(); // went off
  const auto next = own_clock_->next_look();
  if (next >= asked) return;
  asked = next;
  home_.post([wanted = alarm_, next] { wanted->set(next); });
}

} // namespace troupe::runtime
