// receipts: what we owe the peer for its publishes: acknowledgements in receive order, QoS 2 ids.
//
//   QoS 1:  arrived --settled, its turn--> PUBACK --> free
//   QoS 2:  arrived --settled, its turn--> PUBREC --> answered --PUBREL--> PUBCOMP --> free
//                                          PUBREC >= 0x80 --> free
//
// Lives here: receipts, arrival, delivery_tag.
// Holds:   PUBACKs leave in the order of the QoS 1 publishes [MQTT-4.6.0-2], PUBRECs in that of the
//          QoS 2 publishes [MQTT-4.6.0-3], whenever they are settled. A QoS 2 id counts as a repeat
//          until its PUBREL [MQTT-4.3.3-10], across connections of one session.
// Threads: belongs to one exchange.
// Errors:  arrival says what a publish is.
// Costs:   a QoS 1 publish that is settled at once touches no entry; all else a few stores by id; no
//          allocation in the steady state; 4 octets an entry.
#pragma once

#include "id_table.hpp"
#include "outbox.hpp"
#include "reason_code.hpp"
#include "vocabulary.hpp"

#include <cstdint>

namespace troupe::protocol {

/// Names one delivery that is settled later. Of use to the session that gave it only: a QoS 1 tag
/// lives as long as the connection, a QoS 2 tag as long as the session.
struct delivery_tag {
  packet_id id = 0;
  std::uint16_t generation = 0;
  qos quality = qos::at_most_once;

  bool operator==(const delivery_tag&) const noexcept = default;
};

/// What an inbound publish at QoS 1 or 2 is.
enum class arrival : std::uint8_t {
  fresh,    // to be delivered, then answered or deferred
  repeated, // known: not to be delivered; its answer has been sent or will be
  too_many, // beyond our receive maximum [MQTT-3.3.4-8]
  misused,  // the id stands for a publish of another quality
};

class receipts {
public:
  explicit receipts(role self) noexcept : self_{self} {}

  /// A connection starts: QoS 1 tags of earlier ones are void.
  void open(version v, std::uint16_t window) noexcept;
  /// It ended: QoS 1 publishes not answered will come again.
  void close() noexcept;
  /// The peer has no session: nothing is known any more.
  void clear() noexcept;

  /// A QoS 2 publish of an earlier life: taken, its PUBREL not seen.
  void restore(packet_id id);

  arrival on_publish(outbox& out, packet_id id, qos quality);
  /// Ends a fresh publish at once.
  void answer(outbox& out, packet_id id, qos quality, reason_code reason);
  /// Puts off the answer to a fresh publish.
  delivery_tag defer(packet_id id, qos quality);
  /// The tag that defer() gives, known before.
  delivery_tag tag(packet_id id, qos quality) const noexcept;
  /// Ends a deferred publish; a void tag does nothing and answers false.
  bool settle(outbox& out, delivery_tag tag, reason_code reason);
  /// The same while there is no connection: the answer waits for the publish to come again.
  bool note(delivery_tag tag, reason_code reason) noexcept;
  /// Sends PUBCOMP. False: a PUBREL before our PUBREC, a protocol error.
  bool on_pubrel(outbox& out, packet_id id);

  /// Publishes of this connection not wholly acknowledged.
  std::size_t used() const noexcept { return used_; }
  /// Ids with something remembered.
  std::size_t remembered() const noexcept { return table_.used(); }

private:
  struct receipt {
    packet_id after = 0; // in its queue
    std::uint8_t marks = 0;
    reason_code reason = reason_code::success;
  };
  struct queue {
    packet_id first = 0;
    packet_id last = 0;
  };

  queue& queue_of(qos quality) noexcept {
    return quality == qos::at_least_once ? at_least_once_ : exactly_once_;
  }
  receipt* find(packet_id id) noexcept;
  arrival on_repeated(outbox& out, packet_id id, receipt& known);
  void enqueue(packet_id id, receipt& entry) noexcept;
  void flush(outbox& out, queue& line);
  void send_answer(outbox& out, packet_id id, reason_code reason, qos quality);
  void drop_queue(queue& line) noexcept;

  id_table<receipt, 8> table_;
  queue at_least_once_;
  queue exactly_once_;
  std::size_t used_ = 0;
  std::uint16_t window_ = 65'535;
  std::uint16_t connection_ = 0; // generations
  std::uint16_t session_ = 0;
  version version_ = version::v5_0;
  role self_;
};

/// Appends one of the four acknowledgements; a reason that cannot stand there becomes 0x80.
void write_ack(outbox& out, packet_type type, packet_id id, reason_code reason, version v);

} // namespace troupe::protocol
