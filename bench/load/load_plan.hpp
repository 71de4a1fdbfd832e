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

struct load_plan {
  load_kind kind = load_kind::run;

  // -- where ------------------------------------------------------------------
  std::string broker = "mqtt://localhost:1883"; // a URL, or embedded
  protocol::version version = protocol::version::v5_0;
  std::size_t workers = 1;
  std::string ca_file{}; // TLS: whom to trust, what to show
  std::string cert_file{};
  std::string key_file{};
  bool insecure = false; // any certificate will do

  // -- who --------------------------------------------------------------------
  std::uint32_t publishers = 1;
  std::uint32_t subscribers = 1;
  std::string prefix{}; // of client ids
  std::string user_name{};
  std::string password{};
  std::chrono::seconds keep_alive{300};
  std::chrono::seconds session_expiry{0};
  bool clean_start = true;
  std::uint16_t receive_maximum = 65'535;
  double connect_rate = 0; // 0: as fast as they come up
  std::chrono::milliseconds connect_timeout{10'000};

  // -- what -------------------------------------------------------------------
  std::string topic{};      // with %i for the number of the topic
  std::uint32_t topics = 0; // 0: one for each publisher
  bool pairs = false;       // subscriber j takes topic j alone, not all of them
  std::string share{};      // group of a shared subscription
  protocol::qos quality = protocol::qos::at_most_once;
  std::size_t payload = 256;
  std::string text{}; // instead of a payload of our own
  bool retain = false;

  // -- how much ---------------------------------------------------------------
  std::uint32_t window = 100;                 // closed loop: messages in flight for each publisher
  double rate = 0;                            // open loop when above zero
  bool poisson = false;                       // arrivals of the open loop: at random, not evenly spaced
  std::uint64_t limit = 0;                    // messages sent (subscribe: received); 0: none
  std::uint64_t messages = 0;                 // sent by each publisher; 0: no limit of its own
  std::chrono::milliseconds duration{10'000}; // measured; 0: none
  std::chrono::milliseconds warm_up{1'000};   // before, not measured
  std::chrono::milliseconds drain{5'000};     // after, for what is on its way
  bool verify = false;
  std::uint64_t seed = 42;

  bool is_open_loop() const noexcept { return rate > 0; }
  bool is_embedded() const noexcept { return broker.starts_with("embedded"); }
  bool publishes() const noexcept { return kind != load_kind::subscribe && kind != load_kind::connect; }
  std::uint32_t topic_count() const noexcept;
  std::size_t payload_size() const noexcept { return text.empty() ? payload : text.size(); }
  /// How many subscribers get a message of this topic.
  std::uint32_t copies(std::uint32_t topic_number) const noexcept;
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

} // namespace troupe::bench
