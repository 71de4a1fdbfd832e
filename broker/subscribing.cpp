#include "subscribing.hpp"

#include "hooks.hpp"
#include "pledges.hpp"
#include "shard.hpp"
#include "store.hpp"

#include "../protocol/topic.hpp"

#include <algorithm>
#include <utility>

namespace troupe::brokerage {

using protocol::reason_code;

namespace {

bool is_shared(std::string_view filter) noexcept { return !protocol::split_shared(filter).share.empty(); }

} // namespace

// -- requests -----------------------------------------------------------------

void subscribing::on_subscribe(peer& who, const protocol::subscribe& packet) {
  if (who.session() == nullptr) return;
  shard_.routing().flush_run();
  const std::uint32_t identifier =
      packet.properties.number(protocol::property::subscription_identifier).value_or(0);
  question asked{.serial = ++last_serial_, .asker = who.number()};
  peer::pending_answer answer{.id = packet.id, .serial = asked.serial};
  for (const protocol::subscription line : packet.filters) {
    answer.codes.push_back(subscribe_one(who, line, identifier, answer, asked));
    if (protocol::is_failure(answer.codes.back())) shard_.shop().counts.filters_refused.add();
  }
  wait_behind_earlier(asked);
  answer.is_ready = asked.open == 0;
  if (!answer.is_ready) open_.emplace(asked.serial, asked);
  who.answers.push_back(std::move(answer));
  answer_ready(who);
}

reason_code subscribing::judge(const peer& who, const protocol::subscription& line) const {
  const broker_options& options = shard_.shop().options;
  const bool is_known = who.session()->filters.contains(std::string{line.filter});
  if (!is_known && who.session()->filters.size() >= options.max_subscriptions)
    return reason_code::quota_exceeded;
  const protocol::shared_filter parts = protocol::split_shared(line.filter);
  if (!options.shared_subscription_available && !parts.share.empty())
    return reason_code::shared_subscriptions_not_supported;
  if (!options.wildcard_subscription_available && protocol::has_wildcard(parts.filter))
    return reason_code::wildcard_subscriptions_not_supported;
  const auto levels = 1 + static_cast<std::size_t>(std::ranges::count(parts.filter, '/'));
  if (options.max_filter_levels != 0 && levels > options.max_filter_levels)
    return reason_code::quota_exceeded;
  if (const reason_code no = judge_access(who, parts.filter); protocol::is_failure(no)) return no;
  hooks* const look = shard_.shop().hooks;
  return look == nullptr ? reason_code::success : look->on_subscribe(who.who(), line);
}

reason_code subscribing::judge_access(const peer& who, std::string_view filter) const {
  const access* const may = shard_.shop().may.get();
  return may == nullptr ? reason_code::success : may->may_subscribe(who.who(), filter);
}

void subscribing::judge_again(const peer& who, peer_session& session) {
  if (shard_.shop().may == nullptr || session.is_moving) return;
  std::vector<std::string> refused;
  for (const auto& [filter, how] : session.filters)
    if (protocol::is_failure(judge_access(who, protocol::split_shared(filter).filter)))
      refused.push_back(filter);
  if (!refused.empty()) shard_.routing().flush_run();
  for (const std::string& filter : refused) end_subscription(session, filter);
}

reason_code subscribing::subscribe_one(peer& who, const protocol::subscription& line,
                                       std::uint32_t identifier, peer::pending_answer& answer,
                                       question& asked) {
  if (const reason_code no = judge(who, line); protocol::is_failure(no)) return no;
  const grant how{.identifier = identifier,
                  .quality = std::min(line.quality, shard_.shop().options.maximum_qos),
                  .no_local = line.no_local,
                  .retain_as_published = line.retain_as_published};
  const std::string filter{line.filter};
  const auto inserted = put_in(*who.session(), filter, how, asked);
  if (!inserted) return reason_code::topic_filter_invalid;
  const bool is_new = *inserted;
  const bool wants_retained = line.handling == protocol::retain_handling::send
                              || (line.handling == protocol::retain_handling::send_if_new && is_new);
  if (wants_retained && !is_shared(filter)) answer.retained.emplace_back(filter, how); // [MQTT-3.3.1-9]
  return protocol::granted(how.quality);
}

void subscribing::on_unsubscribe(peer& who, const protocol::unsubscribe& packet) {
  peer_session* const session = who.session();
  if (session == nullptr) return;
  shard_.routing().flush_run();
  peer::pending_answer answer{.is_subscribe = false, .is_ready = true, .id = packet.id};
  for (const std::string_view line : packet.filters) {
    const std::string filter{line};
    const bool is_known = session->filters.contains(filter);
    if (is_known) end_subscription(*session, filter);
    answer.codes.push_back(is_known ? reason_code::success : reason_code::no_subscription_existed);
  }
  who.answers.push_back(std::move(answer));
  answer_ready(who);
}

void subscribing::answer_ready(peer& who) {
  while (!who.answers.empty() && who.answers.front().is_ready && !who.is_leaving()) {
    const peer::pending_answer answer = std::move(who.answers.front());
    who.answers.pop_front();
    who.touch();
    if (shard_.shop().pledged != nullptr) shard_.shop().pledged->rely_on_earlier();
    if (answer.is_subscribe)
      who.machine().answer_subscribe(answer.id, answer.codes, {});
    else
      who.machine().answer_unsubscribe(answer.id, answer.codes, {});
    peer_session* const session = who.session();
    if (session == nullptr) return;
    for (const auto& [filter, how] : answer.retained) session->begin_retained(filter, how);
    if (session->is_waiting()) shard_.pump_later(*session);
  }
}

// -- one filter ---------------------------------------------------------------

protocol::result<bool> subscribing::put_in(peer_session& who, const std::string& filter, const grant& how,
                                           question& asked) {
  const bool is_new = !who.filters.contains(filter);
  if (is_shared(filter)) {
    tell_owner(who, filter, how, group_change::kind::join, asked);
  } else {
    const auto added = shard_.wishes().add(filter, subscriber{who}, how);
    if (!added) return added.error();
    if (is_new && shard_.wishes().begin_interest(filter)) tell_all(filter, true, asked);
  }
  who.filters[filter] = how;
  if (who.is_durable()) shard_.shop().durable->keep_filter(who.number(), filter, how);
  if (is_new) shard_.shop().counts.subscriptions.add();
  return is_new;
}

void subscribing::end_subscription(peer_session& who, const std::string& filter) {
  who.filters.erase(filter);
  take_out(who, filter);
  if (who.is_durable()) shard_.shop().durable->drop_filter(who.number(), filter);
}

void subscribing::take_out(peer_session& who, const std::string& filter) {
  shard_.shop().counts.subscriptions.subtract();
  question nobody{};
  if (is_shared(filter)) return tell_owner(who, filter, {}, group_change::kind::leave, nobody);
  drop_filter(who, filter);
}

void subscribing::drop_filter(peer_session& who, const std::string& filter) {
  question nobody{};
  shard_.wishes().remove(filter, subscriber{who});
  if (shard_.wishes().end_interest(filter)) tell_all(filter, false, nobody);
}

void subscribing::tell_all(std::string_view filter, bool begins, question& asked) {
  for (shard_number other = 0; other < shard_.shards(); ++other) {
    if (other == shard_.self()) continue;
    ++asked.open;
    shard_.say(other, interest{.filter = std::string{filter},
                               .who = shard_.self(),
                               .begins = begins,
                               .serial = asked.serial});
  }
}

void subscribing::tell_owner(const peer_session& who, const std::string& name, const grant& how,
                             group_change::kind what, question& asked) {
  group_change change{.what = what,
                      .name = name,
                      .who = {.number = who.number(),
                              .shard = shard_.self(),
                              .is_connected = who.connection() != nullptr,
                              .how = how}};
  const shard_number owner = group_table::owner_of(name, shard_.shards());
  if (owner == shard_.self()) return change_group(change, asked);
  ++asked.open;
  change.serial = asked.serial;
  shard_.say(owner, std::move(change));
}

void subscribing::wait_behind_earlier(question& asked) {
  if (asked.open == 0 && !open_.empty()) tell_all({}, true, asked);
}

// -- whole sessions -----------------------------------------------------------

void subscribing::withdraw(peer_session& who) {
  for (const auto& [filter, how] : who.filters) take_out(who, filter);
}

void subscribing::withdraw_moved(peer_session& who) {
  for (const auto& [filter, how] : who.filters) {
    shard_.shop().counts.subscriptions.subtract();
    if (!is_shared(filter)) drop_filter(who, filter); // the owner of a group knows where it lives now
  }
}

void subscribing::collect(peer_session& collector, const moving& what) {
  question asked{.serial = ++last_serial_, .collector = collector.number()};
  resettlement news{.session = what.session, .from = what.from, .to = shard_.self(), .serial = asked.serial};
  question nobody{};
  for (const auto& [filter, how] : what.filters) {
    collector.filters[filter] = how;
    shard_.shop().counts.subscriptions.add();
    if (is_shared(filter)) {
      tell_owner(collector, filter, how, group_change::kind::join, nobody);
      continue;
    }
    static_cast<void>(shard_.wishes().add(filter, subscriber{collector}, how));
    shard_.wishes().begin_interest(filter);
    news.filters.push_back(filter);
  }
  collector.cut_off = ~(std::uint64_t{1} << shard_.self());
  for (shard_number other = 0; other < shard_.shards(); ++other) {
    if (other == shard_.self()) continue;
    ++asked.open;
    shard_.say(other, resettlement{news});
  }
  open_.emplace(asked.serial, asked);
  shard_.say(what.from, cut{.session = what.session, .by = shard_.self()});
}

void subscribing::replace(peer_session& collector, peer_session& who) {
  for (const auto& [filter, how] : who.filters) {
    if (is_shared(filter)) continue;
    shard_.wishes().remove(filter, subscriber{collector});
    static_cast<void>(shard_.wishes().add(filter, subscriber{who}, how));
  }
}

void subscribing::say_status(const peer_session& who) {
  question nobody{};
  for (const auto& [filter, how] : who.filters)
    if (is_shared(filter)) tell_owner(who, filter, how, group_change::kind::status, nobody);
}

// -- from other shards --------------------------------------------------------

void subscribing::on_interest(const interest& what) {
  shard_.routing().flush_run();
  if (!what.filter.empty()) {
    if (what.begins) // it was accepted where it came from; the caps are the same everywhere
      static_cast<void>(shard_.wishes().add(what.filter, subscriber{what.who}));
    else
      shard_.wishes().remove(what.filter, subscriber{what.who});
  }
  if (what.serial != 0) shard_.say(what.who, interest_known{.by = shard_.self(), .serial = what.serial});
}

void subscribing::on_resettlement(const resettlement& what) {
  shard_.routing().flush_run();
  for (const std::string& filter : what.filters)
    static_cast<void>(shard_.wishes().add(filter, subscriber{what.to}));
  // in this order: behind them stands what this shard sends from now on
  shard_.say(what.to, interest_known{.by = shard_.self(), .serial = what.serial});
  shard_.say(what.from, cut{.session = what.session, .by = shard_.self()});
}

void subscribing::on_known(const interest_known& what) {
  const auto known = open_.find(what.serial);
  if (known == open_.end()) return;
  if (peer_session* const collector = shard_.sessions().find(known->second.collector); collector != nullptr)
    collector->cut_off &= ~(std::uint64_t{1} << what.by);
  if (--known->second.open != 0) return;
  const question done = known->second;
  open_.erase(known);
  if (done.collector != 0) return;
  if (done.asker == 0)
    return shard_.say(done.shard, interest_known{.by = shard_.self(), .serial = done.shard_serial});
  peer* const who = shard_.find_peer(done.asker);
  if (who == nullptr) return;
  for (peer::pending_answer& one : who->answers)
    if (one.serial == done.serial) one.is_ready = true;
  answer_ready(*who);
}

void subscribing::on_group_change(const group_change& what) {
  question asked{
      .serial = what.serial != 0 ? ++last_serial_ : 0, .shard = what.who.shard, .shard_serial = what.serial};
  change_group(what, asked);
  if (what.serial == 0) return;
  wait_behind_earlier(asked);
  if (asked.open != 0)
    open_.emplace(asked.serial, asked);
  else
    shard_.say(what.who.shard, interest_known{.by = shard_.self(), .serial = what.serial});
}

void subscribing::change_group(const group_change& what, question& asked) {
  shared_group* group = shard_.groups().find(what.name);
  if (what.what == group_change::kind::join && group == nullptr) {
    group = &shard_.groups().add(what.name);
    const std::string filter{group->filter()};
    static_cast<void>(shard_.wishes().add(filter, subscriber{*group}));
    if (shard_.wishes().begin_interest(filter)) tell_all(filter, true, asked);
  }
  if (group == nullptr) return;
  switch (what.what) {
  case group_change::kind::join: group->join(what.who); return;
  case group_change::kind::status:
    return group->set_connected(what.who.number, what.who.is_connected, what.who.shard);
  case group_change::kind::leave: break;
  }
  group->leave(what.who.number);
  if (!group->empty()) return;
  shard_.routing().flush_run();
  const std::string filter{group->filter()};
  shard_.wishes().remove(filter, subscriber{*group});
  if (shard_.wishes().end_interest(filter)) tell_all(filter, false, asked);
  shard_.groups().remove(*group);
}

void subscribing::on_shared_return(const shared_return& what) {
  for_each_publish(what.what.frames, what.what.form, [&](const protocol::publish& packet, protocol::octets) {
    shared_group* const group = shard_.groups().find(what.group);
    if (group == nullptr) return;
    onward message{
        .packet = packet, .owner = what.what.owner.get(), .form = what.what.form, .now = shard_.shop().now};
    shard_.routing().hand_to_group(*group, message, what.gone);
  });
}

} // namespace troupe::brokerage
