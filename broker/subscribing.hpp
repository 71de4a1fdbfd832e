// subscribing: from SUBSCRIBE and UNSUBSCRIBE to their answers.
//
// Lives here: subscribing: what a session subscribes to, what other shards are told of it, and when the
//          answer may leave.
// Holds:   answers leave in the order of the requests. SUBACK leaves when every shard knows the
//          subscription; retained messages follow it. With one shard all of it happens at once.
// Threads: belongs to one shard.
// Errors:  a filter is refused with a reason code in the SUBACK.
// Costs:   a filter that somebody of this shard wants already costs other shards nothing, unless something
//          is on its way to them at the moment.
#pragma once

#include "peer.hpp"
#include "routing_messages.hpp"

#include "../protocol/subscribe.hpp"
#include "../protocol/unsubscribe.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace troupe::brokerage {

class shard;

class subscribing {
public:
  explicit subscribing(shard& home) : shard_{home} {}

  void on_subscribe(peer& who, const protocol::subscribe& packet);
  void on_unsubscribe(peer& who, const protocol::unsubscribe& packet);

  // -- whole sessions ---------------------------------------------------------
  /// Nobody sends for this session any more: it ends.
  void withdraw(peer_session& who);
  /// It has left; its new home has told everybody.
  void withdraw_moved(peer_session& who);
  /// A session is about to move here: `collector` takes its messages until it comes.
  void collect(peer_session& collector, const moving& what);
  /// It came: takes the place of its collector.
  void replace(peer_session& collector, peer_session& who);
  /// Tells the owners of its groups whether a session is connected.
  void say_status(const peer_session& who);
  /// Ends the subscriptions of `session` that access does not grant to `who` any more.
  void judge_again(const peer& who, peer_session& session);

  // -- from other shards ------------------------------------------------------
  void on_interest(const interest& what);
  void on_known(const interest_known& what);
  void on_group_change(const group_change& what);
  void on_shared_return(const shared_return& what);
  void on_resettlement(const resettlement& what);

private:
  // What is on its way to other shards, and who waits until they know it.
  struct question {
    std::uint64_t serial = 0;       // 0: nobody waits
    std::uint32_t open = 0;         // answers to come
    peer_number asker = 0;          // a peer of this shard; 0:
    shard_number shard = 0;         // another shard,
    std::uint64_t shard_serial = 0; // which asked with this serial; 0: none did
    session_number collector = 0;   // for whom every answer opens the way from one more shard
  };

  protocol::reason_code subscribe_one(peer& who, const protocol::subscription& line, std::uint32_t identifier,
                                      peer::pending_answer& answer, question& asked);
  protocol::reason_code judge(const peer& who, const protocol::subscription& line) const;
  protocol::reason_code judge_access(const peer& who, std::string_view filter) const;
  protocol::result<bool> put_in(peer_session& who, const std::string& filter, const grant& how,
                                question& asked);
  /// The session does not want it any more, but lives on.
  void end_subscription(peer_session& who, const std::string& filter);
  void take_out(peer_session& who, const std::string& filter);
  void drop_filter(peer_session& who, const std::string& filter);
  void tell_all(std::string_view filter, bool begins, question& asked);
  void tell_owner(const peer_session& who, const std::string& name, const grant& how, group_change::kind what,
                  question& asked);
  /// One change of a group that this shard owns.
  void change_group(const group_change& what, question& asked);
  /// Others may still be on the way to know what was asked for earlier: wait behind that.
  void wait_behind_earlier(question& asked);
  void answer_ready(peer& who);

  shard& shard_;
  std::uint64_t last_serial_ = 0;
  std::unordered_map<std::uint64_t, question> open_{};
};

} // namespace troupe::brokerage
