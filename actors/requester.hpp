// requester: request and response over MQTT 5.0, by one reply subscription.
//
// Lives here: requester (asks), reply (one answer), responder (answers).
// Holds:   one reply topic and one subscription for all requests of a requester; each request bears its
//          correlation data, by which its reply is found. Every request is answered once: by the reply,
//          by the failure of its publish, by its time-out, or when the requester ends. A stream of replies
//          ends with an empty reply, after silence, or with the requester.
// Threads: ask: anybody. Handlers run on the client's home worker and must not block; time-outs are
//          looked at by the requester's own thread.
// Errors:  std::errc::timed_out, errc::closed, or what ended the publish.
// Costs:   a lock and an allocation per request.
#pragma once

#include "client.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace troupe {

/// An answer: a message, or why there is none.
struct reply {
  std::optional<message> what{};
  std::error_code error{};
  bool ok() const noexcept { return what.has_value(); }
};
using reply_handler = std::function<void(const reply&)>;

struct request_options {
  qos quality = qos::at_least_once;
  std::chrono::milliseconds timeout{30'000}; // of a stream: the longest silence
  protocol::property_block properties{};     // content type, user properties
};

struct requester_options {
  /// Where replies are to go; empty: "replies/" and a name by chance.
  std::string reply_topic{};
  std::size_t most_open = 64 * 1024; // requests that wait for their reply
};

class requester {
public:
  explicit requester(client& whose, requester_options options = {});
  requester(requester&&) noexcept;
  requester& operator=(requester&&) = delete;
  ~requester();

  /// `handler` is called once.
  void ask(std::string_view topic, payload_view payload, reply_handler handler, request_options options = {});
  /// Waits for the reply; on a worker it does not: errc::would_deadlock.
  reply ask(std::string_view topic, payload_view payload, request_options options = {});
  /// `handler` is called with every reply, and at last once without a message: error() is empty when the
  /// responder said the end.
  void ask_many(std::string_view topic, payload_view payload, reply_handler handler,
                request_options options = {});

  const std::string& reply_topic() const noexcept;
  pending<outcome> ready() const;
  std::size_t open() const;

private:
  class desk;
  std::shared_ptr<desk> desk_;
};

/// What a responder's handler answers with: `send` any number of times, `end` once for streams.
class response {
public:
  response(client& whose, const message& request, qos quality) noexcept
      : client_{whose}, request_{request}, quality_{quality} {}
  /// False: the request named no place for replies.
  bool send(payload_view payload) const;
  /// The end of a stream of replies.
  bool end() const { return send(std::string_view{}); }

private:
  client& client_;
  const message& request_;
  qos quality_;
};

/// Answers requests to `filter`: `handler(const message& request, const response& answer)`.
template <class Handler>
subscription respond(client& whose, std::string_view filter, qos quality, Handler handler) {
  return whose.subscribe(filter, quality,
                         [&whose, quality, handler = std::move(handler)](const message& m) mutable {
                           handler(m, response{whose, m, quality});
                         });
}

} // namespace troupe
