#include "receipts.hpp"

#include "ack.hpp"

#include <cassert>

namespace troupe::protocol {

namespace {

// receipt::marks
constexpr std::uint8_t is_first = 1;  // QoS 1
constexpr std::uint8_t is_second = 2; // QoS 2
constexpr std::uint8_t queued = 4;    // waits in its queue
constexpr std::uint8_t settled = 8;   // has its reason
constexpr std::uint8_t answered = 16; // PUBREC has been sent
constexpr std::uint8_t counted = 32;  // against the window of this connection

} // namespace

void write_ack(outbox& out, packet_type type, packet_id id, reason_code reason, version v) {
  if (reason == reason_code::success || v == version::v3_1_1) {
    octet* const at = out.reserve(4);
    at[0] = static_cast<octet>(static_cast<unsigned>(type) << 4U | (type == packet_type::pubrel ? 2U : 0U));
    at[1] = 2;
    at[2] = static_cast<octet>(id >> 8U);
    at[3] = static_cast<octet>(id & 0xFFU);
    out.commit(at + 4);
    return;
  }
  ack packet{type, reason, id, {}};
  if (!encode_ack(out, packet, v)) {
    packet.reason = reason_code::unspecified_error;
    const result<void> done = encode_ack(out, packet, v);
    assert(done);
    static_cast<void>(done);
  }
}

void receipts::open(version v, std::uint16_t window) noexcept {
  version_ = v;
  window_ = v == version::v5_0 ? window : std::uint16_t{65'535};
  ++connection_;
}

void receipts::close() noexcept {
  drop_queue(at_least_once_);
  drop_queue(exactly_once_);
  table_.for_each(
      [](packet_id, receipt& entry) { entry.marks = static_cast<std::uint8_t>(entry.marks & ~counted); });
  table_.trim();
  used_ = 0;
}

void receipts::clear() noexcept {
  table_.clear();
  at_least_once_ = exactly_once_ = queue{};
  used_ = 0;
  ++session_;
  ++connection_;
}

void receipts::restore(packet_id id) {
  if (find(id) == nullptr) table_.acquire(id).marks = is_second | answered;
}

arrival receipts::on_publish(outbox& out, packet_id id, qos quality) {
  const std::uint8_t kind = quality == qos::at_least_once ? is_first : is_second;
  if (receipt* const known = find(id); known != nullptr) [[unlikely]] {
    if ((known->marks & kind) != 0) return on_repeated(out, id, *known);
    if ((known->marks & counted) != 0) return arrival::misused;
    table_.release(id); // of an earlier connection: the peer has lost the session without our knowing
  }
  if (used_ >= window_) return arrival::too_many;
  if (quality == qos::exactly_once) {
    table_.acquire(id).marks = is_second | counted;
    ++used_;
  }
  return arrival::fresh;
}

arrival receipts::on_repeated(outbox& out, packet_id id, receipt& known) {
  if ((known.marks & is_first) != 0) return arrival::repeated; // one PUBACK will answer both
  if ((known.marks & counted) == 0) {
    if (used_ >= window_) return arrival::too_many;
    known.marks |= counted;
    ++used_;
  }
  if ((known.marks & answered) != 0) {
    write_ack(out, packet_type::pubrec, id, known.reason, version_);
  } else if ((known.marks & queued) == 0) { // delivered on an earlier connection
    enqueue(id, known);
    flush(out, exactly_once_);
  }
  return arrival::repeated;
}

void receipts::answer(outbox& out, packet_id id, qos quality, reason_code reason) {
  queue& line = queue_of(quality);
  if (line.first == 0) {
    send_answer(out, id, reason, quality);
    return;
  }
  const delivery_tag later = defer(id, quality);
  receipt& entry = table_.at(later.id);
  entry.marks |= settled;
  entry.reason = reason;
}

delivery_tag receipts::tag(packet_id id, qos quality) const noexcept {
  return {id, quality == qos::at_least_once ? connection_ : session_, quality};
}

delivery_tag receipts::defer(packet_id id, qos quality) {
  if (quality == qos::at_least_once) {
    table_.acquire(id).marks = is_first | counted;
    ++used_;
  }
  enqueue(id, table_.at(id));
  return tag(id, quality);
}

bool receipts::settle(outbox& out, delivery_tag which, reason_code reason) {
  if (!note(which, reason)) return false;
  if ((table_.at(which.id).marks & queued) != 0) flush(out, queue_of(which.quality));
  return true;
}

bool receipts::note(delivery_tag which, reason_code reason) noexcept {
  receipt* const entry = find(which.id);
  const std::uint8_t kind = which.quality == qos::at_least_once ? is_first : is_second;
  if (entry == nullptr || which != tag(which.id, which.quality) || (entry->marks & kind) == 0
      || (entry->marks & (settled | answered)) != 0)
    return false;
  entry->marks |= settled;
  entry->reason = reason;
  return true;
}

bool receipts::on_pubrel(outbox& out, packet_id id) {
  receipt* const entry = find(id);
  if (entry == nullptr || (entry->marks & is_second) == 0) {
    write_ack(out, packet_type::pubcomp, id, reason_code::packet_identifier_not_found, version_);
    return true;
  }
  if ((entry->marks & answered) == 0) return false;
  if ((entry->marks & counted) != 0) --used_;
  table_.release(id);
  write_ack(out, packet_type::pubcomp, id, reason_code::success, version_);
  return true;
}

receipts::receipt* receipts::find(packet_id id) noexcept {
  if (table_.used() == 0) return nullptr;
  receipt* const entry = table_.find(id);
  return entry != nullptr && entry->marks != 0 ? entry : nullptr;
}

void receipts::enqueue(packet_id id, receipt& entry) noexcept {
  queue& line = queue_of((entry.marks & is_first) != 0 ? qos::at_least_once : qos::exactly_once);
  entry.after = 0;
  entry.marks |= queued;
  (line.last == 0 ? line.first : table_.at(line.last).after) = id;
  line.last = id;
}

void receipts::flush(outbox& out, queue& line) {
  while (line.first != 0) {
    const packet_id id = line.first;
    receipt& entry = table_.at(id);
    if ((entry.marks & settled) == 0) return;
    line.first = entry.after;
    if (line.first == 0) line.last = 0;
    entry.marks = static_cast<std::uint8_t>(entry.marks & ~queued);
    send_answer(out, id, entry.reason,
                (entry.marks & is_first) != 0 ? qos::at_least_once : qos::exactly_once);
  }
}

// Where QoS 1 was answered at once there is no entry.
void receipts::send_answer(outbox& out, packet_id id, reason_code reason, qos quality) {
  // 3.1.1 cannot say no. A server acknowledges what it refuses [MQTT-3.3.5-2 of 3.1.1]; a client says
  // nothing, and the message comes again with the next connection.
  const bool silent = version_ == version::v3_1_1 && is_failure(reason) && self_ == role::client;
  if (!silent)
    write_ack(out, quality == qos::at_least_once ? packet_type::puback : packet_type::pubrec, id, reason,
              version_);
  receipt* const entry = find(id);
  if (entry == nullptr) return;
  const bool over =
      quality == qos::at_least_once || silent || (is_failure(reason) && version_ == version::v5_0);
  if (!over) {
    entry->marks |= answered;
    entry->reason = reason;
    return;
  }
  if ((entry->marks & counted) != 0) --used_;
  table_.release(id);
}

void receipts::drop_queue(queue& line) noexcept {
  while (line.first != 0) {
    const packet_id id = line.first;
    receipt& entry = table_.at(id);
    line.first = entry.after;
    entry.after = 0;
    entry.marks = static_cast<std::uint8_t>(entry.marks & ~queued);
    if ((entry.marks & is_first) != 0) table_.release(id);
  }
  line.last = 0;
}

} // namespace troupe::protocol
