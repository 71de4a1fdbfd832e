#include "subscriptions.hpp"

#include <algorithm>
#include <functional>

namespace troupe::brokerage {

subscriptions::subscriptions() : cache_(cache_size) {}

protocol::result<bool> subscriptions::add(std::string_view filter, subscriber who, const grant& how) {
  ++edition_;
  return index_.insert(filter, who, how);
}

bool subscriptions::remove(std::string_view filter, subscriber who) {
  ++edition_;
  return index_.erase(filter, who);
}

const route& subscriptions::find(std::string_view topic) {
  route& known = cache_[std::hash<std::string_view>{}(topic) % cache_size];
  if (known.edition != edition_ || known.topic != topic) compile(topic, known);
  return known;
}

void subscriptions::compile(std::string_view topic, route& into) {
  into.topic.assign(topic);
  into.edition = edition_;
  into.shards = 0;
  into.targets.clear();
  into.groups.clear();
  found_.clear();
  ++mark_;
  index_.match(topic, [&](const auto& entry) {
    switch (entry.who.what()) {
    case subscriber::kind::session: return add_target(into, *entry.who.session(), entry.value);
    case subscriber::kind::group: into.groups.push_back(entry.who.group()); return;
    case subscriber::kind::shard: into.shards |= std::uint64_t{1} << entry.who.shard(); return;
    }
  });
  settle_identifiers(into);
}

void subscriptions::add_target(route& into, peer_session& who, const grant& how) {
  if (who.mark_ != mark_) {
    who.mark_ = mark_;
    who.place_ = static_cast<std::uint32_t>(into.targets.size());
    into.targets.push_back({.who = &who,
                            .quality = how.quality,
                            .no_local = how.no_local,
                            .retain_as_published = how.retain_as_published});
  } else {
    target& known = into.targets[who.place_];
    known.quality = std::max(known.quality, how.quality); // [MQTT-3.3.4-2]
    known.no_local = known.no_local && how.no_local;
    known.retain_as_published = known.retain_as_published || how.retain_as_published;
  }
  if (how.identifier != 0) found_.emplace_back(who.place_, how.identifier);
}

void subscriptions::settle_identifiers(route& into) {
  std::sort(found_.begin(), found_.end());
  into.identifiers.clear();
  for (const auto& [place, identifier] : found_) into.identifiers.push_back(identifier);
  for (std::size_t begin = 0; begin < found_.size();) {
    std::size_t end = begin;
    while (end < found_.size() && found_[end].first == found_[begin].first) ++end;
    into.targets[found_[begin].first].identifiers = {into.identifiers.data() + begin, end - begin};
    begin = end;
  }
}

bool subscriptions::begin_interest(std::string_view filter) { return interest_[std::string{filter}]++ == 0; }

bool subscriptions::end_interest(std::string_view filter) {
  const auto known = interest_.find(std::string{filter});
  if (known == interest_.end() || --known->second != 0) return false;
  interest_.erase(known);
  return true;
}

} // namespace troupe::brokerage
