// bare_broker: what is left of a broker when nothing but sockets, frames and look-ups is left.
//
// Lives here: bare_broker.
// Holds:   one thread and epoll. It answers CONNECT, SUBSCRIBE, UNSUBSCRIBE, PINGREQ and the acknowledgements
//          of QoS 1 and 2, and forwards every PUBLISH to those whose filters match, at the lower of both
//          qualities, with a packet id of their own. No session outlives a connection, nothing is retained,
//          nothing is sent again, no window of a subscriber is looked at, shared subscriptions are refused,
//          properties go through as they came. It is there for measuring clients, and as the limit that
//          brokers are held against; it is not for use.
// Threads: run() one thread; stop() any.
// Units:   octets.
// Errors:  the constructor throws std::system_error when it cannot listen; a connection that says something
//          that is no MQTT is closed.
#pragma once

#include "raw_wire.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::bench {

class bare_broker {
public:
  /// Listens at 127.0.0.1; 0: a port that is free.
  explicit bare_broker(std::uint16_t port);
  ~bare_broker();
  bare_broker(const bare_broker&) = delete;
  bare_broker& operator=(const bare_broker&) = delete;

  std::uint16_t port() const noexcept { return port_; }
  std::string url() const { return "mqtt://127.0.0.1:" + std::to_string(port_); }
  /// Until stop().
  void run();
  void stop();

private:
  struct connection;
  struct interest {
    connection* who = nullptr;
    protocol::qos maximum = protocol::qos::at_most_once;
  };

  void take_connections();
  void read(connection& from);
  bool on_frame(connection& from, const raw_frame& frame);
  bool on_connect(connection& from, const raw_frame& frame);
  bool on_publish(connection& from, const raw_frame& frame);
  bool on_subscribe(connection& from, const raw_frame& frame);
  bool on_unsubscribe(connection& from, const raw_frame& frame);
  void forget(connection& who, std::string_view filter);
  void write(connection& to);
  void close(connection& which);
  void jam(connection& which, bool is_jammed) noexcept;
  void flush_all();

  int listener_ = -1;
  int poll_ = -1;
  int bell_ = -1;
  std::uint16_t port_ = 0;
  std::unordered_map<int, std::unique_ptr<connection>> connections_;
  std::unordered_map<std::string, std::vector<interest>> names_{}; // filters without wildcards
  std::vector<std::pair<std::string, interest>> patterns_{};       // those with
  std::size_t jammed_ = 0;                                         // connections that are
  std::vector<connection*> dirty_{};                               // have something to say
  std::vector<std::unique_ptr<connection>> gone_;                  // closed in this round
  std::string topic_{};                                            // of the PUBLISH at hand
};

} // namespace troupe::bench
