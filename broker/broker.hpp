// broker: start, listen, stop.
//
// Lives here: broker_options, broker_statistics, broker; no CAF type.
// Holds:   a broker lives inside a stage and ends before it. stop() ends within a bounded time: every
//          listener is closed first (its port is free when stop returns), then every client is sent
//          DISCONNECT 0x8B (5.0), then its connection is closed.
// Threads: publish, inject and statistics from any thread; the others from any that is not a worker of the stage.
// Units:   sizes in octets, intervals in std::chrono.
// Errors:  listen() answers errc, tls_errc or the operating system's error; nothing else can fail.
// Costs:   statistics() reads counters; a publish that passes through costs no allocation and no lock.
#pragma once

#include "access.hpp"

#include "../protocol/publish.hpp"
#include "../protocol/reason_code.hpp"
#include "../protocol/result.hpp"
#include "../protocol/vocabulary.hpp"
#include "../runtime/stage.hpp"
#include "../runtime/tls_options.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace troupe::runtime {
class record_store;
}

namespace troupe {

class fault_orders; // faults.hpp
class hooks;        // hooks.hpp

namespace brokerage {
/// What happens to a message for a client whose queue is full. Whatever is lost is counted.
enum class overflow : std::uint8_t {
  drop_newest, // the message that comes is not queued
  drop_oldest, // the one that waited longest makes room
  disconnect,  // DISCONNECT 0x97 (quota exceeded) and the connection goes; the session stays
  block,       // whoever publishes is not read from until half the queue is empty, for block_timeout at most;
               // then, and for what nobody can be stopped for, as drop_newest
};

struct bridge_desk; // bridge_desk.hpp
} // namespace brokerage

/// Every limit and switch of a broker. Each member stands for itself; zero means "no limit" only
/// where it says so.
struct broker_options {
  /// Shards, one per worker of the stage from the first on; 0 = one on every worker, or with a `store` one in all.
  std::size_t shards = 0;

