// completion: one answer to one asker who left a handler.
//
// Lives here: waiter (a type-erased handler), handler_waiter (the one template that knows the type).
// Holds:   a waiter is run once or dropped once, never both.
// Threads: built by the asker, run or dropped by the session. The handler itself runs on its
//          associated executor, or where run() was called when it has none.
// Errors:  a handler that throws on our worker is caught and reported by run(): the caller counts.
// Costs:   a publish's waiter lives in the request's own record, so nothing is allocated for a handler
//          without an executor of its own; that of a rare operation is allocated (new_waiter).
#pragma once

#include "outcome.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <new>
#include <type_traits>
#include <utility>

namespace troupe::actors {

/// Stands for "no executor of its own": the client's home worker.
struct at_home {};

class waiter {
public:
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  /// Runs the handler (false when it threw) and destroys this object.
  bool run(const outcome& how) noexcept { return end_(this, &how); }
  /// Destroys this object without running the handler.
  void drop() noexcept { end_(this, nullptr); }

protected:
  using end_function = bool (*)(waiter*, const outcome*) noexcept;
  explicit waiter(end_function end) noexcept : end_{end} {}
  ~waiter() = default;

private:
  end_function end_;
};

/// What is held open while a handler waits for its executor; nothing at home.
template <class Executor>
struct executor_hold {
  explicit executor_hold(const Executor& executor) : guard{executor} {}
  boost::asio::executor_work_guard<Executor> guard;
};
template <>
struct executor_hold<at_home> {
  explicit executor_hold(const at_home&) noexcept {}
};

/// Where a waiter lies: in storage of the caller, or in an allocation of its own.
enum class waiter_home : bool { placed, allocated };

/// Where a handler runs, and what is held open for it meanwhile.
template <class Handler>
struct handler_home {
  using association = boost::asio::associated_executor<Handler, at_home>;
  using executor = std::decay_t<typename association::type>;
  using hold = executor_hold<executor>;

  static executor of(const Handler& handler) { return association::get(handler, at_home{}); }
  static void call(Handler handler, hold open, const outcome& how) {
    if constexpr (std::is_same_v<executor, at_home>)
      std::move(handler)(how);
    else
      boost::asio::dispatch(open.guard.get_executor(), [handler = std::move(handler), how]() mutable {
        std::move(handler)(std::move(how));
      });
  }
};

template <class Handler, waiter_home Home>
class handler_waiter final : public waiter {
public:
  explicit handler_waiter(Handler&& handler)
      : waiter{&handler_waiter::end},
        hold_{handler_home<Handler>::of(handler)},
        handler_{std::move(handler)} {}

private:
  using executor_hold = typename handler_home<Handler>::hold;

  static bool end(waiter* self, const outcome* how) noexcept {
    auto* me = static_cast<handler_waiter*>(self);
    Handler handler{std::move(me->handler_)};
    executor_hold hold{std::move(me->hold_)};
    if constexpr (Home == waiter_home::allocated)
      delete me;
    else
      me->~handler_waiter();
    if (how == nullptr) return true;
    try {
      handler_home<Handler>::call(std::move(handler), std::move(hold), *how);
      return true;
    } catch (...) {
      return false;
    }
  }

  [[no_unique_address]] executor_hold hold_;
  Handler handler_;
};

/// For operations that are rare enough to allocate.
template <class Handler>
waiter* new_waiter(Handler&& handler) {
  using type = handler_waiter<std::decay_t<Handler>, waiter_home::allocated>;
  return new type(std::forward<Handler>(handler));
}

} // namespace troupe::actors
