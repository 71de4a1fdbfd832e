// bridge_settings: a [[bridge]] of troupe-broker, and the [[bridge.map]] tables in it.
//
// Lives here: bridge_map_settings, bridge_settings, their keys, and what must hold between them.
// Holds:   how to speak to the remote broker is said with the keys of a client (client_settings), its `broker`
//          as `url`; what a bridge decides for itself is none of them. Without any map everything goes out.
#pragma once

#include "client_settings.hpp"
#include "field.hpp"
#include "problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::config {

/// One [[bridge.map]].
struct bridge_map_settings {
  std::string filter = "#";
  std::string direction = "out"; // out | in | both, seen from our broker
  std::uint16_t max_qos = 2;
  std::string local_prefix{};
  std::string remote_prefix{};

  std::vector<field> fields();
  friend bool operator==(const bridge_map_settings&, const bridge_map_settings&) = default;
};

/// One [[bridge]].
struct bridge_settings {
  std::string name{}; // empty: its number among the bridges, from 1
  client_settings remote{};
  std::vector<bridge_map_settings> maps{};

  std::uint32_t max_queued_messages = 65'536;
  byte_count max_queued_bytes{64ULL << 20U};
  std::string when_full = "block";
  std::uint16_t max_inflight = 1'024;

  bool keep_session = false;
  std::string local_user_name{};
  std::string local_password{};
  std::string notice_topic{};

  std::vector<field> fields();
  /// Of all of them, since names must differ; `needs_name`: nobody comes in without a user name.
  static std::vector<problem> check(const std::vector<bridge_settings>& all, bool needs_name);
  friend bool operator==(const bridge_settings&, const bridge_settings&) = default;

private:
  std::vector<field> own_fields();
};

/// The name of the bridge at `place`.
std::string name_of(const std::vector<bridge_settings>& all, std::size_t place);

/// [[bridge]], with [[bridge.map]] in each.
table table_of_bridges(std::vector<bridge_settings>& all);

} // namespace troupe::config
