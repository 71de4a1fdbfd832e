// message_stream: a subscription whose messages are fetched instead of handed to a handler.
//
// Lives here: message_stream.
// Holds:   messages in the order of the subscription; the queue has the bound and the policy of
//          subscribe_options (with overflow::block the connection stops reading when nobody fetches, and
//          a thread of the subscription waits). The stream goes on over lost connections; it ends with
//          its object or close(); after that what lies in the queue may still be fetched.
// Threads: one at a time, but for close() and cancel(), which are for everybody.
// Errors:  next(): no message means the end, or that the wait was cancelled. fetch() says which: errc::closed,
//          errc::cancelled. A cancelled wait takes no message: it is there for the next one. On a worker
//          neither waits: next() answers what is there, fetch() errc::would_deadlock if there is nothing.
// Costs:   a lock per message.
//
//     for (auto m = stream.next(); m; m = stream.next()) ...
//     while (auto m = co_await stream.next(boost::asio::use_awaitable)) ...
#pragma once

#include "client.hpp"
#include "postbox.hpp"

#include "../protocol/result.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <utility>

namespace troupe {

namespace actors {

/// Somebody who waits for the next message without a thread.
class message_waiter {
public:
  virtual ~message_waiter() = default;
  /// Posts the handler to its executor.
  virtual void complete(protocol::result<message> next) = 0;
};

/// What stream and subscription share: the box, and who waits for it.
class stream_core {
public:
  stream_core(std::size_t limit, overflow policy);
  postbox& box() noexcept { return *box_; }
  std::shared_ptr<postbox> shared_box() const noexcept { return box_; }
  /// A number for the next wait.
  std::uint64_t next_number() noexcept { return numbers_.fetch_add(1, std::memory_order_relaxed) + 1; }
  void wait(std::unique_ptr<message_waiter> who, std::uint64_t number);
  /// Ends the wait of this number, if it is under way.
  void cancel(std::uint64_t number) noexcept;
  /// Ends whatever wait is under way, or the next one.
  void cancel() noexcept;
  void close() noexcept;

private:
  struct bench {
    std::mutex mutex;
    std::unique_ptr<message_waiter> who; // under mutex, as below
    std::uint64_t number = 0;
  };
  static void serve(postbox& box, bench& seats);

  std::shared_ptr<postbox> box_;
  std::shared_ptr<bench> bench_;
  std::atomic<std::uint64_t> numbers_{0}; // of waits; anybody who begins one
};

/// Lies in an Asio cancellation slot.
struct wait_canceller {
  std::weak_ptr<stream_core> core;
  std::uint64_t number;
  void operator()(boost::asio::cancellation_type) const {
    if (const auto here = core.lock()) here->cancel(number);
  }
};

/// `Answer`: what the handler is called with, an optional or a result.
template <class Answer, class Handler, class Executor>
class message_handler_waiter final : public message_waiter {
public:
  message_handler_waiter(Handler handler, const Executor& fallback)
      : guard_{boost::asio::get_associated_executor(handler, fallback)}, handler_{std::move(handler)} {}
  void complete(protocol::result<message> next) override {
    boost::asio::post(guard_.get_executor(),
                      [handler = std::move(handler_), next = as_answer(std::move(next))]() mutable {
                        std::move(handler)(std::move(next));
                      });
  }

private:
  static Answer as_answer(protocol::result<message> next) {
    if constexpr (std::is_same_v<Answer, protocol::result<message>>)
      return next;
    else
      return next ? Answer{*std::move(next)} : Answer{};
  }

  using executor = boost::asio::associated_executor_t<Handler, Executor>;
  boost::asio::executor_work_guard<executor> guard_;
  Handler handler_;
};

template <class Answer, class Handler>
void begin_wait(const std::shared_ptr<stream_core>& core, Handler handler) {
  using fallback = boost::asio::system_executor;
  using type = message_handler_waiter<Answer, Handler, fallback>;
  const std::uint64_t number = core->next_number();
  if (auto slot = boost::asio::get_associated_cancellation_slot(handler); slot.is_connected())
    slot.assign(wait_canceller{core, number});
  core->wait(std::make_unique<type>(std::move(handler), fallback{}), number);
}

} // namespace actors

class message_stream {
public:
  message_stream(client& whose, std::string_view filter, qos maximum, subscribe_options options = {});
  message_stream(message_stream&&) noexcept = default;
  message_stream& operator=(message_stream&&) = delete;
  ~message_stream();

  pending<outcome> granted() const { return source_.granted(); }

  /// Waits for the next message; none: the stream has ended, or the wait.
  std::optional<message> next();
  /// None: the same, or nothing came in this time.
  std::optional<message> next_for(std::chrono::nanoseconds time);
  std::optional<message> try_next() { return core_->box().take_one(); }
  /// Signature void(std::optional<message>). A handler without an executor of its own runs on Asio's
  /// system executor. One at a time may wait. A connected cancellation slot ends the wait.
  template <class Token>
  auto next(Token&& token) {
    return initiate<std::optional<message>>(std::forward<Token>(token));
  }
  /// Waits for the next message, or the reason why there will be none; a requested stop ends the wait.
  protocol::result<message> fetch(std::stop_token stop = {});
  /// As next(token), with the signature void(protocol::result<message>).
  template <class Token>
  auto fetch(Token&& token) {
    return initiate<protocol::result<message>>(std::forward<Token>(token));
  }
  /// Ends the wait that is under way, of whatever form, or the next one when there is none.
  void cancel() noexcept { core_->cancel(); }
  /// Ends the stream and its subscription; whoever waits is answered.
  void close() noexcept { core_->close(); }
  std::size_t waiting() const { return core_->box().size(); }
  std::uint64_t dropped() const { return core_->box().dropped(); }

private:
  template <class Answer, class Token>
  auto initiate(Token&& token) {
    return boost::asio::async_initiate<Token, void(Answer)>(
        [core = core_](auto handler) { actors::begin_wait<Answer>(core, std::move(handler)); }, token);
  }

  std::shared_ptr<actors::stream_core> core_;
  subscription source_;
};

} // namespace troupe
