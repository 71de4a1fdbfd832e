// routing_messages: everything that shards say to each other.
//
//   publish_run      who has a publisher        -> whoever has subscribers
//   shared_delivery  owner of a $share group    -> shard of the member it chose
//   shared_return    shard of a member that went -> owner of the group
//   interest         who begins or ends to want a filter -> all;  interest_known  back
//   group_change     shard of a member          -> owner of the group; interest_known  back
//   admission_wish   shard with a new connection -> registry of the client id
//   yield_order      registry                   -> shard that has the session now
//   admission        registry, or the shard that had the session -> shard with the new connection
//   admitted, session_over   shard with the session -> registry
//   publisher_stop   shard with a full queue    -> all: whoever has the publisher stops it, or lets it go on
//   stored           shard that has written down what it was sent -> shard that answers for it
//
// A session moves with nothing lost, doubled or overtaken:
//   moving           shard that has it          -> shard that wants it, which begins to collect for it
//   resettlement     shard that wants it        -> all; each sends there from now on, and says so:
//                    interest_known back, cut to the shard that has it. When all have, the session goes.
//
// Lives here: these structs, and shard_mail, one of them.
// Holds:   what one shard says to another arrives in the order in which it was said.
// Threads: values that are moved from one worker to another. Octets are kept by an owner that counts
//          atomically.
// Costs:   a run of packets is one message, whatever their number.
#pragma once

#include "blockage.hpp"
#include "onward.hpp"
#include "peer_session.hpp"
#include "retained.hpp"
#include "shared_group.hpp"

#include "../protocol/slice.hpp"
#include "../runtime/bell.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::brokerage {

using shard_number = std::uint32_t;
using peer_number = std::uint64_t;

/// Whole PUBLISH packets, one behind the other, none with a topic alias. Behind `frames` are read_slack
/// readable octets.
struct publish_run {
  protocol::octets frames{};
  std::uint32_t count = 1;   // packets; all of one topic
  std::uint32_t largest = 0; // octets of the largest one
  protocol::keeper_ref owner{};
  protocol::version form = protocol::version::v5_0;
  session_number from = 0;
  shard_number via = 0; // the shard that sends it
  protocol::time_point received{};
  stamp when{}; // of a run with the retain flag, which has one packet only; count 0 = not retained
  std::uint64_t pledge = 0; // to be answered with `stored`; 0 = no answer
};

struct shared_delivery {
  publish_run what{}; // one packet
  session_number to = 0;
  std::uint32_t group = 0;
  grant how{};
};

struct shared_return {
  publish_run what{}; // one packet
  std::uint32_t group = 0;
  session_number gone = 0;
};

struct interest {
  std::string filter{};
  shard_number who = 0;
  bool begins = true;
  std::uint64_t serial = 0; // to be answered with; 0 = no answer
};

struct interest_known {
  shard_number by = 0;
  std::uint64_t serial = 0;
};

struct group_change {
  enum class kind : std::uint8_t { join, leave, status };
  kind what = kind::join;
  std::string name{};       // "$share/<group>/<filter>"
  member who{};             // lives on who.shard
  std::uint64_t serial = 0; // 0 = no answer
};

struct admission_wish {
  std::string client_id{};
  shard_number shard = 0;
  peer_number peer = 0;
  bool is_clean = true;
};

struct yield_order {
  std::string client_id{};
  shard_number to = 0;
  peer_number peer = 0;
  bool is_clean = true;
};

struct admission {
  std::string client_id{};
  peer_number peer = 0;
  bool is_here = false;                    // the session lives where this arrives
  std::unique_ptr<peer_session> session{}; // it moves; neither: a fresh one is to be made
};

struct admitted {
  std::string client_id{};
  shard_number shard = 0;
  session_number session = 0; // 0: nobody was admitted, and there is no session
};

struct session_over {
  std::string client_id{};
  session_number session = 0;
};

struct moving {
  std::string client_id{};
  peer_number peer = 0; // whose wish it was
  session_number session = 0;
  shard_number from = 0;
  std::vector<std::pair<std::string, grant>> filters{};
  std::uint64_t sequence = 0; // of what is collected, where it is written down; 0 = it is not
};

struct resettlement {
  session_number session = 0;
  shard_number from = 0;
  shard_number to = 0;
  std::uint64_t serial = 0; // to be answered with
  std::vector<std::string> filters{};
};

struct cut {
  session_number session = 0;
  shard_number by = 0;
};

/// A full queue on another shard wants a publisher to stop, or to go on; said to all, one of them has it.
using publisher_stop = stop_wish;

struct stored {
  std::vector<std::uint64_t> serials{};
};

using shard_mail = std::variant<publish_run, shared_delivery, shared_return, interest, interest_known,
                                group_change, admission_wish, yield_order, admission, admitted, session_over,
                                moving, resettlement, cut, publisher_stop, stored>;

/// What a shard needs from whoever runs it: an actor, or a test.
class shard_host {
public:
  /// To another shard; what was said before arrives before.
  virtual void post(shard_number to, shard_mail&& what) = 0;
  /// Whether some shard takes nothing more at the moment: sources should pause. turn() follows later.
  virtual bool is_crowded() const noexcept = 0;
  /// shard::turn() is wanted soon.
  virtual void call_again() noexcept = 0;
  /// An event is over; turn() is wanted at `next`.
  virtual void on_event_end(protocol::time_point next) = 0;
  virtual protocol::time_point now() noexcept = 0;
  /// What an authenticator is to call, on whatever thread: on_proof() of the shard follows.
  virtual authenticator::reply reply_to(peer_number who) = 0;
  /// Whom others may ring, on any thread, so that turn() is called; null: nobody has to.
  virtual runtime::bell* door_bell() noexcept { return nullptr; }

protected:
  ~shard_host() = default;
};

} // namespace troupe::brokerage
