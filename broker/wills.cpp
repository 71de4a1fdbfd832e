#include "wills.hpp"

#include <algorithm>

namespace troupe::brokerage {

message_ref keep_will(const protocol::will_view& will, workshop& shop) {
  protocol::publish packet{.topic = will.topic,
                           .payload = will.payload,
                           .properties = will.properties,
                           .quality = will.quality,
                           .retain = will.retain};
  if (will.properties.has(protocol::property::will_delay_interval))
    packet.properties = rewritten(will.properties, {.drop_alias = true}, shop.buffer);
  return shop.store.keep(packet, nullptr, shop.now);
}

std::chrono::seconds will_delay(const protocol::will_view& will) noexcept {
  return std::chrono::seconds{will.properties.number(protocol::property::will_delay_interval).value_or(0)};
}

void begin_absence(peer_session& session, protocol::time_point now) noexcept {
  const bool lives_on = session.expiry == peer_session::lives_forever;
  session.ends = lives_on ? protocol::never : now + session.expiry;
  session.will_due = session.will ? std::min(now + session.will_delay, session.ends) : protocol::never;
}

void end_absence(peer_session& session) noexcept {
  session.ends = protocol::never;
  session.will_due = protocol::never;
}

protocol::time_point next_due(const peer_session& session) noexcept {
  return std::min(session.ends, session.will_due);
}

} // namespace troupe::brokerage
