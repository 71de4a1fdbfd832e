#include "registry.hpp"

#include <utility>

namespace troupe::brokerage {

void registry::on_wish(admission_wish&& wish) {
  entry& about = entries_[wish.client_id];
  if (about.is_changing)
    about.waiting.push_back(std::move(wish));
  else
    begin(about, std::move(wish));
}

void registry::begin(entry& about, admission_wish&& wish) {
  about.is_changing = true;
  if (about.session == 0) {
    const shard_number to = wish.shard;
    say_(to, admission{.client_id = std::move(wish.client_id), .peer = wish.peer});
    return;
  }
  say_(about.shard, yield_order{.client_id = std::move(wish.client_id),
                                .to = wish.shard,
                                .peer = wish.peer,
                                .is_clean = wish.is_clean});
}

void registry::on_admitted(const admitted& how) {
  const auto known = entries_.find(how.client_id);
  if (known == entries_.end()) return;
  entry& about = known->second;
  about.session = how.session;
  about.shard = how.shard;
  about.is_changing = false;
  if (!about.waiting.empty()) {
    admission_wish next = std::move(about.waiting.front());
    about.waiting.pop_front();
    begin(about, std::move(next));
  } else if (about.session == 0) {
    entries_.erase(known);
  }
}

void registry::on_over(const session_over& which) {
  const auto known = entries_.find(which.client_id);
  if (known == entries_.end() || known->second.session != which.session) return;
  known->second.session = 0;
  if (!known->second.is_changing) entries_.erase(known);
}

} // namespace troupe::brokerage
