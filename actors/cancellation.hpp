// cancellation: how somebody who left a handler stops waiting.
//
// Lives here: cancellable (one operation whose handler may be called early), canceller (what lies in an
//          Asio cancellation slot), cancellable_waiter().
// Holds:   the handler is called once: with the operation's end, or with errc::cancelled by the user.
//          A publish that has not been sent is withdrawn; one that has been goes on without its asker, and
//          its acknowledgement is harmless.
// Threads: a signal is emitted by one thread at a time, after the call that began the operation has
//          returned; the handler runs where it always does.
// Costs:   an allocation per operation whose slot is connected; nothing for all others.
#pragma once

#include "completion.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>

#include <atomic>
#include <memory>
#include <utility>

namespace troupe::actors {

class client_core;

class cancellable {
public:
  cancellable() = default;
  cancellable(const cancellable&) = delete;
  cancellable& operator=(const cancellable&) = delete;
  virtual ~cancellable() = default;

  /// Calls the handler unless that has been done; throws what it throws.
  virtual void end(const outcome& how) = 0;

  /// The record of a publish, while the session may be asked to withdraw it; null for all else. Written
  /// by the asker before the record is pushed, cleared by whoever ends it.
  std::atomic<void*> record{nullptr};
};

template <class Handler>
class cancellable_handler final : public cancellable {
public:
  explicit cancellable_handler(Handler&& handler)
      : hold_{handler_home<Handler>::of(handler)}, handler_{std::move(handler)} {}

  void end(const outcome& how) override {
    if (is_over_.exchange(true, std::memory_order_acq_rel)) return;
    handler_home<Handler>::call(std::move(handler_), std::move(hold_), how);
  }

private:
  std::atomic<bool> is_over_{false};
  [[no_unique_address]] typename handler_home<Handler>::hold hold_;
  Handler handler_;
};

/// Stands in the operation for the handler of its cancellable.
struct cancellable_call {
  std::shared_ptr<cancellable> body;
  void operator()(const outcome& how) const {
    body->record.store(nullptr, std::memory_order_relaxed);
    body->end(how);
  }
};

class canceller {
public:
  canceller(std::weak_ptr<client_core> core, const std::shared_ptr<cancellable>& what) noexcept
      : core_{std::move(core)}, what_{what} {}
  void operator()(boost::asio::cancellation_type) const;

private:
  std::weak_ptr<client_core> core_; // gone: everything has been answered
  std::weak_ptr<cancellable> what_;
};

/// Null when nobody can cancel: `handler` is left alone then.
template <class Handler>
std::shared_ptr<cancellable> make_cancellable(const std::weak_ptr<client_core>& core, Handler& handler) {
  auto slot = boost::asio::get_associated_cancellation_slot(handler);
  if (!slot.is_connected()) return nullptr;
  auto body = std::make_shared<cancellable_handler<Handler>>(std::move(handler));
  slot.assign(canceller{core, body});
  return body;
}

/// As new_waiter(), cancellable where the handler's slot says so.
template <class Handler>
waiter* cancellable_waiter(const std::weak_ptr<client_core>& core, Handler handler) {
  if (auto body = make_cancellable(core, handler)) return new_waiter(cancellable_call{std::move(body)});
  return new_waiter(std::move(handler));
}

} // namespace troupe::actors
