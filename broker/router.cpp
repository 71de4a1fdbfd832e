#include "router.hpp"

#include "group_table.hpp"
#include "hooks.hpp"
#include "peer.hpp"
#include "pledges.hpp"
#include "store.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace troupe::brokerage {

using protocol::qos;
using protocol::reason_code;

namespace {

/// Whether packets in `form` may go to all of this route's targets as they are.
bool is_plain(const route& way, protocol::version form) noexcept {
  return way.groups.empty() && std::all_of(way.targets.begin(), way.targets.end(), [form](const target& one) {
           return one.identifiers.empty() && one.who->may_pass(form);
         });
}

} // namespace

router::router(workshop& shop, shard_host& host, subscriptions& wishes, session_table& sessions,
               group_table& groups, shard_number self, shard_number shards)
    : shop_{shop},
      host_{host},
      wishes_{wishes},
      sessions_{sessions},
      groups_{groups},
      self_{self},
      shards_{shards} {}

std::uint64_t router::others() const noexcept {
  const std::uint64_t all = shards_ >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << shards_) - 1;
  return all & ~(std::uint64_t{1} << self_);
}

// -- from a peer --------------------------------------------------------------

const route& router::way_of(peer& from, std::string_view topic) {
  const route* const last = from.last_way;
  if (last != nullptr && last->edition == wishes_.edition() && last->topic == topic) return *last;
  flush_run(); // its route may be the one that is replaced
  const route& way = wishes_.find(topic);
  from.last_way = &way;
  return way;
}

protocol::publish_verdict router::publish_anew(peer& from, const protocol::publish& packet,
                                               protocol::octets whole, bool is_same,
                                               protocol::keeper* owner) {
  if (const reason_code no = from.judge_topic(packet.topic); protocol::is_failure(no)) return refuse(no);
  if (shop_.hooks != nullptr) [[unlikely]] {
    const reason_code how = shop_.hooks->on_publish(from.who(), packet);
    if (protocol::is_failure(how)) return refuse(how);
    if (how == reason_code::no_matching_subscribers) return {};
  }
  const route& way = way_of(from, packet.topic);
  const bool is_bare =
      packet.quality == qos::at_most_once && !packet.retain && is_same && shop_.hooks == nullptr;
  if (is_bare && gather(from, way, packet.topic, whole, owner)) return {};
  flush_run();
  return publish_alone(from, packet, way, whole, is_same, owner);
}

protocol::publish_verdict router::refuse(reason_code why) {
  flush_run(); // what came before it goes before what comes behind it
  shop_.counts.publishes_refused.add();
  return {.reason = why};
}

protocol::publish_verdict router::publish_alone(peer& from, const protocol::publish& packet, const route& way,
                                                protocol::octets whole, bool is_same,
                                                protocol::keeper* owner) {
  onward message{.packet = packet,
                 .owner = owner,
                 .form = from.version(),
                 .from = from.session()->number(),
                 .via = self_,
                 .now = shop_.now};
  if (packet.properties.has(protocol::property::topic_alias)) {
    message.packet.properties = rewritten(packet.properties, {.drop_alias = true}, without_alias_);
    message.packet.topic_alias = 0;
  }
  std::uint64_t shards = way.shards;
  stamp when{};
  if (packet.retain && shop_.options.retain_available) {
    when = shop_.last_words.next_stamp(self_);
    set_retained(message, when);
    shards = others();
  }
  if (shards != 0) {
    publish_run run = is_same && owner != nullptr
                          ? publish_run{.frames = whole,
                                        .largest = static_cast<std::uint32_t>(whole.size()),
                                        .owner = protocol::keeper_ref{owner},
                                        .form = message.form,
                                        .from = message.from,
                                        .received = message.now}
                          : pack(message.packet, message.from, message.now);
    run.when = when;
    post(shards, run);
  }
  const bool nobody = way.is_empty();
  hand_out(way, message);
  if (nobody && message.form == protocol::version::v5_0)
    return {.reason = reason_code::no_matching_subscribers};
  return {};
}

bool router::gather(const peer& from, const route& way, std::string_view topic, protocol::octets whole,
                    protocol::keeper* owner) {
  flush_run();
  if (!is_plain(way, from.version())) return false;
  run_ = {.way = &way,
          .publisher = &from,
          .topic = topic.data(),
          .begin = whole.data(),
          .end = whole.data() + whole.size(),
          .owner = owner,
          .from = from.session()->number(),
          .form = from.version(),
          .count = 1,
          .largest = static_cast<std::uint32_t>(whole.size())};
  return true;
}

void router::flush_run() {
  if (run_.way == nullptr) return;
  const route& way = *run_.way;
  run_.way = nullptr;
  publish_run run{.frames = {run_.begin, run_.end},
                  .count = run_.count,
                  .largest = run_.largest,
                  .owner = way.shards != 0 ? protocol::keeper_ref{run_.owner} : protocol::keeper_ref{},
                  .form = run_.form,
                  .from = run_.from,
                  .via = self_,
                  .received = shop_.now};
  if (way.shards != 0) post(way.shards, run);
  pass_on(way, run);
}

// -- to sessions --------------------------------------------------------------

