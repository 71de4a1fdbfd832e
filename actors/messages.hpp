// messages: everything that the actors of one client say to each other.
//
//     doors --control_request, publish_record--> session <--session_mail-- connection, supervisor, subscribers
//     session --outbound_ref--> connection      session --dispatch_mail--> dispatcher --delivery--> subscriber
//     session, dialer --supervisor_mail--> supervisor
//
// Lives here: the items of the mailboxes, plain and movable.
// Holds:   what concerns one connection bears its number, since the session outlives connections.
#pragma once

#include "batch.hpp"
#include "cancellation.hpp"
#include "outbound.hpp"
#include "request.hpp"
#include "subscription_link.hpp"

#include "../protocol/action.hpp"
#include "../runtime/inlet.hpp"
#include "../runtime/resident.hpp"
#include "../runtime/ticket.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

namespace troupe::actors {

// -- doors -> session ---------------------------------------------------------------

/// A publish_record (owned by its slab) or a control_request (owned by the item).
struct request_item {
  user_request* what = nullptr;
};
using request_box = runtime::mailbox<runtime::ticketed<request_item>>;

enum class control : std::uint8_t {
  subscribe,  // link
  granted,    // link: how was it answered?
  end_link,   // link: unsubscribe
  end_filter, // filter: unsubscribe all links
  connect,    // start again
  connected,  // tell me when
  ended,      // tell me when it is over
  disconnect, // end_options
  abort,      // end without a word
  reauthenticate,
  cancel,    // cancelled: whose asker stops waiting
  withdraw,  // withdrawn: likewise
  make_room, // octets: end what waited longest for a connection
};

struct control_request : user_request {
  control_request(control what_to_do, asker asked_by) noexcept : operation{what_to_do} {
    who = asked_by;
    what = kind::control;
  }
  control operation;
  link_ref link{};
  std::string filter{};
  std::size_t octets = 0;
  std::shared_ptr<cancellable> cancelled{};
  cell withdrawn{};
  disconnect_options end_options{};
};

// -- connection, supervisor, subscribers -> session ---------------------------------

/// What session and connection tell each other without a message.
struct link_gauge {
  std::atomic<bool> congested{false}; // by the connection: the transport's backlog is above its mark
  std::atomic<bool> paused{false};    // by the connection: it does not read, since handlers lag behind
  std::atomic<bool> stalled{false};   // by the session: it waits for link_writable; cleared by the connection
};
struct link_up {
  std::uint64_t connection = 0;
  runtime::inlet<outbound_ref> way{};
  link_gauge* gauge = nullptr; // lives as long as `way`
};
/// The connection's backlog fell: go on.
struct link_writable {
  std::uint64_t connection = 0;
};
struct link_down {
  std::uint64_t connection = 0;
  std::error_code error{};
};
/// The supervisor has given up: everything unfinished ends with `error`, and what comes, too.
struct refuse_all {
  std::error_code error{};
};
/// The supervisor has started again.
struct accept_again {};
using session_mail = std::variant<batch_ref, link_up, link_writable, link_down, refuse_all, accept_again>;

// -- session -> supervisor ------------------------------------------------------------

class session;
/// The first mail: there is a session, dial.
struct begin {
  runtime::resident_ref<session> whose{};
};
struct session_up {
  bool is_resumed = false; // the broker had our session
};
struct session_down {
  std::error_code error{};
  protocol::reason_code reason = protocol::reason_code::success;
  protocol::initiator by = protocol::initiator::library;
  std::string reference{}; // to other servers, as the peer said it
};
struct user_connect {
  asker who{};
};
struct user_connected {
  asker who{};
};
struct user_ended {
  asker who{};
};
struct user_disconnect {
  asker who{};
};
/// Whoever waits at one of these stops waiting.
struct user_withdrawn {
  std::vector<cell> where{};
};
using supervisor_mail = std::variant<begin, session_up, session_down, user_connect, user_connected,
                                     user_ended, user_disconnect, user_withdrawn>;

// -- session -> dispatcher -> subscriber ------------------------------------------------

struct link_added {
  link_ref link{};
};
struct link_removed {
  const subscription_link* link = nullptr;
};
/// The first mail: who is rung when something lies in the tray.
struct know_session {
  runtime::bell_ref bell{};
};
using dispatch_mail = std::variant<batch_ref, know_session, link_added, link_removed>;

/// A run of messages for one subscriber: batch->routed[first ... first + count), or all deliveries of
/// the batch.
struct delivery {
  batch_ref batch{};
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool is_all = false;
};

} // namespace troupe::actors
