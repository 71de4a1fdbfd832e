// client: the front door.
//
// Lives here: client, client_state, client_statistics; no CAF type.
// Holds:   wire order is call order. Construction never fails or blocks: bad settings become state
//          faulted and every outcome's error. The client dials by itself and comes back by itself; a
//          publish before the connection is up is queued. Every operation ends once. The destructor
//          ends the connection in order, waiting no longer than disconnect_timeout.
// Threads: every member may be called from any thread, also from handlers; destroy the client outside
//          of its handlers.
// Units:   durations are std::chrono; sizes in octets.
// Errors:  in the outcome of each operation; client::make answers bad settings as a result.
// Costs:   publish: one ticket, one copy of topic and payload into a pooled slab, one mailbox push; no
//          allocation, no lock in the steady state.
//
// Every operation's signature is void(outcome) and takes any completion token: a callback,
// boost::asio::use_future, use_awaitable, deferred. A handler completes on its associated executor,
// else on the client's home worker. Without a token the operation answers a pending<outcome>. A handler
// with a connected cancellation slot may stop waiting: cancellation.hpp.
#pragma once

#include "cancellation.hpp"
#include "client_hooks.hpp"
#include "client_options.hpp"
#include "client_state.hpp"
#include "completion.hpp"
#include "message.hpp"
#include "outcome.hpp"
#include "payload_view.hpp"
#include "pending.hpp"
#include "state_watch.hpp"
#include "subscription.hpp"
#include "time_histogram.hpp"

#include "../protocol/result.hpp"
#include "../runtime/stage.hpp"

#include <boost/asio/async_result.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

namespace troupe {

struct client_statistics {
  std::uint64_t connections = 0; // CONNACKs with success
  std::uint64_t resumed = 0;     // of these, with the session that the broker had kept
  std::uint64_t failed_attempts = 0;
  std::uint64_t published = 0;        // publishes that ended well
  std::uint64_t publish_failures = 0; // publishes that ended otherwise
  std::uint64_t received = 0;         // messages that arrived
  std::uint64_t unrouted = 0;         // of these, wanted by no subscription
  std::uint64_t dropped = 0;          // by overflow policies
  std::uint64_t handler_failures = 0; // handlers and callbacks that threw
  std::uint64_t attempts = 0;         // dials
  std::uint64_t transitions = 0;      // from one state to another
  std::uint64_t batches = 0;          // reads that brought packets
  std::uint64_t redirects = 0;        // to brokers that another one named
};

/// What waits where, at this moment.
struct client_depths {
  std::size_t in_flight = 0; // publishes at QoS 1 and 2 on their way
  std::size_t queued = 0;    // publishes that wait for a connection or for the window
  std::size_t requests = 0;  // not yet looked at by the session
  std::size_t session_mails = 0;
  std::size_t supervisor_mails = 0;
  std::size_t dispatcher_mails = 0;
};

/// How long the connections took, from dialling to the end of the subscriptions' renewal, and publishes at
/// QoS 1 and 2 from the session's hand to their end (of one at a time, so that it costs nothing).
struct client_times {
  time_histogram connecting{};
  time_histogram publishing{};
};

namespace actors {

class client_core;

/// What one publish is, before it is copied.
struct publish_request {
  std::string_view topic;
  protocol::octets payload;
  protocol::properties_view properties;
  qos quality;
  bool retain;
};

/// A place for a waiter of the given size in the record of a publish; null when the request was
/// refused, and then `refusal` says why.
struct publish_place {
  void* storage = nullptr;
  void* record = nullptr;
  std::error_code refusal{};
};

pending<outcome> publish(client_core& core, const publish_request& request);
publish_place begin_publish(client_core& core, const publish_request& request, std::size_t waiter_size);
void finish_publish(client_core& core, publish_place place, waiter* who);
/// Answers a handler whose request never became one.
void refuse(client_core& core, std::error_code why, waiter* who);

pending<outcome> publish_many(client_core& core, std::span<const publication> messages);
void publish_many(client_core& core, std::span<const publication> messages, waiter* who);

/// For those who may outlive it.
std::weak_ptr<client_core> weakly(client_core& core) noexcept;

/// The rare operations.
enum class client_operation : std::uint8_t { connect, connected, ended, disconnect, abort, reauthenticate };
pending<outcome> start(client_core& core, client_operation what, const disconnect_options& how);
void start(client_core& core, client_operation what, const disconnect_options& how, waiter* who);
pending<outcome> unsubscribe(client_core& core, std::string_view filter);
void unsubscribe(client_core& core, std::string_view filter, waiter* who);

/// Completion tokens are everything that is not one of our option structs.
template <class Token>
concept token =
    !std::convertible_to<Token,
                         const publish_options&> && !std::convertible_to<Token, const disconnect_options&>;

} // namespace actors

class client {
public:
  explicit client(stage& where, client_options options = {});
  /// Answers what is wrong with the options instead of becoming faulted.
  static protocol::result<client> make(stage& where, client_options options);
  client(client&&) noexcept;
  client& operator=(client&&) noexcept;
  ~client();

