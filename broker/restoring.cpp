// How a shard gets back what was written down: see stored_state.
#include "shard.hpp"
#include "stored_state.hpp"
#include "wills.hpp"

#include "../protocol/topic.hpp"

#include <algorithm>
#include <utility>

namespace troupe::brokerage {

namespace {

/// What is for one shard.
class restorer {
public:
  restorer(const stored_state& from, shard& to) : from_{from}, to_{to} {}

  void words();
  void groups();
  void wills();
  void session(const stored_session& one);

private:
  message_ref keep(const stored_message& from);
  const message_ref& message_of(std::uint64_t number);
  void filters(const stored_session& of, peer_session* who);
  void filter(const stored_session& of, peer_session* who, const std::string& text, const grant& how);
  void deliveries(const stored_session& of, peer_session& who);
  std::uint32_t group_of(const stored_session& of, std::string_view topic) const;
  void absence(const stored_session& of, peer_session& who);

  const stored_state& from_;
  shard& to_;
  std::unordered_map<std::uint64_t, message_ref> messages_{};
};

message_ref restorer::keep(const stored_message& from) {
  message_ref made;
  for_each_publish(protocol::as_octets(from.frame), protocol::version::v5_0,
                   [&](const protocol::publish& packet, protocol::octets) {
                     made = to_.shop().store.keep(packet, nullptr, to_.shop().durable->steady(from.received));
                   });
  return made;
}

const message_ref& restorer::message_of(std::uint64_t number) {
  message_ref& known = messages_[number];
  if (!known) {
    known = keep(from_.messages.at(number));
    known->record().number = number;
  }
  ++known->record().references;
  return known;
}

void restorer::words() {
  retained& words = to_.shop().last_words;
  for (const stored_word& one : from_.words) words.set(keep(one.message), one.when);
  to_.shop().counts.retained_messages.add(words.size());
}

void restorer::groups() {
  for (const auto& [name, number] : from_.groups) {
    const shard_number owner = group_table::owner_of(number);
    const std::string filter{protocol::split_shared(name).filter};
    if (owner == to_.self()) {
      shared_group& made = to_.groups().add(name);
      static_cast<void>(to_.wishes().add(filter, subscriber{made}));
      to_.wishes().begin_interest(filter);
    } else {
      static_cast<void>(to_.wishes().add(filter, subscriber{owner}));
    }
  }
}

/// Of sessions that did not outlive the process: said in the first event of their shard.
void restorer::wills() {
  for (const auto& [number, message] : from_.wills)
    if (number % to_.shards() == to_.self()) to_.publish_later(keep(message), number);
}

void restorer::session(const stored_session& one) {
  if (registry::of(one.client_id, to_.shards()) == to_.self())
    to_.names().restore(one.client_id, one.number, one.shard);
  if (one.shard != to_.self()) return filters(one, nullptr);
  peer_session& who = to_.doors().restore(one.client_id, one.number);
  who.expiry = std::chrono::seconds{one.expiry};
  filters(one, &who);
  deliveries(one, who);
  for (const protocol::packet_id id : one.receipts) who.exchange().owed().restore(id);
  absence(one, who);
}

void restorer::filters(const stored_session& of, peer_session* who) {
  for (const auto& [text, how] : of.filters) {
    filter(of, who, text, how);
    if (who == nullptr) continue;
    who->filters.emplace(text, how);
    to_.shop().counts.subscriptions.add();
  }
}

void restorer::filter(const stored_session& of, peer_session* who, const std::string& text,
                      const grant& how) {
  if (protocol::is_shared(text)) {
    if (shared_group* const group = to_.groups().find(text); group != nullptr)
      group->join({.number = of.number, .shard = of.shard, .is_connected = false, .how = how});
  } else if (who == nullptr) {
    static_cast<void>(to_.wishes().add(text, subscriber{of.shard}));
  } else {
    static_cast<void>(to_.wishes().add(text, subscriber{*who}, how));
    to_.wishes().begin_interest(text);
  }
}

std::uint32_t restorer::group_of(const stored_session& of, std::string_view topic) const {
  for (const auto& [text, how] : of.filters)
    if (protocol::is_shared(text) && protocol::matches(protocol::split_shared(text).filter, topic))
      return from_.groups.find(text)->second;
  return 0;
}

void restorer::deliveries(const stored_session& of, peer_session& who) {
  for (const stored_delivery& one : of.deliveries) {
    const message_ref& message = message_of(one.what.message);
    const std::uint32_t group = one.what.is_shared ? group_of(of, message->packet().topic) : 0;
    who.restore(one.sequence, message, one.what, one.identifiers, group);
  }
}

/// Who was connected when the process ended is away since now: nobody knows better.
void restorer::absence(const stored_session& of, peer_session& who) {
  store& durable = *to_.shop().durable;
  if (of.will) {
    who.will = keep(of.will->message);
    who.will_delay = std::chrono::seconds{of.will->delay};
    who.is_will_written = true;
  }
  begin_absence(who, to_.shop().now);
  if (of.ends == was_connected)
    durable.keep(who, false);
  else
    who.ends = of.ends == never_ends ? protocol::never : durable.steady(of.ends);
  if (of.will && of.will->due != was_connected)
    who.will_due = std::min(durable.steady(of.will->due), who.ends);
  else if (of.will)
    durable.keep_will(who, false);
  to_.watch(who);
}

} // namespace

void restore(const stored_state& from, shard& to) {
  restorer what{from, to};
  what.words();
  what.groups();
  what.wills();
  for (const stored_session& one : from.sessions) what.session(one);
}

} // namespace troupe::brokerage
