// client_machine: everything a client decides, without I/O.
//
//   down --transport_up--> connecting --CONNACK ok--> connected --close--> down
//                              |  CONNACK refusal, deadline, bad bytes --> closing --transport_down--> down
//
// Lives here: handshake, keep-alive, requests, limits of the CONNACK; PUBLISH both ways lives in
//          exchange.
// Holds:   session state (in-flight messages with their ids, QoS 2 receive state) outlives
//          connections; all else dies with transport_down. Every accepted token is completed once.
// Threads: one at a time.
// Units:   time points are handed in; next_deadline says when on_deadline wants to be called.
// Errors:  requests answer errc in a result and then own nothing; the peer's faults end in
//          client_host::on_close with the matching reason code already in the outbox.
// Costs:   no allocation per message in the steady state; in-flight look-up is by id.
#pragma once

#include "action.hpp"
#include "connack.hpp"
#include "exchange.hpp"
#include "introduction.hpp"
#include "keep_alive.hpp"
#include "limits.hpp"
#include "packet.hpp"
#include "parking.hpp"
#include "subscribe.hpp"
#include "unsubscribe.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace troupe::protocol {

class client_machine {
public:
  client_machine(client_machine_options options, client_host& host);
  client_machine(const client_machine&) = delete;
  client_machine& operator=(const client_machine&) = delete;

  // -- connection ------------------------------------------------------------
  /// A transport is there: appends CONNECT.
  void transport_up(time_point now);
  /// The transport is gone, whoever closed it. In-flight and parked publishes wait for the next
  /// connection; subscribe and unsubscribe requests complete with errc::connection_lost.
  void transport_down(time_point now);
  /// Appends DISCONNECT and asks for closing; nothing is sent afterwards.
  void disconnect(reason_code reason, properties_view properties, time_point now);
  /// The session is over for the user: completes every unfinished request with `error`.
  void abandon(std::error_code error);

  // -- what comes in ----------------------------------------------------------
  /// Whether a packet is a delivery about which nothing has to be decided: it may be handed on without
  /// on_packet(), as long as on_received() is told of the batch.
  bool is_plain_delivery(const inbound_packet& packet) const noexcept {
    const auto* const arrived = std::get_if<inbound_publish>(&packet);
    return arrived != nullptr && arrived->packet.quality == qos::at_most_once
           && arrived->packet.topic_alias == 0 && phase_ == phase::connected;
  }
  /// One packet; returns false when the connection is (being) closed: drop the rest.
  bool on_packet(const inbound_packet& packet, time_point now);
  /// Framer or decoder refused the bytes.
  void on_bad_bytes(std::error_code error, time_point now);
  /// A delivery for which on_deliver answered false is settled. Acknowledgements leave in receive
  /// order [MQTT-4.6.0-2]. A reason of 0x80 or more refuses the message; 3.1.1 cannot say so and leaves
  /// it unacknowledged. QoS 1 tags of an earlier connection are ignored (the message comes again).
  /// False: nobody waits for it any more.
  bool settle(delivery_tag tag, reason_code reason, time_point now);

  // -- requests ---------------------------------------------------------------
  /// Takes a publish: sends it, or parks it while the send window (receive maximum) is full or the
  /// client is not connected. On success QoS 0 completes from inside this call as soon as it was
  /// appended to the outbox; QoS 1/2 by PUBACK/PUBCOMP. `kept` must stay recallable by `token`.
  result<void> publish(request_token token, const kept_publish& kept, time_point now);
  /// Whether a publish of `size` octets that was encoded beforehand (sayable in our version, no alias, no
  /// repetition) may leave now as it is. If so it counts as sent: QoS 0 has ended without on_complete;
  /// QoS 1 and 2 bear `id`, which the host writes into the octets, and end as ever. Else: publish().
  bool pass(request_token token, qos quality, bool retain, std::size_t size, packet_id& id, time_point now) {
    const bool flows = phase_ == phase::connected && parked_.empty() && session_.sent().first_unsent() == 0;
    if (!flows || uses_aliases_ || size > limits_.maximum_packet_size || quality > limits_.maximum_qos
        || (retain && !limits_.retain_available))
      return false;
    if (quality != qos::at_most_once) {
      id = session_.begin_publish(token, quality);
      if (id == 0) return false;
    }
    watch_.on_sent(now);
    return true;
  }
  result<void> subscribe(request_token token, std::span<const subscription> filters,
                         properties_view properties, time_point now);
  result<void> unsubscribe(request_token token, std::span<const std::string_view> filters,
                           properties_view properties, time_point now);
  result<void> send_auth(reason_code reason, properties_view properties, time_point now);
  /// The user no longer waits: completes the token with errc::cancelled; a later acknowledgement is
  /// harmless, and its id is free only then.
  void cancel(request_token token);
  /// Ends the publish that has waited longest for a connection or the window; false: none waits.
  bool shed(std::error_code error);

