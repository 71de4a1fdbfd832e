// action: what a machine asks of its host.
//
// Lives here: client_host and server_host, the faces that hosts (session, peer, tests) implement;
//          verdict, the end of a request; initiator, who ended it.
// Holds:   machines call these synchronously from inside their own input functions; a host must not
//          call back into the machine from them, except where a function says so.
//          Everything to be sent has been appended to the outbox in wire order when a call returns.
// Threads: those of the host; one at a time.
#pragma once

#include "outbox.hpp"
#include "publish.hpp"
#include "reason_code.hpp"
#include "receipts.hpp"
#include "vocabulary.hpp"

#include <cstdint>
#include <span>
#include <system_error>

namespace troupe::protocol {

struct connack;
struct connect;
struct subscribe;
struct unsubscribe;
struct disconnect;
struct auth;

/// Names one request of the host; the machine gives it back unchanged and never looks inside.
using request_token = std::uint64_t;

/// Who brought something to its end.
enum class initiator : std::uint8_t { user, library, peer };

/// How one request ended.
struct verdict {
  reason_code reason = reason_code::success; // what the peer said, if it said something
  std::error_code error{};                   // what went wrong here, else none
  initiator by = initiator::library;
  properties_view properties{};           // of the ending packet; dies with the call
  std::span<const reason_code> granted{}; // SUBACK/UNSUBACK, one per filter; dies with the call
};

/// Why the connection must go.
struct closing {
  std::error_code error{};                   // none for an orderly end
  reason_code reason = reason_code::success; // the code said to, or heard from, the peer
  initiator by = initiator::library;
  properties_view properties{}; // of the peer's DISCONNECT/CONNACK; dies with the call
};

/// A publish as the host keeps it while it is in flight.
struct kept_publish {
  publish packet;          // full topic, no alias
  keeper* owner = nullptr; // keeps the payload; null = the machine must copy the payload when encoding
  bool checked = false;    // known to be right for this version: it was decoded, or check_encodable saw it
  std::error_code withdrawn{}; // of a recalled one: not to be sent any more (it expired, ...); the request
                               // ends with this error
};

/// The host of a client_machine: actors/session, or a test.
class client_host {
public:
  /// Where packets for the present connection go.
  virtual outbox& out() = 0;
  /// CONNACK came with success; requests flow from now on. The machine's subscribe, unsubscribe and
  /// publish may be called from here: subscriptions leave before anything that is sent again, publishes
  /// behind it.
  virtual void on_connected(const connack& packet) = 0;
  /// A message for the application: once for QoS 0 and 2, once or more for QoS 1. Returns true when
  /// it is settled at once (acknowledge now); false when the host will call settle(tag, ...) later
  /// (QoS 1 and 2; the tag means nothing at QoS 0).
  virtual bool on_deliver(const publish& packet, delivery_tag tag) = 0;
  /// The request ended; called exactly once per accepted token.
  virtual void on_complete(request_token token, const verdict& how) = 0;
  /// A publish at QoS 1 or 2 is in the outbox for the first time, under this id. This and what follows are for
  /// hosts that write down how far they are.
  virtual void on_sent(request_token token, packet_id id, qos quality) {
    static_cast<void>(token), static_cast<void>(id), static_cast<void>(quality);
  }
  /// PUBREC came for a publish at QoS 2; PUBREL is in the outbox.
  virtual void on_released(request_token token) { static_cast<void>(token); }
  /// PUBREL came: `id` may stand for another inbound publish from now on; PUBCOMP is in the outbox.
  virtual void on_receipt_over(packet_id id) { static_cast<void>(id); }
  /// The kept form of an unfinished publish, to be sent (again).
  virtual kept_publish recall(request_token token) = 0;
  /// AUTH from the server (enhanced authentication); answer with client_machine::send_auth.
  virtual void on_auth(const auth& packet) = 0;
  /// Write what is in the outbox, then close the transport. Said once per connection at most.
  virtual void on_close(const closing& why) = 0;

protected:
  ~client_host() = default;
};

/// What a server_host says of an inbound publish.
struct publish_verdict {
  reason_code reason = reason_code::success; // 0x80 or more: refused
  bool deferred = false; // the acknowledgement waits for server_machine::acknowledge(id, reason)
};

/// The host of a server_machine: broker/peer, or a test.
class server_host {
public:
  virtual outbox& out() = 0;
  /// A well-formed CONNECT came. Answer with server_machine::accept or refuse, at once (from inside
  /// this call) or later; feed no further packet before.
  virtual void on_connect(const connect& packet) = 0;
  /// A publish, once for QoS 2. `whole` is the packet as it came, for unchanged forwarding; the topic
  /// in `packet` is resolved. `same_bytes` is false when `whole` used a topic alias.
  virtual publish_verdict on_publish(const publish& packet, octets whole, bool same_bytes) = 0;
  /// Answer with server_machine::answer_subscribe / answer_unsubscribe, at once or later, in order.
  virtual void on_subscribe(const subscribe& packet) = 0;
  virtual void on_unsubscribe(const unsubscribe& packet) = 0;
  /// The receiver is done with a message given to server_machine::deliver at QoS 1 or 2.
  virtual void on_delivered(request_token token) = 0;
  /// PUBREC came for such a message at QoS 2; PUBREL is in the outbox.
  virtual void on_released(request_token token) { static_cast<void>(token); }
  /// PUBREL came: `id` may stand for another inbound publish from now on; PUBCOMP is in the outbox.
  virtual void on_receipt_over(packet_id id) { static_cast<void>(id); }
  /// The kept form of an undelivered message, to be sent (again).
  virtual kept_publish recall(request_token token) = 0;
  virtual void on_auth(const auth& packet) = 0;
  /// DISCONNECT came; on_close follows.
  virtual void on_disconnect(const disconnect& packet) = 0;
  /// Write what is in the outbox, then close the transport. Said once.
  virtual void on_close(const closing& why) = 0;

protected:
  ~server_host() = default;
};

} // namespace troupe::protocol
