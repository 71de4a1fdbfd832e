// message_stream: a subscription whose messages are fetched instead of handed to a handler.
//
// Lives here: message_stream.
// Holds:   messages in the order of the subscription; the queue has the bound and the policy of
//          subscribe_options (with overflow::block the connection stops reading when nobody fetches, and
//          a thread of the subscription waits). The stream goes on over lost connections; it ends with
//          its object or close(); after that what lies in the queue may still be fetched.
// Threads: one at a time, but for close(), which is for everybody.
// Errors:  no message means the end. next() on a worker never waits: it answers what is there.
// Costs:   a lock per message.
//
//     for (auto m = stream.next(); m; m = stream.next()) ...
//     while (auto m = co_await stream.next(boost::asio::use_awaitable)) ...
#pragma once

#include "client.hpp"
#include "postbox.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace troupe {

namespace actors {

/// Somebody who waits for the next message without a thread.
class message_waiter {
public:
  virtual ~message_waiter() = default;
  /// Posts the handler to its executor.
  virtual void complete(std::optional<message> next) = 0;
};

/// What stream and subscription share: the box, and who waits for it.
class stream_core {
public:
  stream_core(std::size_t limit, overflow policy);
  postbox& box() noexcept { return *box_; }
  std::shared_ptr<postbox> shared_box() const noexcept { return box_; }
  void wait(std::unique_ptr<message_waiter> who);
  void close() noexcept;

private:
  struct bench {
    std::mutex mutex;
    std::unique_ptr<message_waiter> who; // under mutex
  };
  static void serve(postbox& box, bench& seats);

  std::shared_ptr<postbox> box_;
  std::shared_ptr<bench> bench_;
};

template <class Handler, class Executor>
class message_handler_waiter final : public message_waiter {
public:
  message_handler_waiter(Handler handler, const Executor& fallback)
      : guard_{boost::asio::get_associated_executor(handler, fallback)}, handler_{std::move(handler)} {}
  void complete(std::optional<message> next) override {
    boost::asio::post(guard_.get_executor(),
                      [handler = std::move(handler_), next = std::move(next)]() mutable {
                        std::move(handler)(std::move(next));
                      });
  }

private:
  using executor = boost::asio::associated_executor_t<Handler, Executor>;
  boost::asio::executor_work_guard<executor> guard_;
  Handler handler_;
};

} // namespace actors

class message_stream {
public:
  message_stream(client& whose, std::string_view filter, qos maximum, subscribe_options options = {});
  message_stream(message_stream&&) noexcept = default;
  message_stream& operator=(message_stream&&) = delete;
  ~message_stream();

  pending<outcome> granted() const { return source_.granted(); }

  /// Waits for the next message; none: the stream has ended.
  std::optional<message> next();
  /// None: the stream has ended, or nothing came in this time.
  std::optional<message> next_for(std::chrono::nanoseconds time);
  std::optional<message> try_next() { return core_->box().take_one(); }
  /// Signature void(std::optional<message>). A handler without an executor of its own runs on Asio's
  /// system executor. One at a time may wait.
  template <class Token>
  auto next(Token&& token) {
    return boost::asio::async_initiate<Token, void(std::optional<message>)>(
        [core = core_](auto handler) {
          using waiter = actors::message_handler_waiter<decltype(handler), boost::asio::system_executor>;
          core->wait(std::make_unique<waiter>(std::move(handler), boost::asio::system_executor{}));
        },
        token);
  }
  /// Ends the stream and its subscription; whoever waits is answered.
  void close() noexcept { core_->close(); }
  std::size_t waiting() const { return core_->box().size(); }
  std::uint64_t dropped() const { return core_->box().dropped(); }

private:
  std::shared_ptr<actors::stream_core> core_;
  subscription source_;
};

} // namespace troupe
