// client_options: everything a client can be told.
//
// Lives here: client_options and the small options of single operations.
// Holds:   flat aggregates, every member initialised; the order of members is part of the interface.
// Units:   durations are std::chrono; sizes in octets; queues in items and octets.
// Errors:  none here; client::make says what is wrong, the client's constructor becomes faulted.
#pragma once

#include "../protocol/properties.hpp"
#include "../protocol/reason_code.hpp"
#include "../protocol/vocabulary.hpp"
#include "../runtime/socket_options.hpp"
#include "../runtime/tls_options.hpp"
#include "../runtime/web_options.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::runtime {
class record_store;
}

namespace troupe {

using protocol::qos;
using protocol::version;

enum class offline_overflow : std::uint8_t {
  reject,      // the new one ends with errc::backpressure
  wait,        // as with a connection: up to publish_wait
  drop_oldest, // those that waited longest end with errc::backpressure and are counted as dropped
};

/// What the broker says for us when we vanish, section 3.1.2.5.
struct will {
  std::string topic{};
  std::string payload{};
  qos quality = qos::at_most_once;
  bool retain = false;
  std::chrono::seconds delay{0};         // 5.0
  protocol::property_block properties{}; // 5.0
};

class client_hooks;
namespace runtime {
class connector;
}

struct client_options {
  /// mqtt://host:port (tcp://), mqtts:// (tls://, ssl://), ws://host:port/path, wss://, unix:///path,
  /// loopback://name; user:password@ before a host is understood.
  std::string broker = "mqtt://localhost:1883";
  /// Empty: the broker chooses (5.0), or an empty identifier with a clean session (3.1.1).
  std::string client_id{};
  troupe::version version = troupe::version::v5_0;
  /// Of the first connection; later ones resume what the broker still has.
  bool clean_start = true;
  std::chrono::seconds keep_alive{60};    // 0 = no pings
  std::chrono::seconds session_expiry{0}; // 5.0; 0xFFFFFFFF = never. 3.1.1: clean_start decides
  std::optional<std::string> user_name{};
  std::optional<std::string> password{};
  std::optional<troupe::will> will{};
  /// Tried in turn after `broker`.
  std::vector<std::string> more_brokers{};

  std::uint16_t receive_maximum = 65'535;                        // QoS 1/2 messages taken at once
  std::uint32_t maximum_packet_size = protocol::max_packet_size; // largest packet we take
  std::uint16_t outbound_topic_aliases = 0; // topic aliases we set, if the broker takes any
  /// Our QoS 1/2 publishes in flight at most, whatever the broker takes. 0: as many as it takes, which a
  /// broker of 3.1.1 cannot say; there it means 20 at QoS 2. mosquitto takes no more by default, and
  /// those that come nevertheless are lost.
  std::uint16_t send_window = 0;
  std::uint16_t topic_alias_maximum = 0;         // inbound topic aliases we take
  protocol::property_block connect_properties{}; // more of CONNECT: user properties, ...

