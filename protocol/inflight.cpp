#include "inflight.hpp"

#include <cassert>

namespace troupe::protocol {

namespace {

bool is_request(rung waits_for) noexcept { return waits_for == rung::suback || waits_for == rung::unsuback; }
bool is_exact(rung waits_for) noexcept { return waits_for == rung::pubrec || waits_for == rung::pubcomp; }

} // namespace

packet_id inflight::add(request_token token, rung waits_for, std::uint16_t filters) {
  const packet_id id = ids_.take();
  if (id == 0) return 0;
  flight& entry = table_.acquire(id);
  entry.token = token;
  entry.filters = filters;
  entry.waits_for = waits_for;
  entry.sent = true;
  entry.repeated = true;
  link(home_of(entry), id, entry);
  if (!is_request(waits_for)) count_sent(waits_for);
  return id;
}

void inflight::count_sent(rung waits_for) noexcept {
  ++used_;
  if (is_exact(waits_for)) ++exact_used_;
}

flight* inflight::find(packet_id id) noexcept {
  flight* const entry = table_.find(id);
  return entry != nullptr && entry->waits_for != rung::free ? entry : nullptr;
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

void inflight::finish(packet_id id) noexcept {
  flight& entry = table_.at(id);
  unlink(home_of(entry), id, entry);
  if (entry.sent && !is_request(entry.waits_for)) {
    --used_;
    if (is_exact(entry.waits_for)) --exact_used_;
  }
  table_.release(id);
  ids_.give_back(id);
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

inflight::order& inflight::home_of(const flight& entry) noexcept {
  if (entry.orphan) return orphans_;
  if (is_request(entry.waits_for)) return requests_;
  return entry.waits_for == rung::pubcomp ? released_ : publishes_;
}

void inflight::link(order& home, packet_id id, flight& entry) noexcept {
  entry.before = home.last;
  entry.after = 0;
  (home.last == 0 ? home.first : table_.at(home.last).after) = id;
  home.last = id;
  ++home.count;
}

void inflight::unlink(order& home, packet_id id, flight& entry) noexcept {
  if (id == unsent_) unsent_ = entry.after;
  (entry.before == 0 ? home.first : table_.at(entry.before).after) = entry.after;
  (entry.after == 0 ? home.last : table_.at(entry.after).before) = entry.before;
  --home.count;
}

} // namespace troupe::protocol