void router::pass_on(const route& way, const publish_run& run) {
  protocol::keeper* const owner = run.owner ? run.owner.get() : run_.owner;
  for (const target& one : way.targets) {
    if (one.no_local && run.from == one.who->number()) continue;
    if (one.identifiers.empty() && one.who->pass(run, owner)) continue;
    for_each_publish(run.frames, run.form, [&](const protocol::publish& packet, protocol::octets) {
      onward message{.packet = packet,
                     .owner = owner,
                     .form = run.form,
                     .from = run.from,
                     .via = run.via,
                     .now = shop_.now};
      one.who->offer(message, one);
    });
  }
}

void router::hand_out(const route& way, onward& message) {
  for (const target& one : way.targets) one.who->offer(message, one);
  for (shared_group* group : way.groups) hand_to_group(*group, message);
}

void router::hand_to_group(shared_group& group, onward& message, session_number except) {
  const member* const chosen = group.pick(except);
  if (chosen == nullptr) return;
  if (chosen->shard != self_) {
    shared_delivery news{.what = pack(message.packet, message.from, message.now),
                         .to = chosen->number,
                         .group = group.number(),
                         .how = chosen->how};
    promise(news.what);
    return host_.post(chosen->shard, std::move(news));
  }
  peer_session* const session = sessions_.find(chosen->number);
  if (session == nullptr) return;
  target to{.who = session,
            .group = group.number(),
            .quality = chosen->how.quality,
            .retain_as_published = chosen->how.retain_as_published};
  if (chosen->how.identifier != 0) to.identifiers = {&chosen->how.identifier, 1};
  session->offer(message, to);
}

void router::set_retained(onward& message, const stamp& when) {
  retained& words = shop_.last_words;
  const std::size_t before = words.size();
  if (!words.set(message.keep(shop_.store), when)) shop_.counts.messages_dropped.add();
  shop_.counts.retained_messages.add(words.size() - before); // wraps around when one is cleared
  if (shop_.durable != nullptr) write_retained(message, when);
}

/// Every shard has the word; the one that the topic falls to writes it down.
void router::write_retained(const onward& message, const stamp& when) {
  const std::string_view topic = message.packet.topic;
  if (topic.starts_with("$SYS/")) return; // the next process says it anew
  if (retained::keeper_of(topic, shards_) != self_ || !shop_.last_words.is_latest(message.kept, when)) return;
  if (message.packet.payload.empty())
    shop_.durable->drop_word(topic);
  else
    shop_.durable->keep_word(message.kept, when);
}

// -- between shards -----------------------------------------------------------

/// Whoever gets `run` answers when he has written it down: before that, its publisher is told nothing.
void router::promise(publish_run& run) {
  run.via = self_;
  const bool is_promised =
      shop_.pledged != nullptr && run.count != 0 && (run.frames[0] & 0x06U) != 0; // QoS 1 or 2
  run.pledge = is_promised ? shop_.pledged->post() : 0;
}

void router::post(std::uint64_t shards, const publish_run& run) {
  if (run.count == 0) return;
  for (; shards != 0; shards &= shards - 1) {
    publish_run copy{run};
    promise(copy);
    host_.post(static_cast<shard_number>(std::countr_zero(shards)), std::move(copy));
  }
}

void router::on_run(const publish_run& run) {
  const route* way = nullptr;
  for_each_publish(run.frames, run.form, [&](const protocol::publish& packet, protocol::octets) {
    if (way != nullptr) return;
    way = &wishes_.find(packet.topic);
    if (packet.quality == qos::at_most_once && !packet.retain && is_plain(*way, run.form))
      return pass_on(*way, run);
    way = nullptr;
  });
  if (way != nullptr) return;
  for_each_publish(run.frames, run.form, [&](const protocol::publish& packet, protocol::octets) {
    onward message{.packet = packet,
                   .owner = run.owner.get(),
                   .form = run.form,
                   .from = run.from,
                   .via = run.via,
                   .now = run.received};
    if (run.when.count != 0) set_retained(message, run.when);
    hand_out(wishes_.find(packet.topic), message);
  });
}

void router::on_shared(const shared_delivery& what) {
  peer_session* const session = sessions_.find(what.to);
  if (session == nullptr) {
    shared_return back{.what = what.what, .group = what.group, .gone = what.to};
    promise(back.what);
    host_.post(group_table::owner_of(what.group), std::move(back)); // never this shard: it would know
    return;
  }
  for_each_publish(what.what.frames, what.what.form, [&](const protocol::publish& packet, protocol::octets) {
    onward message{.packet = packet,
                   .owner = what.what.owner.get(),
                   .form = what.what.form,
                   .from = what.what.from,
                   .now = what.what.received};
    target to{.who = session,
              .group = what.group,
              .quality = what.how.quality,
              .retain_as_published = what.how.retain_as_published};
    if (what.how.identifier != 0) to.identifiers = {&what.how.identifier, 1};
    session->offer(message, to);
  });
}

void router::publish_own(const protocol::publish& packet, protocol::keeper* owner, session_number from) {
  onward going{.packet = packet, .owner = owner, .from = from, .via = self_, .now = shop_.now};
  const route& way = wishes_.find(going.packet.topic);
  std::uint64_t shards = way.shards;
  stamp when{};
  if (going.packet.retain && shop_.options.retain_available) {
    when = shop_.last_words.next_stamp(self_);
    set_retained(going, when);
    shards = others();
  }
  if (shards != 0) {
    publish_run run = pack(going.packet, from, going.now);
    run.when = when;
    post(shards, run);
  }
  hand_out(way, going);
}

} // namespace troupe::brokerage
