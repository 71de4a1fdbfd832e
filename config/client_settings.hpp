// client_settings: everything a client program may be told from outside.
//
// Lives here: the struct and its parts, their keys, and what must hold between them. What a client makes of
//          them is actors/client_configuration.
#pragma once

#include "field.hpp"
#include "problem.hpp"
#include "runtime_settings.hpp"
#include "transport_settings.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::config {

/// What the broker says for us when we vanish; no topic: nothing.
struct will_settings {
  std::string topic{};
  std::string payload{};
  std::uint16_t qos = 0;
  bool retain = false;
  std::chrono::milliseconds delay{0};

  std::vector<field> fields();
  friend bool operator==(const will_settings&, const will_settings&) = default;
};

struct socket_settings {
  bool no_delay = true;
  bool keep_alive = false;
  byte_count send_buffer{0};
  byte_count receive_buffer{0};
  std::string family = "any";
  std::string local_address{};

  std::vector<field> fields();
  friend bool operator==(const socket_settings&, const socket_settings&) = default;
};

struct client_settings {
  std::string broker = "mqtt://localhost:1883";
  std::vector<std::string> more_brokers{};
  std::string client_id{}; // empty: the broker assigns one
  std::string version = "5.0";
  std::string user_name{};
  std::string password{};
  bool clean_start = true;
  std::chrono::milliseconds session_expiry{0};
  std::string session_file{};
  std::vector<std::string> user_properties{}; // "Name: value"
  std::chrono::milliseconds keep_alive{60'000};

  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds connack_timeout{30'000};
  std::chrono::milliseconds ping_timeout{30'000};
  std::chrono::milliseconds disconnect_timeout{2'000};
  bool reconnect = true;
  std::chrono::milliseconds reconnect_least{500};
  std::chrono::milliseconds reconnect_most{30'000};
  std::chrono::milliseconds stable_after{10'000};
  std::uint32_t attempts_limit = 0;
  bool dial_at_once = true;
  std::uint16_t redirects_limit = 4;

  std::uint16_t receive_maximum = 65'535;
  byte_count maximum_packet_size{268'435'460};
  std::uint16_t topic_alias_maximum = 32;
  std::uint16_t outbound_topic_aliases = 0;
  std::uint16_t send_window = 0;
  std::uint32_t pending_items = 64 * 1024;
  byte_count pending_octets{8 * 1024 * 1024};
  std::chrono::milliseconds publish_wait{30'000};
  std::string when_offline_full = "reject";
  bool drop_offline_qos_0 = false;

  std::string proxy{};
  std::vector<std::string> web_headers{}; // "Name: value"
  will_settings will{};
  socket_settings socket{};
  tls_settings tls{};
  std::string tls_server_name{};             // tls.server_name
  std::vector<std::string> tls_alpn{"mqtt"}; // tls.alpn
  std::string tls_cipher_suites{};           // tls.cipher_suites
  runtime_settings runtime{};

  description describe();
  std::vector<problem> check() const;
  friend bool operator==(const client_settings&, const client_settings&) = default;

private:
  std::vector<field> identity();
  std::vector<field> time();
  std::vector<field> amounts();
  std::vector<field> ways();
};

} // namespace troupe::config
