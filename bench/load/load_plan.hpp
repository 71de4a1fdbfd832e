// load_plan: what a load command was asked to do, resolved: nothing is left to be guessed.
//
// Lives here: load_kind, load_plan, describe(), misfit_of(), embedded_endpoint().
// Holds:   a value. `publishers` are requesters in a round trip and the clients of a pure connect;
//          `subscribers` are responders in a round trip.
// Units:   rates per second over all clients, sizes in octets, durations in std::chrono.
// Errors:  misfit_of() says in words what cannot be done; empty: all is well.
#pragma once

#include "../../protocol/vocabulary.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::bench {

enum class load_kind : std::uint8_t { run, publish, subscribe, connect, round_trip };

/// What happens once, on top of a steady flow or instead of it.
enum class load_turn : std::uint8_t {
  none,
  storm,    // halfway, every subscriber's connection is cut and made again
  takeover, // every client is followed by another of its name, which takes its session
  retained, // messages are retained first; then everybody subscribes
  resume,   // messages are kept for subscribers that are away; then they come back
};

struct load_plan {
  load_kind kind = load_kind::run;

  // -- where ------------------------------------------------------------------
  std::string broker = "mqtt://localhost:1883"; // a URL, or embedded
  protocol::version version = protocol::version::v5_0;
  std::size_t workers = 1;
  std::string ca_file{}; // TLS: whom to trust, what to show
  std::string cert_file{};
  std::string key_file{};
  std::vector<std::string> alpn{};
  bool insecure = false;                      // any certificate will do
  std::vector<std::string> local_addresses{}; // where clients dial from, by turns; none: as the kernel likes

  // -- who --------------------------------------------------------------------
  std::uint32_t publishers = 1;
  std::uint32_t subscribers = 1;
  std::string prefix{};    // of client ids
  std::string client_id{}; // with %i for its number; instead of the prefix
  bool reconnects = false; // clients that lose their connection come back
  std::string user_name{};
  std::string password{};
  std::chrono::seconds keep_alive{300};
  std::chrono::seconds session_expiry{0};
  bool clean_start = true;
  std::uint16_t receive_maximum = 65'535;
  double connect_rate = 0; // 0: as fast as they come up
  std::chrono::milliseconds connect_timeout{10'000};

  // -- what -------------------------------------------------------------------
  std::string topic{};      // with %i for the number of the topic, %s for that of the message
  std::uint32_t topics = 0; // 0: one for each publisher
  bool pairs = false;       // subscriber j takes topic j alone, not all of them
  std::string share{};      // group of a shared subscription
  protocol::qos quality = protocol::qos::at_most_once;
  std::size_t payload = 256;
  std::string text{}; // instead of a payload of our own
  bool retain = false;
  std::vector<std::pair<std::string, std::string>> user_properties{}; // of messages, 5.0
  std::string will_topic{}; // %i is the client's number; empty: no will
  std::string will_text{};
  protocol::qos will_quality = protocol::qos::at_most_once;
  bool will_retain = false;
  std::chrono::seconds will_delay{0};

  // -- how much ---------------------------------------------------------------
  std::uint32_t window = 100;                 // closed loop: messages in flight for each publisher
  double rate = 0;                            // open loop when above zero
  bool poisson = false;                       // arrivals of the open loop: at random, not evenly spaced
  std::uint32_t burst = 1;                    // of the open loop: so many are due at once
  double ramp_from = 0;                       // of the open loop: the rate rises from here ...
  std::chrono::milliseconds ramp_time{0};     // ... for so long; 0: no ramp
  std::uint64_t limit = 0;                    // messages sent (subscribe: received); 0: none
  std::uint64_t messages = 0;                 // sent by each publisher; 0: no limit of its own
  std::chrono::milliseconds duration{10'000}; // measured; 0: none
  std::chrono::milliseconds warm_up{1'000};   // before, not measured
  std::chrono::milliseconds cool_down{0};     // after, not measured, while messages still flow
  std::chrono::milliseconds timeout{0};       // of everything; 0: none
  std::chrono::milliseconds drain{5'000};     // after, for what is on its way
  bool verify = false;
  std::uint64_t seed = 42;
  bool logs_events = false; // every receipt on its own
  std::vector<std::pair<std::string, std::string>> labels{};

  // -- what goes wrong --------------------------------------------------------
  load_turn turn = load_turn::none;
  double churn = 0; // clients a second that leave and come back
  std::uint32_t churners = 10;
  std::uint32_t slow = 0; // the last so many subscribers take their time
  std::chrono::milliseconds slow_pause{10};

  /// Messages are stored before anybody takes them.
  bool is_stored() const noexcept { return turn == load_turn::retained || turn == load_turn::resume; }
  bool is_slow(std::uint32_t subscriber) const noexcept { return subscriber + slow >= subscribers; }
  bool is_open_loop() const noexcept { return rate > 0; }
  bool is_embedded() const noexcept { return broker.starts_with("embedded"); }
  bool is_dialled_by_tcp() const noexcept;
  /// Of clients, when most of them are there.
  std::size_t connection_count() const noexcept;
  bool publishes() const noexcept { return kind != load_kind::subscribe && kind != load_kind::connect; }
  std::uint32_t topic_count() const noexcept;
  std::size_t payload_size() const noexcept { return text.empty() ? payload : text.size(); }
  /// How many subscribers get a message of this topic and keep up with it.
  std::uint32_t copies(std::uint32_t topic_number) const noexcept;
  /// A %s for the number of the message stays in it.
  std::string topic_name(std::uint32_t number) const;
  /// What subscriber j asks for.
  std::vector<std::string> filters(std::uint32_t subscriber) const;
};

using plan_words = std::vector<std::pair<std::string, std::string>>;

/// Every choice by its long option's name, for result files and comparisons.
plan_words describe(const load_plan& plan);
/// The plan in a line, for people.
std::string sentence(const load_plan& plan);
std::string misfit_of(const load_plan& plan);

/// Where a broker in this process listens for "embedded" (in memory), "embedded:tcp", ":tls", ":ws", ":wss"
/// or ":unix"; empty for any other word.
std::string embedded_endpoint(std::string_view broker);

std::string_view name(load_kind kind) noexcept;
std::string_view name(load_turn turn) noexcept;

/// `pattern` with the number in the place of every %i.
std::string with_number(const std::string& pattern, std::uint32_t number);

/// In a topic, the place of the message's number.
constexpr std::string_view message_mark = "%s";

} // namespace troupe::bench
