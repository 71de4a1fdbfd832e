// server_machine: everything one connection of a server decides, without I/O.
//
//   waiting --CONNECT--> judging --accept--> connected --close--> closed
//      |                    |                    |
//      other packet,        refuse,              fault, silence, DISCONNECT --> closed
//      deadline --> closed  deadline --> closed
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
#include "keep_alive.hpp"
#include "packet.hpp"
#include "subscribe.hpp"
#include "unsubscribe.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string_view>

namespace troupe::protocol {

struct server_machine_options {
  duration connect_timeout = std::chrono::seconds{10}; // from construction to CONNECT
  std::uint16_t receive_maximum = 65'535;              // announced; 5.0
  std::uint32_t maximum_packet_size = max_packet_size; // announced; 5.0
  std::uint16_t topic_alias_maximum = 0;               // inbound aliases we accept
  std::uint16_t outbound_topic_aliases = 0;            // most aliases we set by ourselves; 0 = off
  std::uint16_t send_window = 65'535;                  // most in flight, whatever the client takes
  std::chrono::seconds max_keep_alive{0};              // 0 = what the client asks
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
  server_machine(const server_machine_options& options, server_host& host, time_point now);
  ~server_machine();
  server_machine(const server_machine&) = delete;
  server_machine& operator=(const server_machine&) = delete;

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
  /// A publish from which on_packet() would do nothing but pass it to server_host::on_publish (QoS 0, its
  /// topic said, not retained): the host may do so by itself, having said on_received().
  bool is_plain(const inbound_publish& arrived) const noexcept {
    return phase_ == phase::connected && arrived.packet.quality == qos::at_most_once
           && arrived.packet.topic_alias == 0 && !arrived.packet.retain;
  }
  /// Whole packets came in.
  void on_received(time_point now) noexcept { watch_.on_packet(now); }
  void on_bad_bytes(std::error_code error, time_point now);
  /// A packet is larger than what is taken; `start` is the input that said so. A client of 5.0 whose
  /// CONNECT it is hears 0x95, if its level can be seen there.
  void on_oversized(octets start, time_point now);
  /// Ends a deferred acknowledgement.
  void acknowledge(packet_id id, reason_code reason, time_point now);
  void answer_subscribe(packet_id id, std::span<const reason_code> codes, properties_view properties);
  void answer_unsubscribe(packet_id id, std::span<const reason_code> codes, properties_view properties);
  void send_auth(reason_code reason, properties_view properties, time_point now);

  // -- what goes out ----------------------------------------------------------
  enum class sent : std::uint8_t { done, in_flight, window_full, too_large };
  /// Sends one message to the client. `kept.packet` has the final QoS, retain flag and properties
  /// (which 3.1.1 clients do not get).
  /// done: QoS 0, written. in_flight: QoS 1/2, on_delivered(token) will follow. window_full: nothing
  /// happened; ask again after on_delivered. too_large: over the client's maximum packet size or not
  /// sayable at all, drop [MQTT-3.1.2-25].
  sent deliver(request_token token, const kept_publish& kept, time_point now);
  /// Room in the client's receive maximum.
  bool may_deliver() const noexcept { return phase_ == phase::connected && session_->may_send(); }

  // -- time and questions -----------------------------------------------------
  time_point next_deadline() const noexcept;
  void on_deadline(time_point now);
  /// CONNECT came and is not answered: packets behind it must wait (AUTH excepted).
  bool is_judging() const noexcept { return phase_ == phase::judging; }
  bool is_connected() const noexcept { return phase_ == phase::connected; }
  version protocol() const noexcept { return version_; }
  /// The client's limits, from CONNECT.
  std::uint32_t client_maximum_packet_size() const noexcept { return client_.maximum_packet_size; }

private:
  enum class phase : std::uint8_t { waiting, judging, connected, closed };

  /// What the CONNECT said that is needed later.
  struct client_terms {
    std::uint32_t maximum_packet_size = max_packet_size;
    std::uint32_t session_expiry = 0;
    std::chrono::seconds keep_alive{0};
    std::uint16_t receive_maximum = 65'535;
    std::uint16_t topic_alias_maximum = 0;
    bool wants_problem_information = true;
    bool authenticates = false;
  };

  // -- what comes in
  bool on_publish(const inbound_publish& arrived);
  bool take_publish(const protocol::publish& packet, const inbound_publish& arrived);
  bool on_ack(const ack& packet, time_point now);
  bool on_pubrel(packet_id id);
  bool on_first(const inbound_packet& packet, time_point now);
  bool on_undecodable_connect(octets body, std::error_code error);
  bool on_frame(const frame& packet, time_point now);
  bool on_subscribe(const frame& packet);
  bool on_unsubscribe(const frame& packet);
  bool on_disconnect(const frame& packet);
  bool on_auth(const frame& packet);
  std::error_code check(const protocol::subscribe& packet) const noexcept;
  void read_terms(const connect& packet) noexcept;
  // -- what goes out
  property_block connack_properties(const acceptance& how) const;
  void send_connack(bool session_present, reason_code reason, properties_view properties);
  void send_disconnect(reason_code reason, properties_view properties);
  void pump(time_point now);
  properties_view permitted(properties_view properties, std::size_t bare_size) const noexcept;
  // -- ends
  bool fail(std::error_code error);
  void close(const closing& why);

  server_machine_options options_;
  server_host* host_;
  exchange* session_ = nullptr; // lent by accept
  silence_watch watch_;
  inbound_aliases inbound_;
  outbound_aliases outbound_;
  client_terms client_;
  time_point connect_deadline_;
  version version_ = version::v5_0;
  phase phase_ = phase::waiting;
};

} // namespace troupe::protocol
