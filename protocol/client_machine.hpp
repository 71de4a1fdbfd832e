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
#include "connect.hpp"
#include "packet.hpp"
#include "subscribe.hpp"
#include "unsubscribe.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe::protocol {

/// The will as a client keeps it, section 3.1.2.5.
struct will_options {
  std::string topic{};
  std::vector<octet> payload{};
  qos quality = qos::at_most_once;
  bool retain = false;
  property_block properties{};
};

struct client_machine_options {
  version protocol = version::v5_0;
  std::string client_id{};
  std::optional<std::string> user_name{};
  std::optional<std::vector<octet>> password{};
  bool clean_start = true;                // of the first connection; later ones resume
  std::chrono::seconds keep_alive{60};    // 0 = off
  std::chrono::seconds session_expiry{0}; // 5.0; 0xFFFFFFFF = never
  std::uint16_t receive_maximum = 65'535; // how many QoS 1/2 we take at once
  std::uint32_t maximum_packet_size = max_packet_size;
  std::uint16_t topic_alias_maximum = 0;    // inbound aliases we accept
  std::uint16_t outbound_topic_aliases = 0; // most aliases we set by ourselves; 0 = off
  std::uint16_t send_window = 65'535;       // most publishes in flight, whatever the server takes
  duration connack_timeout = std::chrono::seconds{30};
  duration ping_timeout = std::chrono::seconds{30};
  std::optional<will_options> will{};
  property_block connect_properties{}; // user properties, authentication, ...
};

/// What the server allows, from the present CONNACK (3.1.1: the defaults).
struct server_limits {
  std::uint16_t receive_maximum = 65'535;
  std::uint32_t maximum_packet_size = max_packet_size;
  std::uint16_t topic_alias_maximum = 0;
  qos maximum_qos = qos::exactly_once;
  bool retain_available = true;
  bool wildcard_subscription_available = true;
  bool subscription_identifier_available = true;
  bool shared_subscription_available = true;
  std::chrono::seconds keep_alive{0};
  std::string assigned_client_identifier{};
};

class client_machine {
public:
  client_machine(client_machine_options options, client_host& host);
  ~client_machine();

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
  /// One packet; returns false when the connection is (being) closed: drop the rest.
  bool on_packet(const inbound_packet& packet, time_point now);
  /// Framer or decoder refused the bytes.
  void on_bad_bytes(std::error_code error, time_point now);
  /// A delivery for which on_deliver answered false is settled. Acknowledgements leave in receive
  /// order [MQTT-4.6.0-2]. A reason of 0x80 or more refuses the message; 3.1.1 cannot say so and leaves
  /// it unacknowledged. QoS 1 tags of an earlier connection are ignored (the message comes again).
  void settle(delivery_tag tag, reason_code reason, time_point now);

  // -- requests ---------------------------------------------------------------
  /// Takes a publish: sends it, or parks it while the send window (receive maximum) is full or the
  /// client is not connected. On success QoS 0 completes from inside this call as soon as it was
  /// appended to the outbox; QoS 1/2 by PUBACK/PUBCOMP. `kept` must stay recallable by `token`.
  result<void> publish(request_token token, const kept_publish& kept, time_point now);
  result<void> subscribe(request_token token, std::span<const subscription> filters,
                         properties_view properties, time_point now);
  result<void> unsubscribe(request_token token, std::span<const std::string_view> filters,
                           properties_view properties, time_point now);
  result<void> send_auth(reason_code reason, properties_view properties, time_point now);
  /// The user no longer waits: completes the token with errc::cancelled; a later acknowledgement is
  /// harmless, and its id is free only then.
  void cancel(request_token token);

  // -- time -------------------------------------------------------------------
  time_point next_deadline() const noexcept;
  void on_deadline(time_point now);
  /// To be told after octets were written, for keep-alive.
  void on_sent(time_point now) noexcept;
  /// May be told when octets came in that are no whole packet yet: the peer lives.
  void on_received(time_point now) noexcept;

  // -- questions --------------------------------------------------------------
  bool is_connected() const noexcept;
  const server_limits& limits() const noexcept;
  version protocol() const noexcept;
  /// QoS 1/2 publishes sent and not yet ended / publishes waiting for the window or a connection.
  std::size_t inflight() const noexcept;
  std::size_t parked() const noexcept;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace troupe::protocol
