#include "inflight.hpp"

#include <cassert>

namespace troupe::protocol {

bool inflight::restore(packet_id id, request_token token, rung waits_for) {
  if (!ids_.take(id)) return false;
  flight& entry = table_.acquire(id);
  entry.token = token;
  entry.waits_for = waits_for;
  entry.repeated = true;
  link(home_of(entry), id, entry);
  if (unsent_ == 0) unsent_ = publishes_.first;
  return true;
}

void inflight::release(packet_id id) noexcept {
  flight& entry = table_.at(id);
  assert(entry.waits_for == rung::pubrec);
  if (entry.orphan) {
    entry.waits_for = rung::pubcomp;
    return;
  }
  unlink(publishes_, id, entry);
  entry.waits_for = rung::pubcomp;
  link(released_, id, entry);
}

void inflight::orphan(packet_id id) noexcept {
  flight& entry = table_.at(id);
  unlink(home_of(entry), id, entry);
  entry.orphan = true;
  link(orphans_, id, entry);
}

void inflight::clear() noexcept {
  ids_.clear();
  table_.clear();
  publishes_ = released_ = requests_ = orphans_ = order{};
  unsent_ = 0;
  used_ = exact_used_ = 0;
}

void inflight::mark_unsent() noexcept {
  for (const order* home : {&publishes_, &released_, &orphans_}) {
    for (packet_id id = home->first; id != 0; id = table_.at(id).after) table_.at(id).sent = false;
  }
  unsent_ = publishes_.first;
  used_ = exact_used_ = 0;
  table_.trim();
}

void inflight::mark_sent(packet_id id) noexcept {
  assert(id == unsent_);
  flight& entry = table_.at(id);
  entry.sent = true;
  entry.repeated = true;
  unsent_ = entry.after;
  count_sent(entry.waits_for);
}

void inflight::mark_released_sent(packet_id id) noexcept {
  flight& entry = table_.at(id);
  assert(entry.waits_for == rung::pubcomp);
  if (!entry.sent) {
    entry.sent = true;
    count_sent(entry.waits_for);
  }
}

} // namespace troupe::protocol
