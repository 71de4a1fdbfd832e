// broker_settings: everything troupe-broker may be told from outside.
//
// Lives here: the struct, its keys, and what must hold between them.
// Holds:   without any [[listener]] there is one, at host and port.
#pragma once

#include "bridge_settings.hpp"
#include "field.hpp"
#include "problem.hpp"
#include "runtime_settings.hpp"
#include "transport_settings.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::config {

/// One [[listener]].
struct listener_settings {
  std::string url = "mqtt://127.0.0.1:1883";
  tls_settings tls{.verify_peer = false}; // true: clients must present a certificate
  bool name_is_user = false;              // its common name becomes the user name

  std::vector<field> fields();
  friend bool operator==(const listener_settings&, const listener_settings&) = default;
};

/// One [[acl]]: the first that fits decides; when there are any and none fits, acl_default does.
struct acl_settings {
  std::string user = "*";      // of CONNECT; "*": everybody, "": those without
  std::string client_id = "*"; // "*": every client
  std::string topic = "#";     // a filter; %u and %c stand for user and client id
  std::string may = "both";    // publish | subscribe | both | nothing | no_publish | no_subscribe

  std::vector<field> fields();
  friend bool operator==(const acl_settings&, const acl_settings&) = default;
};

struct broker_settings {
  std::string host = "127.0.0.1";
  std::uint16_t port = 1'883;
  std::vector<listener_settings> listeners{};

  bool allow_anonymous = true;
  std::string password_file{};
  std::uint32_t max_password_checks = 128;
  std::vector<acl_settings> acl{};
  std::string acl_default = "deny";

  std::uint32_t max_connections = 100'000;
  std::uint32_t max_connects_per_second = 0;
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds max_keep_alive{0};
  std::uint16_t receive_maximum = 65'535;
  byte_count maximum_packet_size{268'435'460};
  std::uint16_t topic_alias_maximum = 32;
  bool retain_available = true;

  std::uint32_t max_sessions = 1'000'000;
  std::chrono::milliseconds max_session_expiry{0};
  std::uint32_t max_subscriptions = 100'000;
  std::uint16_t max_filter_levels = 128;
  std::uint32_t max_retained_messages = 1'000'000;

  std::uint16_t max_inflight = 4'096;
  std::uint32_t max_queued_messages = 65'536;
  byte_count max_queued_bytes{64ULL << 20};
  std::string when_full = "drop_newest";
  std::chrono::milliseconds block_timeout{5'000};
  bool queue_qos0_offline = false;
  std::string persistence{};

  std::chrono::milliseconds sys_interval{10'000};
  std::string metrics_address{};

  std::vector<bridge_settings> bridges{};

  runtime_settings runtime{.workers = 0};

  description describe();
  std::vector<problem> check() const;
  /// The endpoints to listen at: those of the listeners, else host and port.
  std::vector<listener_settings> endpoints() const;
  friend bool operator==(const broker_settings&, const broker_settings&) = default;
};

} // namespace troupe::config
