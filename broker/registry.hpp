// registry: client id -> the shard that has its session; one change at a time.
//
//   nobody --wish--> changing --admitted--> settled --wish--> changing ...; settled --over--> nobody
//
// Lives here: registry: one of several, each answering for the client ids that hash to its shard.
// Holds:   a client id has at most one session in the broker [MQTT-3.1.4-3]. Wishes for an id that is
//          changing wait their turn.
// Threads: belongs to one shard.
// Costs:   a few look-ups per connection.
#pragma once

#include "routing_messages.hpp"

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace troupe::brokerage {

class registry {
public:
  /// How a registry speaks to shards, its own included.
  using speaker = std::function<void(shard_number, shard_mail&&)>;

  explicit registry(speaker say) : say_{std::move(say)} {}

  /// The shard whose registry answers for `client_id`.
  static shard_number of(std::string_view client_id, shard_number shards) noexcept {
    return static_cast<shard_number>(std::hash<std::string_view>{}(client_id) % shards);
  }

  void on_wish(admission_wish&& wish);
  void on_admitted(const admitted& how);
  void on_over(const session_over& which);
  /// A session that lives on `shard` from the start on.
  void restore(const std::string& client_id, session_number session, shard_number shard) {
    entries_[client_id] = {.session = session, .shard = shard};
  }
  std::size_t size() const noexcept { return entries_.size(); }

private:
  struct entry {
    session_number session = 0; // 0 = there is none
    shard_number shard = 0;
    bool is_changing = false;
    std::deque<admission_wish> waiting{};
  };

  void begin(entry& about, admission_wish&& wish);

  speaker say_;
  std::unordered_map<std::string, entry> entries_{};
};

} // namespace troupe::brokerage
