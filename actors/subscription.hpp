// subscription: an interest in topics that ends with its object.
//
// Lives here: subscription, message_handler (whatever can be called with a message).
// Holds:   the handler is called with messages of one subscription in the order in which they came,
//          one at a time; never again once unsubscribe() has completed or, at home, once the object is
//          gone. A subscription may outlive its client and then does nothing.
// Threads: the object may be used on any thread, one at a time; the handler runs where
//          subscribe_options::run_on says.
// Errors:  in the outcomes. A handler's exceptions are caught and counted.
#pragma once

#include "cancellation.hpp"
#include "message.hpp"
#include "pending.hpp"
#include "refusal.hpp"

#include <boost/asio/async_result.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace troupe {

/// Owns a handler; movable only, so that handlers need not be copyable.
class message_handler {
public:
  template <class Handler>
    requires(std::invocable<std::decay_t<Handler>&,
                            const message&> && !std::same_as<std::decay_t<Handler>, message_handler>)
  message_handler(Handler&& handler)
      : body_{std::make_unique<body<std::decay_t<Handler>>>(std::forward<Handler>(handler))} {}

  void operator()(const message& m) { body_->call(m); }

private:
  struct face {
    virtual ~face() = default;
    virtual void call(const message&) = 0;
  };
  template <class Handler>
  struct body final : face {
    explicit body(Handler h) : handler{std::move(h)} {}
    void call(const message& m) override { static_cast<void>(handler(m)); }
    Handler handler;
  };
  std::unique_ptr<face> body_;
};

namespace actors {
class subscription_link;
/// The client's; gone: the client is.
std::weak_ptr<client_core> core_of(const std::shared_ptr<subscription_link>& link) noexcept;
void start_granted(const std::shared_ptr<subscription_link>& link, waiter* who);
pending<outcome> start_granted(const std::shared_ptr<subscription_link>& link);
void start_unsubscribe(const std::shared_ptr<subscription_link>& link, waiter* who);
pending<outcome> start_unsubscribe(const std::shared_ptr<subscription_link>& link);
} // namespace actors

/// What happened to a subscription's messages so far.
struct subscription_statistics {
  std::uint64_t delivered = 0;        // handler calls that returned
  std::uint64_t dropped = 0;          // by the overflow policy
  std::uint64_t handler_failures = 0; // handler calls that threw
};

class [[nodiscard("the subscription ends with this object")]] subscription {
public:
  subscription() noexcept = default;
  /// For rooms of this library.
  explicit subscription(std::shared_ptr<actors::subscription_link> link) noexcept;
  subscription(subscription &&) noexcept;
  subscription& operator=(subscription&&) noexcept;
  /// Ends the subscription without waiting.
  ~subscription();

  /// How the broker answered: reason() is the granted quality of service, or a refusal.
  pending<outcome> granted() const { return actors::start_granted(link_); }
  template <class Token>
  auto granted(Token && token) const {
    return boost::asio::async_initiate<Token, void(outcome)>(
        [](auto handler, const std::shared_ptr<actors::subscription_link>& link) {
          actors::start_granted(link, actors::cancellable_waiter(actors::core_of(link), std::move(handler)));
        },
        token, link_);
  }
  /// Ends the subscription at the broker. The handler is not called after completion.
  pending<outcome> unsubscribe() { return actors::start_unsubscribe(link_); }
  template <class Token>
  auto unsubscribe(Token && token) {
    return boost::asio::async_initiate<Token, void(outcome)>(
        [](auto handler, const std::shared_ptr<actors::subscription_link>& link) {
          actors::start_unsubscribe(link,
                                    actors::cancellable_waiter(actors::core_of(link), std::move(handler)));
        },
        token, link_);
  }
  /// Lets the subscription live as long as its client.
  void detach() noexcept;
  bool valid() const noexcept { return link_ != nullptr; }
  subscription_statistics statistics() const noexcept;

private:
  void end() noexcept;

  std::shared_ptr<actors::subscription_link> link_;
};

} // namespace troupe