  // -- publish ----------------------------------------------------------------
  pending<outcome> publish(std::string_view topic, payload_view payload, qos quality = qos::at_most_once,
                           const publish_options& options = {}) {
    return actors::publish(*core_, request(topic, payload, quality, options));
  }
  template <actors::token Token>
  auto publish(std::string_view topic, payload_view payload, qos quality, Token&& token) {
    return publish(topic, payload, quality, publish_options{}, std::forward<Token>(token));
  }
  /// With a lazy token (use_awaitable, deferred) topic, payload and properties must live until the
  /// operation is started; the client itself must, too.
  template <actors::token Token>
  auto publish(std::string_view topic, payload_view payload, qos quality, const publish_options& options,
               Token&& token) {
    return boost::asio::async_initiate<Token, void(outcome)>(
        [](auto handler, actors::client_core* core, const actors::publish_request& what) {
          publish_for(*core, what, std::move(handler));
        },
        token, core_.get(), request(topic, payload, quality, options));
  }

  /// Several at once: one push, one wake-up, one outcome (the first that is not ok, else success).
  pending<outcome> publish_many(std::span<const publication> messages) {
    return actors::publish_many(*core_, messages);
  }
  template <actors::token Token>
  auto publish_many(std::span<const publication> messages, Token&& token) {
    return boost::asio::async_initiate<Token, void(outcome)>(
        [](auto handler, actors::client_core* core, std::span<const publication> what) {
          actors::publish_many(*core, what, waiter_of(*core, std::move(handler)));
        },
        token, core_.get(), messages);
  }

  // -- subscribe ---------------------------------------------------------------
  /// The handler is called with every message whose topic matches `filter`. A subscription made while
  /// there is no connection is asked for when there is one.
  subscription subscribe(std::string_view filter, qos maximum, message_handler handler,
                         subscribe_options options = {});
  /// Ends every subscription of this client to `filter`.
  pending<outcome> unsubscribe(std::string_view filter) { return actors::unsubscribe(*core_, filter); }
  template <actors::token Token>
  auto unsubscribe(std::string_view filter, Token&& token) {
    return boost::asio::async_initiate<Token, void(outcome)>(
        [](auto handler, actors::client_core* core, std::string_view what) {
          actors::unsubscribe(*core, what, waiter_of(*core, std::move(handler)));
        },
        token, core_.get(), filter);
  }

  // -- connection --------------------------------------------------------------
  /// Completes when the client is connected, faulted or disconnected.
  pending<outcome> connected() { return operate(actors::client_operation::connected); }
  template <actors::token Token>
  auto connected(Token&& token) {
    return operate(actors::client_operation::connected, {}, std::forward<Token>(token));
  }
  /// Starts again after disconnect() or a fault; completes like connected().
  pending<outcome> connect() { return operate(actors::client_operation::connect); }
  template <actors::token Token>
  auto connect(Token&& token) {
    return operate(actors::client_operation::connect, {}, std::forward<Token>(token));
  }
  /// Sends what was asked for before, then DISCONNECT, then closes; completes when the connection is
  /// gone, at the latest after disconnect_timeout. Nothing dials again until connect().
  pending<outcome> disconnect(const disconnect_options& options = {}) {
    return operate(actors::client_operation::disconnect, options);
  }
  template <actors::token Token>
  auto disconnect(Token&& token) {
    return operate(actors::client_operation::disconnect, {}, std::forward<Token>(token));
  }
  template <actors::token Token>
  auto disconnect(const disconnect_options& options, Token&& token) {
    return operate(actors::client_operation::disconnect, options, std::forward<Token>(token));
  }

