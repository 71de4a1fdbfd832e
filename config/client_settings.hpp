// client_settings: everything a client program may be told from outside.
//
// Lives here: the struct, its keys, and what must hold between them.
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

struct client_settings {
  std::string broker = "mqtt://localhost:1883";
  std::string client_id{}; // empty: the broker assigns one
  std::string version = "5.0";
  std::string user_name{};
  std::string password{};
  bool clean_start = true;
  std::chrono::milliseconds session_expiry{0};
  std::chrono::milliseconds keep_alive{60'000};
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds reconnect_least{500};
  std::chrono::milliseconds reconnect_most{30'000};
  std::uint16_t receive_maximum = 65'535;
  byte_count maximum_packet_size{268'435'460};
  std::uint16_t topic_alias_maximum = 32;
  tls_settings tls{};
  runtime_settings runtime{};

  description describe();
  std::vector<problem> check() const;
  friend bool operator==(const client_settings&, const client_settings&) = default;
};

} // namespace troupe::config
