// subscription_link: what the subscription in the user's hand and the actors behind it share.
//
// Lives here: subscription_link; who may see which part of it.
// Holds:   lives as long as the user's object or an actor knows it. The handler is destroyed with it.
// Threads: constants by everybody; `gate` as its door says; counters are written by the subscriber's
//          threads; the handler is used by them, inside the gate.
#pragma once

#include "client_options.hpp"
#include "handler_gate.hpp"
#include "subscription.hpp"

#include "../runtime/counters.hpp"

#include <atomic>
#include <memory>
#include <string>

namespace troupe::actors {

class client_core;

class subscription_link {
public:
  subscription_link(std::string filter_text, qos maximum_quality, message_handler what_to_call,
                    subscribe_options how, std::weak_ptr<client_core> front)
      : filter{std::move(filter_text)},
        maximum{maximum_quality},
        options{std::move(how)},
        core{std::move(front)},
        handler{std::move(what_to_call)} {}

  const std::string filter;
  const qos maximum;
  const subscribe_options options;
  const std::weak_ptr<client_core> core; // gone: the client is

  outcome answer{}; // the session's: how the broker answered last

  handler_gate gate;
  message_handler handler;
  std::atomic<std::size_t> queued{0}; // messages: added by the dispatcher, subtracted by the subscriber
  std::atomic<std::size_t> skip{0};   // of the oldest: added by the dispatcher, subtracted by the subscriber
  runtime::tally delivered;
  runtime::tally dropped; // also by the dispatcher
  runtime::tally failures;
};

using link_ref = std::shared_ptr<subscription_link>;

} // namespace troupe::actors
