// client_mail: what CAF actors and a client_actor say to each other.
//
//     actor --publish, subscribe, unsubscribe, connect, ...--> client_actor   (requests: answered once)
//     actor --credit-----------------------------------------> client_actor
//     actor <--messages, state_changed------------------------ client_actor
//
// Lives here: the messages, their type ids, errors in CAF's terms, add_client_mail().
// Holds:   every type is inspectable and comparable, owns what it says, and may cross the network of CAF,
//          where messages travel as octets; within one process they share the receive buffer. The block
//          of type ids begins at TROUPE_FIRST_TYPE_ID (1000), and has room for 100.
// Errors:  the broker's refusals are answers (`ended`, `subscribed`) with their reason code. What goes
//          wrong on our side is a caf::error of the category client_error, its code that of
//          protocol::errc, or of system_error, with the text as context.
#pragma once

#include "client_state.hpp"
#include "message.hpp"
#include "outcome.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#ifndef TROUPE_FIRST_TYPE_ID
#define TROUPE_FIRST_TYPE_ID 1000
#endif

namespace troupe::mail {

/// Answered with `ended` when it was acknowledged (QoS 0: sent). A full client answers
/// errc::backpressure at once; nothing of it waits in a mailbox.
struct publish {
  std::string topic{};
  std::string payload{};
  qos quality = qos::at_most_once;
  bool retain = false;
  protocol::property_block properties{};
};

/// How a request ended.
struct ended {
  reason_code reason = reason_code::success;
  initiator by = initiator::library;
  bool ok() const noexcept { return static_cast<std::uint8_t>(reason) < 0x80; }
};

/// Answered with `subscribed` once the broker has granted it. The receiver is sent `messages` within the
/// credit it has given. When it dies, the subscription ends.
struct subscribe {
  std::string filter{};
  qos maximum = qos::at_most_once;
  std::uint32_t credit = 0;
  caf::actor receiver{}; // none: whoever asked
  std::uint32_t queue_items = 1024;
  /// What happens to messages that come without credit to a full queue: 0 the connection stops reading
  /// (a thread of its own waits), 1 the oldest is dropped, 2 the newest.
  std::uint8_t when_full = 0;
};
struct subscribed {
  std::uint64_t subscription = 0;
  reason_code reason = reason_code::success; // the granted quality, or a refusal
  bool ok() const noexcept { return static_cast<std::uint8_t>(reason) < 0x80; }
};
/// Answered with `ended`.
struct unsubscribe {
  std::uint64_t subscription = 0;
};
/// So many messages more may be sent to the receiver of a subscription.
struct credit {
  std::uint64_t subscription = 0;
  std::uint32_t more = 0;
};
/// A portion of a subscription's messages, in their order.
struct messages {
  std::uint64_t subscription = 0;
  std::vector<message> list{};
};

/// Answered with `ended` when the client is connected.
struct wait_connected {};
/// Starts again after an end or a fault; answered as wait_connected.
struct connect {};
/// Ends the connection in order; answered with `ended` when it is gone.
struct disconnect {};
/// From now on the sender is told how the client fares; the first `state_changed` comes at once.
struct watch {};
struct state_changed {
  client_state state = client_state::connecting;
  std::string why{}; // why the last connection or attempt failed, if one did
};

/// A message as octets, for other machines.
struct flat_message {
  std::string topic{};
  std::string payload{};
  std::string properties{};
  std::uint8_t flags = 0; // quality, retained, duplicate
};
std::vector<flat_message> flatten(const std::vector<message>& list);
std::vector<message> raise(const std::vector<flat_message>& list);
std::string as_text(const protocol::property_block& properties);
/// Octets that are no properties of a PUBLISH make an empty block.
protocol::property_block as_properties(const std::string& octets);

constexpr caf::atom_value client_error = caf::atom("mqtt");
constexpr caf::atom_value system_error = caf::atom("mqtt_sys");
caf::error as_error(std::error_code error);
/// `ended`, or the error of an outcome that has one.
bool is_answer(const outcome& how) noexcept;

// -- inspection -----------------------------------------------------------------------------

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, flat_message& x) {
  return f(caf::meta::type_name("troupe::mail::flat_message"), x.topic, x.payload, x.properties, x.flags);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, publish& x) {
  std::string properties = as_text(x.properties);
  return f(caf::meta::type_name("troupe::mail::publish"), x.topic, x.payload, x.quality, x.retain, properties,
           caf::meta::load_callback([&]() -> caf::error {
             x.properties = as_properties(properties);
             return caf::none;
           }));
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ended& x) {
  return f(caf::meta::type_name("troupe::mail::ended"), x.reason, x.by);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, subscribe& x) {
  return f(caf::meta::type_name("troupe::mail::subscribe"), x.filter, x.maximum, x.credit, x.receiver,
           x.queue_items, x.when_full);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, subscribed& x) {
  return f(caf::meta::type_name("troupe::mail::subscribed"), x.subscription, x.reason);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, unsubscribe& x) {
  return f(caf::meta::type_name("troupe::mail::unsubscribe"), x.subscription);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, credit& x) {
  return f(caf::meta::type_name("troupe::mail::credit"), x.subscription, x.more);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, messages& x) {
  std::vector<flat_message> list = flatten(x.list);
  return f(caf::meta::type_name("troupe::mail::messages"), x.subscription, list,
           caf::meta::load_callback([&]() -> caf::error {
             x.list = raise(list);
             return caf::none;
           }));
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, wait_connected&) {
  return f(caf::meta::type_name("troupe::mail::wait_connected"));
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, connect&) {
  return f(caf::meta::type_name("troupe::mail::connect"));
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, disconnect&) {
  return f(caf::meta::type_name("troupe::mail::disconnect"));
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, watch&) {
  return f(caf::meta::type_name("troupe::mail::watch"));
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, state_changed& x) {
  return f(caf::meta::type_name("troupe::mail::state_changed"), x.state, x.why);
}

} // namespace troupe::mail

CAF_BEGIN_TYPE_ID_BLOCK(troupe, TROUPE_FIRST_TYPE_ID)
CAF_ADD_TYPE_ID(troupe, (troupe::mail::flat_message))
CAF_ADD_TYPE_ID(troupe, (troupe::mail::publish))
CAF_ADD_TYPE_ID(troupe, (troupe::mail::ended))
CAF_ADD_TYPE_ID(troupe, (troupe::mail::subscribe))
CAF_ADD_TYPE_ID(troupe, (troupe::mail::subscribed))
CAF_ADD_TYPE_ID(troupe, (troupe::mail::unsubscribe))
CAF_ADD_TYPE_ID(troupe, (troupe::mail::credit))
CAF_ADD_TYPE_ID(troupe, (troupe::mail::messages))
CAF_ADD_TYPE_ID(troupe, (troupe::mail::wait_connected))
CAF_ADD_TYPE_ID(troupe, (troupe::mail::connect))
CAF_ADD_TYPE_ID(troupe, (troupe::mail::disconnect))
CAF_ADD_TYPE_ID(troupe, (troupe::mail::watch))
CAF_ADD_TYPE_ID(troupe, (troupe::mail::state_changed))
CAF_END_TYPE_ID_BLOCK(troupe)

namespace troupe::mail {

/// For systems whose actors on other machines use a client, and for readable errors: to be called
/// before the system starts.
void add_client_mail(caf::actor_system_config& config);

} // namespace troupe::mail
