#include "store_format.hpp"

namespace troupe::brokerage {

void write(record_writer& to, const delivery_record& what, std::span<const std::uint32_t> identifiers) {
  to.anew().number(what.message, 8).number(what.rank, 8).number(what.id, 2);
  to.number(static_cast<std::uint8_t>(what.where), 1).number(static_cast<std::uint8_t>(what.quality), 1);
  to.number((what.retain ? 1U : 0U) | (what.is_shared ? 2U : 0U), 1);
  to.number(identifiers.size(), 2);
  for (const std::uint32_t one : identifiers) to.number(one, 4);
}

delivery_record read_delivery(record_reader& from, std::vector<std::uint32_t>& identifiers) {
  delivery_record what;
  what.message = from.number(8);
  what.rank = from.number(8);
  what.id = static_cast<protocol::packet_id>(from.number(2));
  what.where = static_cast<delivery_record::stage>(from.number(1) % 3);
  what.quality = static_cast<protocol::qos>(from.number(1) % 3);
  const std::uint64_t flags = from.number(1);
  what.retain = (flags & 1U) != 0;
  what.is_shared = (flags & 2U) != 0;
  identifiers.clear();
  for (auto count = from.number(2); count != 0 && from.ok(); --count)
    identifiers.push_back(static_cast<std::uint32_t>(from.number(4)));
  return what;
}

} // namespace troupe::brokerage
