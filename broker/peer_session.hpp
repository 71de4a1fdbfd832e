// peer_session: what the broker knows of one client, connected or not.
//
//   attached (a peer sends and receives for it) <--detach / attach--> waiting --expiry--> ended
//
// Lives here: grant (what one subscription asks for), target (one session in a route), peer_session:
//          subscriptions, exchange (packet ids and QoS 2 state), what is in flight and what waits.
// Holds:   order per session: what waits goes out before what comes. What waits is bounded in messages
//          and octets; beyond that the policy of the options decides, and it is counted. A delivery at
//          QoS 1 or 2 keeps its slot until the receiver is done with it.
// Threads: belongs to the shard it lives on. A session moves as a whole (leave_shard, settle_in).
// Errors:  none of its own.
// Costs:   a message that passes through to a client with room costs no slot at QoS 0, one at QoS 1 and 2;
//          slots are used again.
#pragma once

#include "blockage.hpp"
#include "kept_message.hpp"
#include "onward.hpp"
#include "retained.hpp"
#include "workshop.hpp"

#include "../protocol/action.hpp"
#include "../protocol/exchange.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace troupe::brokerage {

class peer;
class peer_session;
struct delivery_record;
struct publish_run;

/// What one subscription asks for.
struct grant {
  std::uint32_t identifier = 0; // 0 = none
  protocol::qos quality = protocol::qos::at_most_once;
  bool no_local = false;
  bool retain_as_published = false;
};

/// One session that a topic leads to: all its matching subscriptions taken together.
struct target {
  peer_session* who = nullptr;
  std::span<const std::uint32_t> identifiers{}; // of all those subscriptions; lie in the route
  std::uint32_t group = 0;                      // the $share group that chose the session; 0 = none
  protocol::qos quality = protocol::qos::at_most_once;
  bool no_local = false;
  bool retain_as_published = false;
};

