#include "door_run.hpp"

namespace troupe::actors {

publish_record& door_run::make_record(std::uint32_t at, protocol::octet* frame) noexcept {
  // A fixed header, the topic with its length, the packet id, for 5.0 the length of no properties, the payload.
  std::size_t remaining = 0;
  std::size_t length = 0; // octets of it
  for (unsigned shift = 0;; shift += 7) {
    const protocol::octet next = frame[++length];
    remaining |= static_cast<std::size_t>(next & 0x7FU) << shift;
    if ((next & 0x80U) == 0) break;
  }
  const protocol::octet* const topic = frame + 1 + length;
  const std::size_t topic_size = static_cast<std::size_t>(topic[0]) << 8U | topic[1];
  const std::size_t id = quality() == protocol::qos::at_most_once ? 0 : 2;
  const std::size_t properties = version_ == protocol::version::v5_0 ? 1 : 0;

  auto* const place = reinterpret_cast<std::byte*>(this) - record_line * (std::size_t{at} + 1);
  auto* const record = ::new (static_cast<void*>(place)) publish_record;
  record->who = who;
  if (who.what() == asker::kind::cell) {
    const cell first = who.as_cell();
    record->who = asker{cell{first.block, first.at + at, first.round}};
  }
  record->quality = quality();
  record->retain = is_retained();
  record->topic_size = static_cast<std::uint16_t>(topic_size);
  record->frame = frame;
  record->memory = memory_;
  record->frame_size = static_cast<std::uint32_t>(1 + length + remaining);
  record->payload_size = static_cast<std::uint32_t>(remaining - 2 - topic_size - id - properties);
  return *record;
}

} // namespace troupe::actors
