// session_table: the sessions that live on this shard.
//
// Lives here: session_table: by number and by client id.
// Holds:   a session belongs to the table of the shard it lives on, and to no other.
// Threads: belongs to one shard.
// Costs:   look-ups are one hash.
#pragma once

#include "peer_session.hpp"

#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace troupe::brokerage {

class session_table {
public:
  /// Null when nobody has that number or id here.
  peer_session* find(session_number number) const noexcept {
    const auto known = by_number_.find(number);
    return known == by_number_.end() ? nullptr : known->second.get();
  }
  peer_session* find(std::string_view client_id) const noexcept {
    const auto known = by_id_.find(client_id);
    return known == by_id_.end() ? nullptr : known->second;
  }
  peer_session& add(std::unique_ptr<peer_session> newcomer) {
    peer_session& session = *newcomer;
    by_id_[session.client_id()] = &session;
    by_number_[session.number()] = std::move(newcomer);
    return session;
  }
  std::unique_ptr<peer_session> take(peer_session& who) {
    by_id_.erase(who.client_id());
    auto node = by_number_.extract(who.number());
    return std::move(node.mapped());
  }
  template <class F>
  void for_each(F f) const {
    for (const auto& [number, session] : by_number_) f(*session);
  }
  std::size_t size() const noexcept { return by_number_.size(); }

private:
  std::unordered_map<session_number, std::unique_ptr<peer_session>> by_number_{};
  std::unordered_map<std::string_view, peer_session*> by_id_{}; // keys lie in the sessions
};

} // namespace troupe::brokerage
