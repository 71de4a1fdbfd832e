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
  /// An entry as it stood when it was written down: not sent on this connection, sent before. False when
  /// the id is taken or none.
  bool restore(packet_id id, request_token token, rung waits_for);
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
  packet_id last_publish() const noexcept { return publishes_.last; }
  packet_id first_released() const noexcept { return released_.first; }
  packet_id last_released() const noexcept { return released_.last; }
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

// ----------------------------------------------------------------------------------------------

namespace detail {

inline bool is_request(rung waits_for) noexcept {
  return waits_for == rung::suback || waits_for == rung::unsuback;
}
inline bool is_exact(rung waits_for) noexcept {
  return waits_for == rung::pubrec || waits_for == rung::pubcomp;
}

} // namespace detail

inline packet_id inflight::add(request_token token, rung waits_for, std::uint16_t filters) {
  const packet_id id = ids_.take();
  if (id == 0) return 0;
  flight& entry = table_.acquire(id);
  entry.token = token;
  entry.filters = filters;
  entry.waits_for = waits_for;
  entry.sent = true;
  entry.repeated = true;
  link(home_of(entry), id, entry);
  if (!detail::is_request(waits_for)) count_sent(waits_for);
  return id;
}

inline void inflight::count_sent(rung waits_for) noexcept {
  ++used_;
  if (detail::is_exact(waits_for)) ++exact_used_;
}

inline flight* inflight::find(packet_id id) noexcept {
  flight* const entry = table_.find(id);
  return entry != nullptr && entry->waits_for != rung::free ? entry : nullptr;
}

inline void inflight::finish(packet_id id) noexcept {
  flight& entry = table_.at(id);
  unlink(home_of(entry), id, entry);
  if (entry.sent && !detail::is_request(entry.waits_for)) {
    --used_;
    if (detail::is_exact(entry.waits_for)) --exact_used_;
  }
  table_.release(id);
  ids_.give_back(id);
}

inline auto inflight::home_of(const flight& entry) noexcept -> order& {
  if (entry.orphan) return orphans_;
  if (detail::is_request(entry.waits_for)) return requests_;
  return entry.waits_for == rung::pubcomp ? released_ : publishes_;
}

inline void inflight::link(order& home, packet_id id, flight& entry) noexcept {
  entry.before = home.last;
  entry.after = 0;
  (home.last == 0 ? home.first : table_.at(home.last).after) = id;
  home.last = id;
  ++home.count;
}

inline void inflight::unlink(order& home, packet_id id, flight& entry) noexcept {
  if (id == unsent_) unsent_ = entry.after;
  (entry.before == 0 ? home.first : table_.at(entry.before).after) = entry.after;
  (entry.after == 0 ? home.last : table_.at(entry.after).before) = entry.before;
  --home.count;
}

} // namespace troupe::protocol
