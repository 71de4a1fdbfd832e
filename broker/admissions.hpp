// admissions: from CONNECT to CONNACK, and how sessions move and end.
//
// Lives here: admissions: judges a CONNECT, asks the registry of the client id, takes over from an
//          earlier connection [MQTT-3.1.4-3], makes, resumes and ends sessions.
// Holds:   CONNACK goes out after the earlier connection of the same client id was told 0x8E and left.
// Threads: belongs to one shard.
// Errors:  a refusal is a CONNACK with its reason code.
#pragma once

#include "rate_limit.hpp"
#include "routing_messages.hpp"

#include "../protocol/connect.hpp"
#include "../protocol/slice.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace troupe::brokerage {

class peer;
class shard;

class admissions {
public:
  /// `last`: the highest number that this shard has given to a session in an earlier life; 0 = none.
  admissions(shard& home, session_number last);

  void on_connect(peer& who, const protocol::connect& packet);
  /// An authenticator has found out about a client.
  void on_proof(peer& who, protocol::reason_code how);
  /// The registry wants the session of a client id for another connection.
  void on_yield(yield_order&& order);
  /// The registry, or the shard that yielded, says how to go on.
  void on_admission(admission&& how);
  /// A session is about to move here.
  void on_moving(const moving& what);
  /// A shard sends to the new home of a session from now on; when all do, it goes there.
  void on_cut(const cut& what);
  /// The connection of `who` is over: its session waits or ends, its will is published or waits.
  void on_absence(peer_session& who);
  /// Ends a session with all that follows. Not while anything looks at routes.
  void end(peer_session& who);

  /// The will of `who`, who may be gone, has been published.
  void on_will_said(session_number who);

  /// A session as it stood in the store.
  peer_session& restore(const std::string& client_id, session_number number);

private:
  protocol::reason_code judge(const peer& who, std::optional<protocol::octets> password) const;
  void prove(peer& who, std::optional<protocol::octets> password);
  void let_in(peer& who);
  void assign_id(peer& who);
  peer_session& make_session(const std::string& client_id);
  void begin_move(peer_session& who, const yield_order& order);
  peer_session& move_in(std::unique_ptr<peer_session> arrived);
  void enter(peer& who, peer_session& session, bool is_present);
  static void say_method(peer& who, protocol::property_block& block);
  void settle(const std::string& client_id, session_number session);
  void give_back_shared(peer_session& who);
  void write_down(peer_session& who, bool is_connected);
  void write_will(peer_session& who, bool is_connected);
  void drop_will(session_number who);
  void erase_records(peer_session& who);
  void hand_over_records();

  shard& shard_;
  rate_limit connects_;
  std::mt19937_64 chance_; // names for clients without one
  session_number last_;
};

} // namespace troupe::brokerage
