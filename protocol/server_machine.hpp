// server_machine: everything one connection of a server decides, without I/O.
//
//   waiting --CONNECT--> judging --accept--> connected --close--> closed
//      |  other packet, deadline     | refuse --> closed
//
// Lives here: handshake, keep-alive watch, validation of requests, acknowledgement duty; PUBLISH both
//          ways lives in exchange, which belongs to the session and is lent to the machine.
// Holds:   each publish reaches the host once per QoS 2 id; acks leave in order.
// Threads: one at a time.
// Errors:  the peer's faults end in server_host::on_close, the right CONNACK or DISCONNECT being in
//          the outbox before.
// Costs:   no allocation per message in the steady state.
#pragma once

#include "action.hpp"
#include "connect.hpp"
#include "exchange.hpp"
#include "packet.hpp"
#include "subscribe.hpp"
#include "unsubscribe.hpp"

#include <memory>

namespace troupe::protocol {

struct server_machine_options {
  duration connect_timeout = std::chrono::seconds{10}; // from construction to CONNECT
  std::uint16_t receive_maximum = 65'535;              // announced; 5.0
  std::uint32_t maximum_packet_size = max_packet_size; // announced; 5.0
  std::uint16_t topic_alias_maximum = 0;
  std::chrono::seconds max_keep_alive{0}; // 0 = what the client asks
  qos maximum_qos = qos::exactly_once;
  bool retain_available = true;
  bool wildcard_subscription_available = true;
  bool subscription_identifier_available = true;
  bool shared_subscription_available = true;
};

/// What goes into a successful CONNACK beside the options.
struct acceptance {
  bool session_present = false;
  std::string_view assigned_client_identifier{}; // empty = the client's own stands
  std::optional<std::uint32_t> session_expiry{}; // when the server uses another than asked
  property_block properties{};                   // user properties, response information, ...
};

class server_machine {
public:
  server_machine(server_machine_options options, server_host& host, time_point now);
  ~server_machine();

  // -- connection -------------------------------------------------------------
  /// Sends CONNACK with success, then resends what `session` has in flight. `session` outlives the
  /// machine.
  void accept(const acceptance& how, exchange& session, time_point now);
  /// Sends CONNACK with the reason (translated for 3.1.1) and closes.
  void refuse(reason_code reason, properties_view properties, time_point now);
  /// Sends DISCONNECT (5.0) and closes.
  void disconnect(reason_code reason, properties_view properties, time_point now);
  void transport_down(time_point now);

  // -- what comes in ----------------------------------------------------------
  bool on_packet(const inbound_packet& packet, time_point now);
  void on_bad_bytes(std::error_code error, time_point now);
  /// Ends a deferred acknowledgement.
  void acknowledge(packet_id id, reason_code reason, time_point now);
  void answer_subscribe(packet_id id, std::span<const reason_code> codes, properties_view properties);
  void answer_unsubscribe(packet_id id, std::span<const reason_code> codes, properties_view properties);
  void send_auth(reason_code reason, properties_view properties, time_point now);

  // -- what goes out ----------------------------------------------------------
  enum class sent : std::uint8_t { done, in_flight, window_full, too_large };
  /// Sends one message to the client. `kept.packet` has the final QoS, retain flag and properties.
  /// done: QoS 0, written. in_flight: QoS 1/2, on_delivered(token) will follow. window_full: nothing
  /// happened; ask again after on_delivered. too_large: over the client's maximum packet size, drop.
  sent deliver(request_token token, const kept_publish& kept, time_point now);
  /// Room in the client's receive maximum.
  bool may_deliver() const noexcept;

  // -- time and questions -----------------------------------------------------
  time_point next_deadline() const noexcept;
  void on_deadline(time_point now);
  bool is_connected() const noexcept;
  version protocol() const noexcept;
  /// The client's limits, from CONNECT.
  std::uint32_t client_maximum_packet_size() const noexcept;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace troupe::protocol