  std::chrono::milliseconds connect_timeout{30'000}; // dialling one broker
  std::chrono::milliseconds connack_timeout{30'000};
  std::chrono::milliseconds ping_timeout{30'000};
  std::chrono::milliseconds disconnect_timeout{2'000}; // the longest an orderly end may take

  /// Redialling: a random wait between 0 and first * 2^n, at most `backoff_limit`; starts over after
  /// a connection has stood for `stable_after`.
  bool reconnect = true;
  std::chrono::milliseconds backoff_first{500};
  std::chrono::milliseconds backoff_limit{30'000};
  std::chrono::milliseconds stable_after{10'000};
  /// False: nothing is dialled before connect(). Whoever resumes a session subscribes first, so that no
  /// handler misses what was kept for it.
  bool dial_at_once = true;
  std::uint32_t attempts_limit = 0; // failed attempts in a row; 0 = no limit

  /// Bounds of what was asked for and has not ended. A publish above them waits up to `publish_wait` on
  /// an outside thread while there is a connection; it ends with errc::backpressure at once on a worker,
  /// and while there is none.
  std::size_t pending_items = 64 * 1024;
  std::size_t pending_octets = 8 * 1024 * 1024;
  std::chrono::milliseconds publish_wait{30'000};
  /// What becomes of a publish that finds this full while there is no connection.
  offline_overflow when_offline_full = offline_overflow::reject;
  /// A publish at QoS 0 while there is no connection ends with errc::not_connected and is counted as
  /// dropped, instead of waiting.
  bool drop_offline_qos_0 = false;
  /// The user's word in what happens by itself: client_hooks.hpp.
  std::shared_ptr<client_hooks> hooks{};

  /// For mqtts:// and wss://. Files are read when the client is made.
  tls_options tls{};
  /// For ws:// and wss://: further headers of the request that opens the connection.
  std::vector<web_header> web_headers{};
  /// "http://user:password@host:port" (CONNECT) or "socks5://...": whom to ask for connections to brokers
  /// in the network. Empty: nobody.
  std::string proxy{};

  /// A file in which the session outlives the process, whatever its end: publishes at QoS 1 and 2 that have
  /// not ended, packet ids, what was taken at QoS 2, what was granted. Nothing leaves before it is written
  /// there. The file belongs to one client id, and to one client at a time; else the client is faulted with
  /// runtime::record_errc. To go with it: clean_start = false, a session_expiry (5.0), dial_at_once = false
  /// and connect() when handlers have been subscribed. A publish that was under way when its client ended,
  /// with errc::closed, may be in the file: the next process sends it then. Empty: the session is in memory.
  std::string session_file{};
  /// In place of a file: a store of the user's own.
  std::shared_ptr<runtime::record_store> session_records{};
  /// Of TCP sockets, also of those to a proxy.
  socket_options socket{};
  /// Dials in our place: a transport of the user's own (runtime/connector.hpp). It is handed the brokers'
  /// addresses, whose scheme is then its own business as long as it is one of ours.
  std::shared_ptr<runtime::connector> connector{};
  /// How often in a row a broker may send us on to another one (5.0: use another server, server moved), before
  /// that counts as a failure. What is then dialled has our settings of TLS, and is never dialled without when
  /// the broker before was dialled with. 0: nobody is followed, and being sent on is a fault.
  std::uint16_t redirects_limit = 4;
};

struct publish_options {
  bool retain = false;
  /// 5.0: message expiry, content type, user properties, ...; copied during the call.
  protocol::properties_view properties{};
};

/// When a received QoS 1/2 message is acknowledged.
enum class ack_policy : std::uint8_t {
  received, // as soon as it was taken
  handled,  // when the handler returned; a handler that throws refuses (5.0: refusal.hpp) or leaves it
            // unacknowledged
};

/// Where a handler runs.
enum class run_on : std::uint8_t {
  home,       // on the client's worker: fastest; must not block
  own_thread, // on a thread of the subscription, behind its queue: may block
};

/// What happens when a subscription's queue is full.
enum class overflow : std::uint8_t {
  block,       // the connection stops reading until there is room
  drop_oldest, // counted
  drop_newest, // counted
};

/// Retain handling, section 3.8.3.1.
enum class retained_messages : std::uint8_t { always = 0, if_new = 1, never = 2 };

struct subscribe_options {
  bool no_local = false;                                  // 5.0
  bool retain_as_published = false;                       // 5.0
  retained_messages retained = retained_messages::always; // 5.0
  troupe::run_on run_on = troupe::run_on::home;
  ack_policy acknowledge = ack_policy::received;
  overflow when_full = overflow::block;
  std::size_t queue_items = 64 * 1024;
  protocol::property_block properties{}; // 5.0: user properties
  /// With run_on::own_thread: so many threads, each calling the handler with a message of its own. Above 1
  /// the handler must be ready for that, and its calls have no order; acknowledgements still have.
  std::uint16_t threads = 1;
};

struct disconnect_options {
  /// normal, or disconnect_with_will_message (5.0).
  protocol::reason_code reason = protocol::reason_code::success;
  std::optional<std::chrono::seconds> session_expiry{}; // 5.0: a last change
};

} // namespace troupe
