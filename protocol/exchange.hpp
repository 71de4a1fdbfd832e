// exchange: PUBLISH both ways under one session; shared by both machines.
//
//   fresh --open--> connected --close--> waiting --open--> connected ...     (begin_anew: fresh again)
//
// Lives here: exchange, exchange_link: the session's part of the protocol. What we sent (inflight), what
//          we owe (receipts), and when which of it goes out again.
// Holds:   outlives connections. A publish keeps its id until its end; order of first sending is kept
//          across connections; nothing is resent within one [MQTT-4.4.0-1].
// Threads: one at a time; a server lends it to one machine at a time.
// Errors:  errc::packet_too_large, errc::backpressure (window full), errc::no_packet_id, and what
//          encode_publish refuses; nothing is taken or written then.
// Costs:   an outbound publish is its encoding and a few stores, an acknowledgement a few stores. No
//          allocation in the steady state. About 300 octets, and 1 KB more from the first QoS 1 on.
#pragma once

#include "ack.hpp"
#include "action.hpp"
#include "inflight.hpp"
#include "receipts.hpp"
#include "result.hpp"
#include "topic_alias.hpp"

#include <optional>

namespace troupe::protocol {

/// The present connection as an exchange sees it.
struct exchange_link {
  version protocol = version::v5_0;
  std::uint16_t send_window = 65'535;                  // the peer's receive maximum
  std::uint16_t exact_window = 65'535;                 // how many of these may be at QoS 2
  std::uint16_t receive_window = 65'535;               // ours
  std::uint32_t maximum_packet_size = max_packet_size; // the peer's
  outbound_aliases* aliases = nullptr;                 // null = none; owned by the machine
  const void* holder = nullptr;                        // the machine, to tell it from a later one
};

/// What an acknowledgement did.
struct progress {
  enum class kind : std::uint8_t {
    none,     // unknown id, or said before: nothing to tell
    released, // PUBREC came for the publish of `token`
    ended,    // the request of `token` ended
    wrong,    // it does not fit what the id stands for: a protocol error
  };
  kind what = kind::none;
  request_token token = 0;
};

class exchange {
public:
  explicit exchange(role self) noexcept : receipts_{self}, self_{self} {}

  // -- connections --------------------------------------------------------------
  /// A connection is up. Then: begin_anew() if the peer has no session; resume().
  void open(const exchange_link& link) noexcept;
  /// The connection of `holder` is gone. Nothing happens when another machine has opened since.
  void close(const void* holder) noexcept;
  bool is_open() const noexcept { return open_; }
  /// The peer has no session: inbound state goes; publishes not acknowledged become new ones, in
  /// order; a publish whose PUBREC came is the peer's own since then, so `on_ended(token)` is called.
  template <class F>
  void begin_anew(F on_ended);
  /// Sends every PUBREL that was not answered. Publishes follow by next_resend().
  void resume(outbox& out);
  /// A publish that waits to be sent again, the window permitting.
  struct resend {
    packet_id id;
    request_token token;
  };
  std::optional<resend> next_resend() const noexcept;
  /// Sends the publish of next_resend(). On error its request must be ended by withdraw().
  result<void> send_again(outbox& out, const resend& which, const kept_publish& kept);

  // -- out ------------------------------------------------------------------------
  /// Room for one publish at QoS 1 or 2 now, and none that must go before.
  bool may_send() const noexcept { return open_ && inflight_.first_unsent() == 0 && inflight_.has_room(); }
  /// Sends a publish. QoS 0 needs no room.
  result<void> send(outbox& out, request_token token, const kept_publish& kept);
  /// The id of a publish at QoS 1 or 2 that is sent at once by whoever has encoded it; 0: no room now.
  packet_id begin_publish(request_token token, qos quality) {
    if (!may_send()) return 0;
    return inflight_.add(token, quality == qos::at_least_once ? rung::puback : rung::pubrec);
  }
  progress on_puback(const ack& packet);
  progress on_pubrec(outbox& out, const ack& packet);
  progress on_pubcomp(const ack& packet);
  /// Nobody waits for `id` any more: a later acknowledgement is harmless and frees it. A QoS 1 publish
  /// is forgotten with the connection, a QoS 2 publish brought to its end by PUBREL on the next one (on
  /// this one if it was not yet sent again).
  void withdraw(outbox& out, packet_id id);

