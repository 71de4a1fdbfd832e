// How a session goes on from what an earlier process wrote down, and writes on itself.
#include "session.hpp"

#include "../protocol/errc.hpp"
#include "../protocol/publish.hpp"

#include <algorithm>
#include <exception>
#include <new>

namespace troupe::actors {

namespace {

/// Exactly the room that was measured before.
class measured_space final : public protocol::outbox {
public:
  measured_space(protocol::octet* begin, std::size_t size) noexcept {
    cursor_ = begin;
    end_ = begin + size;
  }
  void borrow(protocol::octets, protocol::keeper*) override { std::terminate(); }

private:
  void grow(std::size_t) override { std::terminate(); }
};

/// The publish in `packet`, which has read_slack octets behind it.
protocol::result<protocol::publish> read_publish(protocol::octets packet, protocol::version spoken) {
  std::size_t at = 1;
  while (at < packet.size() && (packet[at] & 0x80U) != 0) ++at;
  if (++at > packet.size()) return protocol::errc::malformed_packet;
  return protocol::decode_publish(packet[0], packet.subspan(at), spoken, protocol::role::server);
}

} // namespace

void session::go_on_from(const past_session& past) {
  if (past.has_session) machine_.restore(past.assigned_id);
  const bool is_other_version = past.version != machine_.protocol();
  for (const past_publish& one : past.publishes) {
    publish_record* const record = revive(one, past.version);
    if (record == nullptr) {
      store_->drop_past(one);
      continue;
    }
    if (is_other_version) store_->restate(one, record->packet());
    go_on_with(*record, one);
  }
  if (is_other_version) store_->speak(machine_.protocol());
  for (const protocol::packet_id id : past.receipts) machine_.restore_receipt(id);
  desk_.go_on_from(*store_, past.filters);
}

/// As a door would have made it; null: it cannot be said any more.
publish_record* session::revive(const past_publish& what, protocol::version spoken) {
  const std::string padded = what.packet + std::string(protocol::read_slack, '\0');
  const auto read = read_publish(protocol::as_octets(padded).first(what.packet.size()), spoken);
  if (!read || read->quality == qos::at_most_once) return nullptr;
  protocol::publish packet = *read;
  if (machine_.protocol() == protocol::version::v3_1_1) packet.properties = {};
  packet.dup = false;
  packet.id = 1;
  const std::size_t size = protocol::encoded_size(packet, machine_.protocol());
  runtime::slab* const memory = slabs_->take(size + 3 * record_line);
  protocol::octet* end = memory->data() + memory->capacity() - record_line;
  end -= reinterpret_cast<std::uintptr_t>(end) % record_line;
  measured_space space{memory->data(), static_cast<std::size_t>(end - memory->data())};
  protocol::append_publish(space, packet, machine_.protocol(), nullptr);
  auto* const record = ::new (static_cast<void*>(end)) publish_record;
  record->quality = packet.quality;
  record->retain = packet.retain;
  record->topic_size = static_cast<std::uint16_t>(packet.topic.size());
  record->frame = memory->data();
  record->memory = memory;
  record->frame_size = static_cast<std::uint32_t>(size);
  record->payload_size = static_cast<std::uint32_t>(packet.payload.size());
  record->properties_size = static_cast<std::uint32_t>(packet.properties.block().size());
  record->properties_seen = packet.properties.seen();
  front_->bounds.give_back({-1, -static_cast<std::int64_t>(record->weight())}); // be there room or not
  return record;
}

void session::go_on_with(publish_record& record, const past_publish& what) {
  const protocol::request_token token = record.token();
  store_->adopt(token, what);
  const bool was_sent = what.where != protocol::rung::free && machine_.restore(token, what.id, what.where);
  if (!was_sent) machine_.restore_parked(token, record.quality);
  const auto waited = store_->wall_now() - std::chrono::milliseconds{what.asked};
  note_age(record, now_ - std::max(waited, std::chrono::milliseconds{0}));
}

void session::settle(const settled_delivery& which) {
  const bool is_taken = machine_.settle(which.tag, which.reason, now_);
  if (store_ && is_taken && which.tag.quality == qos::exactly_once && !protocol::is_failure(which.reason))
    store_->keep_receipt(which.tag.id);
}

void session::on_sent(protocol::request_token token, protocol::packet_id id, protocol::qos quality) {
  if (store_) store_->keep_sent(token, id, quality);
}

void session::on_released(protocol::request_token token) {
  if (store_) store_->keep_released(token);
}

void session::on_receipt_over(protocol::packet_id id) {
  if (store_) store_->drop_receipt(id);
}

} // namespace troupe::actors