  /// Closes the connection without a word, so that the broker says our will; what is unfinished ends
  /// with errc::closed. Nothing dials again until connect().
  pending<outcome> abort() { return operate(actors::client_operation::abort); }
  template <class Token>
  auto abort(Token&& token) {
    return operate(actors::client_operation::abort, {}, std::forward<Token>(token));
  }
  /// Completes when the client is disconnected or faulted, with the reason; at once when it is.
  pending<outcome> ended() { return operate(actors::client_operation::ended); }
  template <class Token>
  auto ended(Token&& token) {
    return operate(actors::client_operation::ended, {}, std::forward<Token>(token));
  }

  /// Authenticates again on the present connection, by the steps of client_hooks::on_auth (5.0).
  pending<outcome> reauthenticate() { return operate(actors::client_operation::reauthenticate); }
  template <class Token>
  auto reauthenticate(Token&& token) {
    return operate(actors::client_operation::reauthenticate, {}, std::forward<Token>(token));
  }

  client_state state() const noexcept;
  /// What the broker said that it takes, on the last connection.
  broker_capabilities capabilities() const;
  /// Tells `handler` the present state at once, and every change as long as the answer lives.
  state_watch watch(state_handler handler);
  /// Why the last connection ended or the last attempt failed; none: neither happened.
  std::error_code last_error() const;
  client_statistics statistics() const noexcept;
  client_depths depths() const noexcept;
  client_times times() const noexcept;
  /// The inside, for rooms of this library.
  actors::client_core& inside() noexcept { return *core_; }

private:
  explicit client(std::shared_ptr<actors::client_core> core) noexcept;

  static actors::publish_request request(std::string_view topic, payload_view payload, qos quality,
                                         const publish_options& options) noexcept {
    return {topic, payload.bytes(), options.properties, quality, options.retain};
  }
  template <class Handler>
  static void publish_for(actors::client_core& core, const actors::publish_request& what, Handler handler) {
    if (auto body = actors::make_cancellable(actors::weakly(core), handler))
      return publish_cancellably(core, what, std::move(body));
    using type = actors::handler_waiter<Handler, actors::waiter_home::placed>;
    static_assert(alignof(type) <= alignof(std::max_align_t));
    static_assert(sizeof(type) < 60'000, "a completion handler of this size belongs on the heap");
    const auto place = actors::begin_publish(core, what, sizeof(type));
    if (place.storage == nullptr)
      return actors::refuse(core, place.refusal, actors::new_waiter(std::move(handler)));
    actors::finish_publish(core, place, ::new (place.storage) type(std::move(handler)));
  }
  static void publish_cancellably(actors::client_core& core, const actors::publish_request& what,
                                  std::shared_ptr<actors::cancellable> body) {
    using type = actors::handler_waiter<actors::cancellable_call, actors::waiter_home::placed>;
    const auto place = actors::begin_publish(core, what, sizeof(type));
    if (place.storage == nullptr)
      return actors::refuse(core, place.refusal,
                            actors::new_waiter(actors::cancellable_call{std::move(body)}));
    body->record.store(place.record, std::memory_order_relaxed);
    actors::finish_publish(core, place,
                           ::new (place.storage) type(actors::cancellable_call{std::move(body)}));
  }
  template <class Handler>
  static actors::waiter* waiter_of(actors::client_core& core, Handler handler) {
    return actors::cancellable_waiter(actors::weakly(core), std::move(handler));
  }
  pending<outcome> operate(actors::client_operation what, const disconnect_options& how = {}) {
    return actors::start(*core_, what, how);
  }
  template <class Token>
  auto operate(actors::client_operation what, const disconnect_options& how, Token&& token) {
    return boost::asio::async_initiate<Token, void(outcome)>(
        [](auto handler, actors::client_core* core, actors::client_operation operation,
           const disconnect_options& end) {
          actors::start(*core, operation, end, waiter_of(*core, std::move(handler)));
        },
        token, core_.get(), what, how);
  }

  std::shared_ptr<actors::client_core> core_;
};

} // namespace troupe