  // -- SUBSCRIBE and UNSUBSCRIBE share the ids --------------------------------------
  /// An id for a request, 0 when none is free.
  packet_id begin_request(request_token token, rung waits_for, std::uint16_t filters) {
    return inflight_.add(token, waits_for, filters);
  }
  /// SUBACK or UNSUBACK with `codes` codes came; wrong when nothing asked for it [MQTT-2.2.1-6].
  progress on_request_answer(packet_id id, rung waits_for, std::size_t codes);
  /// The id of a request that was not sent after all.
  void undo(packet_id id) noexcept { inflight_.finish(id); }

  // -- what was written down, before the first connection -----------------------------
  /// A publish of an earlier life, in the order of its sending (`puback`, `pubrec`), or of its PUBREC
  /// (`pubcomp`). False when the id is taken or none.
  bool restore(packet_id id, request_token token, rung waits_for) {
    return inflight_.restore(id, token, waits_for);
  }

  // -- in ---------------------------------------------------------------------------
  receipts& owed() noexcept { return receipts_; }

  // -- questions ----------------------------------------------------------------------
  const inflight& sent() const noexcept { return inflight_; }
  /// The id under which `token` is in flight, 0 = it is not. Walks from the oldest.
  packet_id find(request_token token) noexcept;
  /// Calls `f(token)` for every publish not ended: released ones, then the others in order.
  template <class F>
  void for_each_publish(F f) const;
  /// Calls `f(token)` for every SUBSCRIBE and UNSUBSCRIBE not answered.
  template <class F>
  void for_each_request(F f) const {
    for (packet_id id = inflight_.first_request(); id != 0; id = inflight_.next(id))
      f(inflight_.at(id).token);
  }
  /// Nobody waits for any publish any more: withdraw() for each, calling `f(token)`.
  template <class F>
  void end_publishes(outbox& out, F f);
  /// Takes each SUBSCRIBE and UNSUBSCRIBE not answered out, calling `f(token)` for it.
  template <class F>
  void end_requests(F f);
  /// Forgets everything, in and out: the session is a new one for both ends.
  void forget() noexcept;

private:
  result<void> encode(outbox& out, publish& packet, const kept_publish& kept);
  result<void> append(outbox& out, const publish& packet, const kept_publish& kept);
  bool fits(const publish& packet) const noexcept;
  progress end(packet_id id) noexcept;

  inflight inflight_;
  receipts receipts_;
  exchange_link link_;
  role self_;
  bool open_ = false;
};

template <class F>
void exchange::begin_anew(F on_ended) {
  receipts_.clear();
  while (const packet_id id = inflight_.first_orphan()) inflight_.finish(id);
  while (const packet_id id = inflight_.first_released()) {
    const request_token token = inflight_.at(id).token;
    inflight_.finish(id);
    on_ended(token);
  }
  for (packet_id id = inflight_.first_publish(); id != 0; id = inflight_.next(id))
    inflight_.find(id)->repeated = false;
}

template <class F>
void exchange::for_each_publish(F f) const {
  for (packet_id first : {inflight_.first_released(), inflight_.first_publish()}) {
    for (packet_id id = first; id != 0; id = inflight_.next(id)) f(inflight_.at(id).token);
  }
}

template <class F>
void exchange::end_publishes(outbox& out, F f) {
  while (inflight_.publishes() != 0) {
    const packet_id oldest = inflight_.first_released();
    const packet_id id = oldest != 0 ? oldest : inflight_.first_publish();
    const request_token token = inflight_.at(id).token;
    withdraw(out, id);
    f(token);
  }
}

template <class F>
void exchange::end_requests(F f) {
  while (const packet_id id = inflight_.first_request()) {
    const request_token token = inflight_.at(id).token;
    inflight_.finish(id);
    f(token);
  }
  // Requests that nobody waits for any more lie among the orphans.
  for (packet_id id = inflight_.first_orphan(); id != 0;) {
    const packet_id following = inflight_.next(id);
    const rung waits_for = inflight_.at(id).waits_for;
    if (waits_for == rung::suback || waits_for == rung::unsuback) inflight_.finish(id);
    id = following;
  }
}

} // namespace troupe::protocol
