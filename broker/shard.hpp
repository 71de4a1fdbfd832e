// shard: the part of a broker that lives on one worker.
//
//   accepting --stop--> stopping (every client said goodbye to, connections closing) --> empty
//
// Lives here: shard: peers, sessions, subscriptions, groups and retained messages of one worker, and what
//          becomes of each event; event, the bracket around one.
// Holds:   nothing that others may still look at is destroyed inside an event: sessions end and wills are
//          published at its end, peers are buried at the next turn.
// Threads: belongs to one worker. Other shards are reached by its host alone.
// Errors:  none; a client's faults end that client.
// Costs:   the clock is read once per event; each peer that got something is flushed once per event.
#pragma once

#include "admissions.hpp"
#include "agenda.hpp"
#include "group_table.hpp"
#include "peer.hpp"
#include "pledges.hpp"
#include "registry.hpp"
#include "router.hpp"
#include "session_table.hpp"
#include "store.hpp"
#include "subscribing.hpp"
#include "subscriptions.hpp"
#include "workshop.hpp"

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::brokerage {

struct stored_state;

class shard {
public:
  /// `options` and `counts` outlive the shard; `host` runs it.
  /// `past`: what was written down in an earlier life; null: nothing.
  shard(shard_number self, shard_number shards, const broker_options& options, shard_counters& counts,
        shard_host& host, const stored_state* past = nullptr);
  ~shard();
  shard(const shard&) = delete;
  shard& operator=(const shard&) = delete;

  // -- from the host ----------------------------------------------------------
  /// A new connection, not started yet.
  void adopt(runtime::transport_ptr pipe);
  void on_mail(shard_mail&& what);
  /// What the application publishes: as a client would, but for No Local.
  void publish(const publish_run& what);
  /// An authenticator has found out about `who`.
  void on_proof(peer_number who, protocol::reason_code how);
  /// From now on `may` judges; subscriptions that it does not grant end.
  void set_access(std::shared_ptr<const access> may);
  /// What the broker says of itself.
  void publish_figure(std::string_view topic, std::string_view value);
  void list(std::vector<session_info>& all) const;
  /// False: no such client is connected here.
  bool kick(std::string_view client_id, protocol::reason_code why);
  /// What was put off, and what is due.
  void turn();
  /// When turn() is wanted at the latest.
  protocol::time_point next_deadline() const noexcept { return agenda_.next(); }
  /// Says DISCONNECT 0x8B to every client and closes; refuses newcomers. Waiting wills are dropped, those
  /// of connected clients as well: the broker goes, not they.
  void stop();
  /// Closes what is left, written or not.
  void abort();
  /// No connection is left.
  bool is_empty() const noexcept { return peers_.empty() && graves_.empty(); }
  bool is_stopping() const noexcept { return is_stopping_; }
  /// There are more connections than there may be.
  bool is_full() const noexcept { return peers_.size() > most_connections(); }
  /// Something has been stored: turn() is wanted.
  bool has_news() const noexcept { return durable_ != nullptr && durable_->has_news(); }

  // -- rooms of this shard ----------------------------------------------------
  workshop& shop() noexcept { return shop_; }
  shard_host& host() noexcept { return host_; }
  router& routing() noexcept { return routing_; }
  session_table& sessions() noexcept { return sessions_; }
  subscriptions& wishes() noexcept { return wishes_; }
  group_table& groups() noexcept { return groups_; }
  registry& names() noexcept { return registry_; }
  admissions& doors() noexcept { return admissions_; }
  subscribing& desk() noexcept { return subscribing_; }
  peer* find_peer(peer_number number) const noexcept;
  shard_number self() const noexcept { return self_; }
  shard_number shards() const noexcept { return shards_; }
  /// To a shard, this one included.
  void say(shard_number to, shard_mail&& what);

  // -- from peers -------------------------------------------------------------
  void on_connect(peer& who, const protocol::connect& packet) { admissions_.on_connect(who, packet); }
  void on_subscribe(peer& who, const protocol::subscribe& what) { subscribing_.on_subscribe(who, what); }
  void on_unsubscribe(peer& who, const protocol::unsubscribe& what) {
    subscribing_.on_unsubscribe(who, what);
  }
  void on_dirty(peer& who) { dirty_.push_back(&who); }
  /// The connection is over for the client; its transport is still closing.
  void on_leaving(peer& who);
  /// The transport is gone as well.
  void on_gone(peer& who);

  /// The machines of those who left forget their sessions, which may end or move then.
  void let_sessions_go();

  // -- put off to the end of the event ----------------------------------------
  void pump_later(peer_session& who);
  /// peer::go_on() is wanted.
  void go_on_later(peer& who);
  /// Sees to what full queues want of publishers.
  void serve_stops();
  void end_later(peer_session& who);
  void publish_later(message_ref will, session_number from);
  /// Now. Not while anything looks at routes.
  void publish_will(const message_ref& will, session_number from);
  void pump(peer_session& who);
  /// Enters the moment at which something is due for a session.
  void watch(const peer_session& who);
  /// Enters the deadline of a peer, unless it is looked at earlier.
  void watch(peer& who);
  /// A session ends or moves away: nothing put off is to touch it.
  void forget(peer_session& who);

private:
  friend class event;

  std::size_t most_connections() const noexcept {
    return (shop_.options.max_connections + shards_ - 1) / shards_;
  }
  void begin_event() noexcept;
  void end_event();
  void settle();
  void take_due();
  void on_due(peer_session& who);
  void bury();
  void hold_back_sources();
  bool is_crowded() const noexcept {
    return host_.is_crowded() || (durable_ != nullptr && durable_->is_crowded());
  }
  void handle(shard_mail& what);
  pledge_number close_pledge();
  void serve_redeemed();
  void serve_stop(const stop_wish& wish, bool is_ours);

  shard_number self_;
  shard_number shards_;
  shard_host& host_;
  message_store store_{};            // outlives every message
  std::unique_ptr<store> durable_;   // null: everything is in memory
  std::unique_ptr<pledges> pledged_; // with it
  retained last_words_;
  workshop shop_;
  session_table sessions_{};
  subscriptions wishes_{};
  group_table groups_;
  registry registry_;
  router routing_;
  admissions admissions_;
  subscribing subscribing_;
  agenda agenda_{};

  std::unordered_map<peer_number, std::unique_ptr<peer>> peers_{};
  std::vector<std::unique_ptr<peer>> graves_{}; // destroyed at the next turn
  std::vector<peer*> dirty_{};
  std::vector<peer*> flushing_{};   // empty outside of settle()
  std::vector<peer_number> left_{}; // whose machines still know the session they had
  std::vector<peer_session*> pumped_{};
  std::vector<peer_session*> pumping_{}; // empty outside of turn()
  std::vector<session_number> ending_{};
  std::vector<peer_number> going_on_{};
  std::vector<std::pair<message_ref, session_number>> wills_{};
  std::vector<peer_number> held_back_{};
  peer_number last_peer_ = 0;
  protocol::time_point forgotten_{}; // when cleared retained topics were forgotten last
  unsigned depth_ = 0;               // of nested events
  bool is_stopping_ = false;
};

/// Everything that happens to a shard happens inside one of these.
class event {
public:
  explicit event(shard& where) : where_{where} { where_.begin_event(); }
  ~event() { where_.end_event(); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;

private:
  shard& where_;
};

} // namespace troupe::brokerage
