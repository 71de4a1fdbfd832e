// stored_state: what a broker had written down when its process ended.
//
// Lives here: stored_state and its parts; stored_state::read; restore, which brings it to a shard.
// Holds:   sessions are spread over the shards there are now by their client ids, whatever number there was
//          before. A message that sessions of several shards wait for becomes one message per shard. What an
//          ended session had still to give back to its $share groups goes to other members; its will is said.
// Threads: made by one thread, read by all shards while they are made.
// Errors:  read() answers record_errc::corrupt for records that make no sense, or what the store says.
// Costs:   proportional to what is kept.
#pragma once

#include "store_format.hpp"

#include "routing_messages.hpp"

#include "../protocol/result.hpp"
#include "../runtime/record_store.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::brokerage {

class shard;

struct stored_message {
  wall_moment received = 0;
  std::string frame{}; // read_slack octets behind it
};

struct stored_delivery {
  std::uint64_t sequence = 0;
  delivery_record what{};
  std::vector<std::uint32_t> identifiers{};
};

struct stored_will {
  wall_moment due = was_connected;
  std::uint32_t delay = 0; // seconds
  stored_message message{};
};

struct stored_session {
  session_number number = 0;
  shard_number shard = 0; // where it is to live
  std::uint32_t expiry = 0;
  wall_moment ends = was_connected;
  std::string client_id{};
  std::vector<std::pair<std::string, grant>> filters{};
  std::vector<stored_delivery> deliveries{};
  std::vector<protocol::packet_id> receipts{};
  std::optional<stored_will> will{};
};

struct stored_word {
  stamp when{};
  stored_message message{};
};

struct stored_state {
  std::unordered_map<std::uint64_t, stored_message> messages{};
  std::vector<stored_session> sessions{};
  std::vector<stored_word> words{};
  /// To be said at once, with the numbers of the sessions that have ended.
  std::vector<std::pair<session_number, stored_message>> wills{};
  /// Names of $share groups, "$share/<group>/<filter>", with their numbers.
  std::map<std::string, std::uint32_t, std::less<>> groups{};

  /// Reads everything and tidies it up for so many shards.
  static protocol::result<std::shared_ptr<const stored_state>> read(runtime::record_store& records,
                                                                    shard_number shards);
  /// The highest number that a shard has given away; 0 = none.
  std::uint64_t last_message(shard_number shard) const noexcept { return last(last_messages_, shard); }
  session_number last_session(shard_number shard) const noexcept { return last(last_sessions_, shard); }

private:
  friend class state_reader;
  using numbers = std::unordered_map<shard_number, std::uint64_t>;
  static std::uint64_t last(const numbers& of, shard_number shard) noexcept {
    const auto known = of.find(shard);
    return known == of.end() ? 0 : known->second;
  }

  numbers last_messages_{};
  numbers last_sessions_{};
};

/// Brings what is for `to`, and what it has to know of the others.
void restore(const stored_state& from, shard& to);

} // namespace troupe::brokerage