class peer_session {
public:
  static constexpr std::chrono::seconds lives_forever{0xFFFF'FFFF};

  peer_session(std::string client_id, session_number number, workshop& shop);
  ~peer_session();
  peer_session(const peer_session&) = delete;
  peer_session& operator=(const peer_session&) = delete;

  const std::string& client_id() const noexcept { return client_id_; }
  session_number number() const noexcept { return number_; }
  protocol::exchange& exchange() noexcept { return exchange_; }

  // -- connection -------------------------------------------------------------
  peer* connection() const noexcept { return peer_; }
  /// From now on `connection` sends for this session. The machine resends what is in flight by itself.
  void attach(peer& connection) noexcept { peer_ = &connection; }
  void detach();
  /// How long the session stays after its connection; said by CONNECT and DISCONNECT.
  std::chrono::seconds expiry{0};
  /// What is published when the connection is lost; null = nothing.
  message_ref will{};
  std::chrono::seconds will_delay{0};
  bool is_will_written = false; // in a broker with a store
  /// Moments at which the shard looks at a waiting session again.
  protocol::time_point will_due = protocol::never;
  protocol::time_point ends = protocol::never;
  bool is_pumped_later = false; // the shard has it on its list
  bool is_ending = false;       // the shard destroys it at the end of the present event

  // -- subscriptions ----------------------------------------------------------
  /// Filters as the client said them, `$share/...` included.
  std::unordered_map<std::string, grant> filters{};

  // -- messages for the client ------------------------------------------------
  /// Sends, queues or drops, in order.
  void offer(onward& message, const target& how);
  /// Whether packets written in `form` may go out as they are, were there room.
  bool may_pass(protocol::version form) const noexcept;
  /// Sends a run of QoS 0 packets as it is; false when they have to be offered one by one.
  bool pass(const publish_run& run, protocol::keeper* owner);
  /// Retained messages that match `filter` follow, as far as there is room, after what waits.
  void begin_retained(std::string_view filter, const grant& how);
  /// Sends what waits, as far as there is room. True when it stopped only to let others run.
  bool pump();
  /// The client is done with a message at QoS 1 or 2.
  void on_delivered(protocol::request_token token);
  /// It has taken one at QoS 2.
  void on_released(protocol::request_token token);
  protocol::kept_publish recall(protocol::request_token token);
  /// Messages and retained look-ups that wait for room.
  bool is_waiting() const noexcept { return head_ != none || !walks_.empty(); }
  std::size_t waiting() const noexcept { return waiting_; }
  std::size_t in_flight() const noexcept { return in_flight_; }
  /// When publishers that this session has stopped go on whatever becomes of its queue.
  protocol::time_point block_ends() const noexcept {
    return blockage_ == nullptr || blockage_->is_given_up ? protocol::never : blockage_->ends;
  }
  /// That moment has come: what finds no room from now on is dropped.
  void give_up_blocking();

  /// Calls f(const message_ref&, group) for every message that a $share group had chosen this session for
  /// and another member may have instead, in order of arrival: not what is in flight at QoS 2
  /// [MQTT-4.8.2-5].
  template <class F>
  void for_each_shared(F f) const {
    const auto say = [&](const delivery& one) {
      if (one.message && one.group != 0) f(one.message, one.group);
    };
    exchange_.for_each_publish([&](protocol::request_token token) {
      if (slots_[token].quality != protocol::qos::exactly_once) say(slots_[token]);
    });
    for (std::uint32_t slot = head_; slot != none; slot = slots_[slot].next) say(slots_[slot]);
  }

  // -- moving -----------------------------------------------------------------
  /// The shards whose messages are not for this object: those that send to the session's other home.
  std::uint64_t cut_off = 0;
  std::uint32_t moves_to = 0;  // the shard of its new home
  std::uint64_t moves_for = 0; // the connection there
  bool is_moving = false;      // a new home collects for it already; it waits for the last messages
  /// Takes over what waits for `collected`, behind what waits here.
  void absorb(peer_session& collected);
  void leave_shard();
  void settle_in(workshop& shop);

  // -- what is written down, in a broker with a store --------------------------
  /// From now on every delivery at QoS 1 and 2 is; the first under `sequence`.
  void become_durable(std::uint64_t sequence = 1) noexcept { next_sequence_ = sequence; }
  bool is_durable() const noexcept { return next_sequence_ != 0; }
  std::uint64_t next_sequence() const noexcept { return next_sequence_; }
  /// The session ends and writes nothing more. Answers the messages that are written down for it.
  std::vector<message_ref> end_records();
  /// A delivery as it stood in the store, in the order of their sequences; released ones in that of their
  /// ranks, behind all others.
  void restore(std::uint64_t sequence, const message_ref& message, const delivery_record& what,
               std::span<const std::uint32_t> identifiers, std::uint32_t group);

private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct delivery {
    message_ref message{};
    std::vector<std::uint32_t> identifiers{}; // keeps its room when the slot is used again
    std::uint64_t sequence = 0;               // under which it is written down; 0 = it is not
    std::uint32_t group = 0;
    std::uint32_t next = none; // in the queue, or in the list of free slots
    protocol::qos quality = protocol::qos::at_most_once;
    bool retain = false;
  };
  struct retained_walk {
    std::string filter;
    std::string last{}; // the topic at which to go on
    grant how{};
    bool is_begun = false;
  };

  bool has_room() const noexcept;
  bool may_have(const protocol::publish& packet);
  bool may_send(protocol::qos quality) const noexcept;
  void send_passing(const onward& message, const target& how);
  void send(std::uint32_t slot);
  protocol::publish as_sent(const delivery& one);
  void enqueue(onward& message, const target& how);
  bool make_room(std::size_t weight, session_number from);
  bool stop_publisher(std::size_t weight, session_number from);
  bool is_half_empty() const noexcept;
  void let_publishers_go();
  void append(std::uint32_t slot);
  void drop_head();
  std::uint32_t pop();
  std::uint32_t take_slot(const message_ref& message, const target& how);
  void free_slot(std::uint32_t slot) noexcept;
  bool pump_retained();
  void write_waiting(std::uint32_t slot);
  void write_sent(std::uint32_t slot);
  void write(delivery& one, delivery_record what);
  void move_records(std::span<const message_ref> originals);

  std::string client_id_;
  session_number number_;
  workshop* shop_;
  peer* peer_ = nullptr;
  protocol::exchange exchange_;
  std::vector<delivery> slots_{};
  std::uint32_t free_ = none;
  std::uint32_t head_ = none; // the queue: what waits, oldest first
  std::uint32_t tail_ = none;
  std::size_t waiting_ = 0;
  std::size_t waiting_octets_ = 0;
  std::size_t in_flight_ = 0;
  std::unique_ptr<blockage> blockage_{}; // null: the queue is not full
  std::uint64_t next_sequence_ = 0;      // 0 = nothing is written down
  std::deque<retained_walk> walks_{};

  friend class subscriptions;
  std::uint64_t mark_ = 0;  // of the last route that found this session
  std::uint32_t place_ = 0; // where in that route
};

} // namespace troupe::brokerage
