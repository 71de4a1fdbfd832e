// bridge: a broker's way to another one.
//
// Lives here: bridge_options, bridge_statistics, bridge.
// Holds:   two clients: one of the remote broker, one of our own, in memory, which is a client like any other:
//          access rules, limits and queues are those of clients. Messages keep their order within a map, their
//          quality up to the map's maximum, their retain flag and properties. What a bridge has brought does not
//          go back by it (No Local on both sides), and by no other bridge to a broker where it has been
//          (bridge_trail.hpp). What was handed over at QoS 2 arrives once, also across lost connections, as long
//          as the remote broker keeps the session.
//          What waits in a bridge has been acknowledged to where it came from, and is in memory.
// Threads: any that is not a worker of the stage; the bridge ends before its broker, and both live in `stage`.
// Errors:  make() says what is wrong; a remote broker that is away is none: it is dialled again and again.
// Costs:   a message is copied once (twice when it waits) and takes four locks. With bridge_overflow::block each
//          map has a thread in each of its directions.
#pragma once

#include "bridge_lane.hpp"
#include "bridge_map.hpp"
#include "broker.hpp"

#include "../actors/client.hpp"
#include "../protocol/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace troupe {

struct bridge_options {
  /// Names the bridge at its own broker, where its client id is "bridge-" and this; one bridge bears it.
  std::string name = "1";
  /// The remote broker and how to speak to it. pending_items, pending_octets and dial_at_once are the bridge's
  /// own business. For messages that must not be missed while the connection is lost or this process is
  /// elsewhere: client_id, clean_start = false and a session_expiry.
  client_options remote{};
  std::vector<bridge_map> maps{};

  /// What waits for a broker, in each direction.
  std::size_t max_queued_messages = 65'536;
  std::size_t max_queued_bytes = std::size_t{64} << 20U;
  bridge_overflow when_full = bridge_overflow::block;
  /// Messages handed to a broker and not finished, in each direction.
  std::size_t max_inflight = 1'024;

  /// Whether our own broker keeps messages for the bridge while the bridge is not there; they wait under its
  /// name, within the limits of a session.
  bool keep_session = false;
  /// As whom it comes to our own broker.
  std::optional<std::string> local_user_name{};
  std::optional<std::string> local_password{};
  /// Here our own broker says, retained, "1" while the remote one is there, and "0" while not. Empty: nowhere.
  std::string notice_topic{};
};

struct bridge_statistics {
  brokerage::lane_counts out{};
  brokerage::lane_counts in{};
  std::uint64_t suppressed = 0;      // had been there before, or have no name there
  std::uint64_t filters_refused = 0; // by the remote broker
};

class bridge {
public:
  /// Comes to `own`, asks for what the maps say, and begins to dial the remote broker.
  /// errc::bad_settings: no maps, no name, a notice topic with wildcards; invalid_topic_filter,
  /// invalid_share_name: a map; version_mismatch: bridge_direction::both in 3.1.1, where a broker hands back
  /// whatever it is told; refused_by_server: our own broker does not let it in, or not subscribe; what
  /// client::make says of `remote`.
  static protocol::result<std::unique_ptr<bridge>> make(stage& where, broker& own, bridge_options options);
  /// Stops.
  ~bridge();
  bridge(const bridge&) = delete;
  bridge& operator=(const bridge&) = delete;

  /// Waits until nothing is on its way through it, for `remote.disconnect_timeout` at most and not at all for a
  /// remote broker that is away; then takes nothing more and says farewell to both. A second call does nothing.
  void stop();

  /// Of the client of the remote broker: completes when that is there, with everything asked for.
  pending<outcome> connected();
  client_state state() const noexcept;
  std::error_code last_error() const;
  bridge_statistics statistics() const;

private:
  struct inside;
  explicit bridge(std::unique_ptr<inside> made);
  std::unique_ptr<inside> inside_;
};

} // namespace troupe