  // -- connections ------------------------------------------------------------
  /// More connections than this are refused with 0x97 (quota exceeded) or closed.
  std::size_t max_connections = 100'000;
  /// CONNECTs beyond that many a second are refused with 0x9F; 0 = any number.
  std::size_t max_connects_per_second = 0;
  /// From accept to a whole CONNECT.
  std::chrono::milliseconds connect_timeout{10'000};
  /// A client that asks for more (or for none) is given this much (5.0); 0 = what it asks for.
  std::chrono::seconds max_keep_alive{0};
  /// How long stop() waits for clients to take its DISCONNECT and to close their side.
  std::chrono::milliseconds stop_timeout{500};

  // -- what CONNACK announces -------------------------------------------------
  std::uint16_t receive_maximum = 65'535;
  std::uint32_t maximum_packet_size = protocol::max_packet_size;
  std::uint16_t topic_alias_maximum = 32;
  protocol::qos maximum_qos = protocol::qos::exactly_once;
  bool retain_available = true;
  bool wildcard_subscription_available = true;
  bool subscription_identifier_available = true;
  bool shared_subscription_available = true;

  // -- sessions ---------------------------------------------------------------
  /// Sessions that are kept, connected or not.
  std::size_t max_sessions = 1'000'000;
  /// Longest time a session outlives its connection; longer wishes are cut down (and 5.0 clients told).
  std::chrono::seconds max_session_expiry{0xFFFF'FFFF};
  /// The same for clients of 3.1.1 with clean session 0, who cannot ask.
  std::chrono::seconds default_session_expiry{0xFFFF'FFFF};
  /// Subscriptions of one session.
  std::size_t max_subscriptions = 100'000;
  /// Levels of a topic filter; what has more is refused with 0x97. 0 = any number.
  std::size_t max_filter_levels = 0;
  /// Messages at QoS 1 and 2 that are on their way to one client; its Receive Maximum may say less.
  std::uint16_t max_inflight = 4'096;
  /// Bounds of what waits for one client, connected or not. A message larger than max_queued_bytes waits
  /// alone: it enters an empty queue.
  std::size_t max_queued_messages = 65'536;
  std::size_t max_queued_bytes = std::size_t{64} << 20U;
  brokerage::overflow when_full = brokerage::overflow::drop_newest;
  /// How long a full queue may stop its publishers; shorter than their keep-alive, for their PINGREQs wait, too.
  std::chrono::milliseconds block_timeout{5'000};
  /// Whether QoS 0 messages wait for a client that is not connected.
  bool queue_qos0_offline = false;

  // -- retained messages ------------------------------------------------------
  std::size_t max_retained_messages = 1'000'000;

  // -- what outlives the process ------------------------------------------------
  /// Sessions that outlive their connection, with their subscriptions and messages at QoS 1 and 2, and retained
  /// messages: what was acknowledged is there again after whatever end. Null: all
  /// of it is in memory. Several shards keep their parts one by one: whoever repeats a QoS 2 publish because
  /// the process ended between two of these may be heard twice.
  std::shared_ptr<runtime::record_store> store{};

  // -- who may ----------------------------------------------------------------
  /// Null: everybody may do everything.
  std::shared_ptr<const access> may{};
  /// Finds out whether names are rightly borne. Null: nobody does.
  std::shared_ptr<authenticator> proof{};

  // -- what else --------------------------------------------------------------
  /// Sees and decides what clients say and hear. Null: nobody.
  std::shared_ptr<troupe::hooks> hooks{};
  /// How often the figures below $SYS/broker are published, as retained messages; 0 = never.
  std::chrono::milliseconds sys_interval{0};
  /// What a test orders to be done wrong. Null: nothing.
  std::shared_ptr<fault_orders> faults{};
};

/// Of one listener.
struct listen_options {
  /// For mqtts:// and wss://: certificate and key at least. With a ca_file, clients must present
  /// certificates, and `name_is_user` makes user names of their common names.
  tls_options tls{};
};

/// Counts since the start and present sizes, summed over the shards.
struct broker_statistics {
  std::uint64_t connections = 0;         // open and accepted with CONNACK
  std::uint64_t connections_total = 0;   // ever accepted
  std::uint64_t connections_refused = 0; // by reason code, limit or time-out
  std::uint64_t greetings_failed = 0;    // ended before MQTT began: TLS, WebSocket, their time-out and limit
  std::uint64_t sessions = 0;
  std::uint64_t subscriptions = 0;
  std::uint64_t retained_messages = 0;
  std::uint64_t messages_received = 0; // PUBLISH packets from clients
  std::uint64_t messages_sent = 0;     // PUBLISH packets to clients
  std::uint64_t messages_queued = 0;   // waiting now
  std::uint64_t messages_dropped = 0;  // by a full queue, a client's packet size limit or a hook
  std::uint64_t messages_expired = 0;
  std::uint64_t publishers_stopped = 0; // times that one was, by a full queue (overflow::block)
  std::uint64_t wills_published = 0;
  std::uint64_t takeovers = 0;
  std::uint64_t octets_received = 0;
  std::uint64_t logins_refused = 0;        // by the authenticator
  std::uint64_t logins_busy = 0;           // turned away by it: too many at once
  std::uint64_t connections_throttled = 0; // by max_connects_per_second
  std::uint64_t publishes_refused = 0;     // PUBLISH packets that were not allowed
  std::uint64_t filters_refused = 0;       // in SUBACKs
  std::uint64_t store_failures = 0;        // attempts to write down; while they fail nothing is acknowledged
  std::uint64_t bridges_connected = 0;     // bridges whose remote broker is there
  std::uint64_t bridged_out = 0;           // messages that remote brokers took from bridges
  std::uint64_t bridged_in = 0;            // messages of remote brokers that were taken
  std::uint64_t bridged_dropped = 0;       // by a bridge's full queue or end, or refused behind it
  std::uint64_t bridged_suppressed = 0;    // not carried to where they had been before
};

/// One session, at the moment it was asked for.
struct session_info {
  std::string client_id{};
  bool is_connected = false;
  std::size_t subscriptions = 0;
  std::size_t queued = 0;    // messages that wait
  std::size_t in_flight = 0; // messages at QoS 1 and 2 that the client has not done with
};

/// The store of a broker in the file at `path`, which is made if it is not there. One broker has it at a time.
/// runtime::record_errc: locked, foreign, corrupt, newer_version, cannot_open. `log` hears when the disk fails.
protocol::result<std::shared_ptr<runtime::record_store>> open_store(const std::string& path,
                                                                    log_sink log = {});

class broker {
public:
  explicit broker(stage& where, broker_options options = {});
  /// Stops.
  ~broker();
  broker(const broker&) = delete;
  broker& operator=(const broker&) = delete;

  /// Listens at "mqtt://127.0.0.1:0", "mqtts://[::1]:8883", "ws://0.0.0.0:80/mqtt" (that path alone; "/":
  /// all), "wss://...", "unix:///path", "loopback://name". Answers the endpoint that was really bound, in
  /// the form that clients dial: "mqtt://127.0.0.1:40123".
  protocol::result<std::string> listen(std::string_view endpoint, listen_options options = {});
  /// Why the broker is of no use: its store could not be read. listen() answers the same.
  std::error_code fault() const noexcept;
  /// The endpoints at which clients are taken now.
  std::vector<std::string> endpoints() const;
  /// The same for a message with properties (none of them a topic alias or a subscription identifier):
  /// errc::protocol_error when it has one.
  protocol::result<void> inject(const protocol::publish& what);

  // -- while it runs ----------------------------------------------------------
  /// Every session, connected or not, in no order.
  std::vector<session_info> sessions() const;
  /// Ends the connection of a client with this reason; its session stays as long as the client wished.
  /// False: no such client is connected.
  bool kick(std::string_view client_id,
            protocol::reason_code why = protocol::reason_code::administrative_action);
  /// From now on `may` judges (null: everything is allowed). Subscriptions that it does not grant end.
  void set_access(std::shared_ptr<const access> may);
  /// Who comes to `endpoint` (as listen() answered it) from now on is greeted with these certificates;
  /// whoever is there stays. errc::closed: nobody listens there with TLS.
  protocol::result<void> renew_tls(std::string_view endpoint, tls_options options);
  /// Ends everything, in order. A second call does nothing.
  void stop();
  broker_statistics statistics() const;
  /// For bridges: what they share with this broker.
  brokerage::bridge_desk& bridges() noexcept;

  /// Publishes as a client would: retained messages are kept or cleared, subscribers get it by their
  /// quality. One after the other from one thread is the order in which they arrive. Never waits for a
  /// client: errc::backpressure when the broker has not handled enough of what was said before,
  /// errc::invalid_topic_name, errc::packet_too_large, errc::closed after stop().
  protocol::result<void> publish(std::string_view topic, std::string_view payload,
                                 protocol::qos quality = protocol::qos::at_most_once, bool retain = false);

private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

} // namespace troupe