  // -- what was written down, before the first connection ----------------------
  /// There was a session, under this client id if the server chose it: the first connection resumes it.
  void restore(std::string_view assigned_client_id) {
    was_connected_ = true;
    limits_.assigned_client_identifier = assigned_client_id;
  }
  /// A publish that was sent, in the order of its sending (`puback`, `pubrec`), or of its PUBREC (`pubcomp`).
  bool restore(request_token token, packet_id id, rung waits_for) {
    return session_.restore(id, token, waits_for);
  }
  /// A publish that had not been sent.
  void restore_parked(request_token token, qos quality) { parked_.push({token, quality}); }
  /// An inbound publish at QoS 2 that was taken, and of whose PUBREL nothing is known.
  void restore_receipt(packet_id id) { session_.owed().restore(id); }

  // -- time -------------------------------------------------------------------
  time_point next_deadline() const noexcept;
  void on_deadline(time_point now);
  /// To be told after octets were written, for keep-alive.
  void on_sent(time_point now) noexcept;
  /// May be told when octets came in that are no whole packet yet: the peer lives.
  void on_received(time_point now) noexcept;

  // -- questions --------------------------------------------------------------
  bool is_connected() const noexcept { return phase_ == phase::connected; }
  const server_limits& limits() const noexcept { return limits_; }
  /// What the next CONNECT says; to be changed before transport_up only.
  client_machine_options& introduction() noexcept { return options_; }
  version protocol() const noexcept { return options_.protocol; }
  /// QoS 1/2 publishes sent and not yet ended / publishes waiting for the window or a connection.
  std::size_t inflight() const noexcept { return session_.sent().publishes(); }
  std::size_t parked() const noexcept { return parked_.size(); }
  /// Calls `f(token)` for each publish not ended: those that wait, then those that were sent.
  template <class F>
  void for_each_publish(F f) const {
    parked_.for_each(f);
    session_.for_each_publish(f);
  }
  /// For each SUBSCRIBE and UNSUBSCRIBE not answered.
  template <class F>
  void for_each_request(F f) const {
    session_.for_each_request(f);
  }

private:
  enum class phase : std::uint8_t { down, connecting, connected, closing };

  // -- what comes in
  bool on_publish(const inbound_publish& arrived);
  bool on_counted_publish(const protocol::publish& packet);
  bool on_ack(const ack& packet, time_point now);
  bool on_frame(const frame& packet, time_point now);
  bool on_connack(const frame& packet, time_point now);
  bool on_suback(const frame& packet);
  bool on_unsuback(const frame& packet);
  bool on_disconnect(const frame& packet);
  bool on_auth(const frame& packet);
  // -- what goes out
  result<void> park(request_token token, const kept_publish& kept);
  result<void> send_now(request_token token, const kept_publish& kept, time_point now);
  void pump(time_point now);
  void send_again(const exchange::resend& which);
  void send_parked(time_point now);
  // -- ends
  bool progressed(const progress& step, const verdict& how);
  void complete(request_token token, std::error_code error, initiator by);
  void come_up(const connack& packet, time_point now);
  bool fail(std::error_code error);
  void close(const closing& why);

  client_machine_options options_;
  client_host* host_;
  exchange session_{role::client};
  parking parked_;
  ping_watch watch_;
  inbound_aliases inbound_;
  outbound_aliases outbound_;
  server_limits limits_;
  time_point connack_deadline_ = never;
  phase phase_ = phase::down;
  bool was_connected_ = false; // a CONNACK with success came once: later connections resume
  bool asked_clean_ = false;   // by the CONNECT of this connection
  bool uses_aliases_ = false;  // on this connection, for what we send
};

} // namespace troupe::protocol
