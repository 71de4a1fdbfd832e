// inflight: what we asked of the peer and is not ended: the QoS 1 and 2 ladders of the sender,
// SUBSCRIBE and UNSUBSCRIBE, by packet id.
//
//   QoS 1:  puback --PUBACK--> free
//   QoS 2:  pubrec --PUBREC--> pubcomp --PUBCOMP--> free        (PUBREC >= 0x80: free at once)
//   rest :  suback / unsuback --SUBACK / UNSUBACK--> free
//
// Lives here: inflight, rung, flight.
// Holds:   every id in use has one entry. Publishes stand in the order in which they were first
//          sent [MQTT-4.6.0-1], released ones in the order of their PUBRECs [MQTT-4.6.0-4]. The window is
//          one for QoS 1 and 2 together and counts what was sent on the present connection.
// Threads: belongs to one exchange.
// Errors:  add() answers 0 when no id is free.
// Costs:   by id, a few stores, no allocation in the steady state; 16 octets an entry.
#pragma once

#include "action.hpp"
#include "id_table.hpp"
#include "packet_ids.hpp"
#include "vocabulary.hpp"

#include <cstdint>

namespace troupe::protocol {

/// What an entry waits for.
enum class rung : std::uint8_t { free, puback, pubrec, pubcomp, suback, unsuback };

/// One entry. Links are ids, 0 = none.
struct flight {
  request_token token = 0;
  packet_id before = 0;
  packet_id after = 0;
  std::uint16_t filters = 0; // of a SUBSCRIBE or UNSUBSCRIBE: codes its answer must have
  rung waits_for = rung::free;
  bool orphan : 1 = false;   // nobody waits for the end
  bool sent : 1 = false;     // on the present connection
  bool repeated : 1 = false; // sent before in this session: the next PUBLISH bears DUP
};

class inflight {
public:
  // -- entries ----------------------------------------------------------------
  /// A new entry at the end of its order, counted as sent.
  packet_id add(request_token token, rung waits_for, std::uint16_t filters = 0);
  /// The entry in use under `id`, or null.
  flight* find(packet_id id) noexcept;
  /// The entry of an id in use.
  const flight& at(packet_id id) const noexcept { return table_.at(id); }
  /// PUBREC came: from the publishes to the released ones.
  void release(packet_id id) noexcept;
  /// The end: the id is free.
  void finish(packet_id id) noexcept;
  /// Nobody waits for it any more; the id stays taken until the peer's answer.
  void orphan(packet_id id) noexcept;
  void clear() noexcept;

  // -- the window -------------------------------------------------------------
  /// `exact` is how many of these may be at QoS 2. When there are as many, QoS 1 waits as well: order
  /// goes before.
  void set_window(std::uint16_t window, std::uint16_t exact = 65'535) noexcept {
    window_ = window;
    exact_window_ = exact;
  }
  /// Does the peer take one more?
  bool has_window() const noexcept { return used_ < window_ && exact_used_ < exact_window_; }
  /// May a publish be sent at all?
  bool has_room() const noexcept { return has_window() && ids_.taken() < 65'535; }
  /// Publishes sent on this connection and not ended.
  std::size_t used() const noexcept { return used_; }

  // -- resending --------------------------------------------------------------
  /// A connection ended: nothing counts as sent any more.
  void mark_unsent() noexcept;
  /// The first publish not yet sent on this connection; 0 = none.
  packet_id first_unsent() const noexcept { return unsent_; }
  /// The first unsent publish has been sent (again).
  void mark_sent(packet_id id) noexcept;
  /// A released entry's PUBREL has been sent (again); it counts against the window.
  void mark_released_sent(packet_id id) noexcept;

  // -- orders: ids, follow with next() ----------------------------------------
  packet_id first_publish() const noexcept { return publishes_.first; }
  packet_id first_released() const noexcept { return released_.first; }
  packet_id first_request() const noexcept { return requests_.first; }
  packet_id first_orphan() const noexcept { return orphans_.first; }
  packet_id next(packet_id id) const noexcept { return table_.at(id).after; }
  /// Publishes (orphans aside) not ended.
  std::size_t publishes() const noexcept { return publishes_.count + released_.count; }
  std::size_t ids_in_use() const noexcept { return ids_.taken(); }

private:
  struct order {
    packet_id first = 0;
    packet_id last = 0;
    std::size_t count = 0;
  };
  order& home_of(const flight& entry) noexcept;
  void link(order& home, packet_id id, flight& entry) noexcept;
  void unlink(order& home, packet_id id, flight& entry) noexcept;
  void count_sent(rung waits_for) noexcept;

  packet_ids ids_;
  id_table<flight, 6> table_;
  order publishes_;
  order released_;
  order requests_;
  order orphans_;
  packet_id unsent_ = 0;
  std::uint16_t window_ = 65'535;
  std::uint16_t exact_window_ = 65'535;
  std::size_t used_ = 0;
  std::size_t exact_used_ = 0; // of these at QoS 2
};

} // namespace troupe::protocol
