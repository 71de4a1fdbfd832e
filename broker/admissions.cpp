#include "admissions.hpp"

#include "auth_dialogue.hpp"
#include "bridge_desk.hpp"
#include "hooks.hpp"
#include "pledges.hpp"
#include "shard.hpp"
#include "store.hpp"
#include "wills.hpp"

#include <memory>
#include <utility>

namespace troupe::brokerage {

using protocol::reason_code;

namespace {

/// Far behind whatever a session may get while it moves.
constexpr std::uint64_t collected_from = std::uint64_t{1} << 32U;
constexpr unsigned shard_bits = 8; // of a session number, at its upper end

std::string in_hex(std::uint64_t value) {
  std::string text(16, '0');
  for (auto at = text.rbegin(); value != 0; value >>= 4U, ++at) *at = "0123456789abcdef"[value & 15U];
  return text;
}

} // namespace

admissions::admissions(shard& home, session_number last)
    : shard_{home},
      connects_{(home.shop().options.max_connects_per_second + home.shards() - 1) / home.shards()},
      chance_{std::random_device{}()},
      last_{last & ~(~session_number{0} << (64U - shard_bits))} {}

// -- CONNECT ------------------------------------------------------------------

void admissions::on_connect(peer& who, const protocol::connect& packet) {
  if (!connects_.pass(shard_.shop().now)) {
    shard_.shop().counts.connections_throttled.add();
    return who.disconnect(reason_code::connection_rate_exceeded);
  }
  if (who.is_surplus && shard_.is_full()) return who.disconnect(reason_code::quota_exceeded);
  if (const reason_code no = judge(who, packet.password); protocol::is_failure(no)) return who.disconnect(no);
  if (who.said.auth_method) return begin_dialogue(shard_, who, packet.properties);
  if (shard_.shop().options.proof == nullptr || who.said.is_certified) return let_in(who);
  prove(who, packet.password);
}

void admissions::prove(peer& who, std::optional<protocol::octets> password) {
  authenticator& judge = *shard_.shop().options.proof;
  if (const auto how = judge.prove(who.who(), password, shard_.host().reply_to(who.number())))
    on_proof(who, *how);
}

void admissions::on_proof(peer& who, reason_code how) {
  if (!protocol::is_failure(how)) return let_in(who);
  shard_counters& counts = shard_.shop().counts;
  (how == reason_code::server_busy ? counts.logins_busy : counts.logins_refused).add();
  who.disconnect(how);
}

void admissions::let_in(peer& who) {
  // a will is a PUBLISH as well, and this is when its author can be told
  if (who.said.will && protocol::is_failure(who.judge_topic(who.said.will->packet().topic)))
    return who.disconnect(reason_code::not_authorized);
  if (hooks* const look = shard_.shop().hooks; look != nullptr)
    if (const reason_code no = look->on_connect(who.who()); protocol::is_failure(no))
      return who.disconnect(no);
  if (who.said.client_id.empty()) assign_id(who);
  shard_.say(registry::of(who.said.client_id, shard_.shards()),
             admission_wish{.client_id = who.said.client_id,
                            .shard = shard_.self(),
                            .peer = who.number(),
                            .is_clean = who.said.is_clean});
}

reason_code admissions::judge(const peer& who, std::optional<protocol::octets> password) const {
  if (shard_.is_stopping()) return reason_code::server_shutting_down;
  // 3.1.1: no name, no session [MQTT-3.1.3-8]
  if (who.said.client_id.empty() && who.version() != protocol::version::v5_0 && !who.said.is_clean)
    return reason_code::client_identifier_not_valid;
  const workshop& shop = shard_.shop();
  if (shop.counts.sessions.value() >= (shop.options.max_sessions + shard_.shards() - 1) / shard_.shards()
      && shard_.sessions().find(who.said.client_id) == nullptr)
    return reason_code::quota_exceeded;
  return shop.may != nullptr ? shop.may->may_connect(who.who(), password) : reason_code::success;
}

void admissions::assign_id(peer& who) {
  who.said.client_id = "troupe-" + in_hex(chance_());
  who.said.has_assigned_id = true;
}

// -- the session --------------------------------------------------------------

void admissions::on_yield(yield_order&& order) {
  admission answer{.client_id = order.client_id, .peer = order.peer};
  if (peer_session* const session = shard_.sessions().find(order.client_id); session != nullptr) {
    if (peer* const earlier = session->connection(); earlier != nullptr) {
      shard_.shop().counts.takeovers.add();
      earlier->disconnect(reason_code::session_taken_over);
    }
    shard_.let_sessions_go();
    if (order.is_clean || session->is_ending) {
      end(*session);
    } else if (order.to == shard_.self()) {
      answer.is_here = true;
    } else {
      return begin_move(*session, order);
    }
  }
  hand_over_records();
  shard_.say(order.to, std::move(answer));
}

/// The other shard may write about the same client: behind what this one wrote.
void admissions::hand_over_records() {
  if (store* const durable = shard_.shop().durable; durable != nullptr) durable->hand_over();
}

void admissions::begin_move(peer_session& who, const yield_order& order) {
  shard_.routing().flush_run();
  who.is_moving = true;
  who.moves_to = order.to;
  who.moves_for = order.peer;
  moving news{
      .client_id = who.client_id(), .peer = order.peer, .session = who.number(), .from = shard_.self()};
  for (const auto& [filter, how] : who.filters) news.filters.emplace_back(filter, how);
  if (who.is_durable()) news.sequence = who.next_sequence() + collected_from;
  hand_over_records();
  shard_.say(order.to, std::move(news));
}

void admissions::on_moving(const moving& what) {
  auto collector = std::make_unique<peer_session>(what.client_id, what.session, shard_.shop());
  if (what.sequence != 0) collector->become_durable(what.sequence);
  shard_.desk().collect(shard_.sessions().add(std::move(collector)), what);
}

void admissions::on_cut(const cut& what) {
  peer_session* const who = shard_.sessions().find(what.session);
  if (who == nullptr || !who->is_moving) return;
  who->cut_off |= std::uint64_t{1} << what.by;
  const unsigned shards = shard_.shards();
  const std::uint64_t all = shards >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << shards) - 1;
  // this shard cut it off itself, when it heard of the new home
  if (who->cut_off != all) return;
  admission answer{.client_id = who->client_id(), .peer = who->moves_for};
  const shard_number to = who->moves_to;
  shard_.desk().withdraw_moved(*who);
  shard_.forget(*who);
  who->leave_shard();
  answer.session = shard_.sessions().take(*who);
  hand_over_records();
  shard_.say(to, std::move(answer));
}

peer_session& admissions::move_in(std::unique_ptr<peer_session> arrived) {
  arrived->settle_in(shard_.shop());
  std::unique_ptr<peer_session> collector;
  if (peer_session* const known = shard_.sessions().find(arrived->number()); known != nullptr) {
    shard_.desk().replace(*known, *arrived);
    arrived->absorb(*known);
    shard_.forget(*known);
    collector = shard_.sessions().take(*known);
  }
  return shard_.sessions().add(std::move(arrived));
}

void admissions::on_admission(admission&& how) {
  peer_session* session = nullptr;
  if (how.is_here) session = shard_.sessions().find(how.client_id);
  if (how.session != nullptr) {
    session = &move_in(std::move(how.session));
    shard_.watch(*session);
  }
  const bool is_present = session != nullptr;
  peer* const who = shard_.find_peer(how.peer);
  const bool is_there = who != nullptr && !who->is_leaving();
  if (!is_present && is_there) session = &make_session(how.client_id);
  const session_number number = session != nullptr ? session->number() : 0;
  if (is_there) enter(*who, *session, is_present);
  settle(how.client_id, number); // last: the next wish may want this very session at once
}

peer_session& admissions::make_session(const std::string& client_id) {
  const session_number number = ++last_ | session_number{shard_.self() + 1} << (64U - shard_bits);
  return shard_.sessions().add(std::make_unique<peer_session>(client_id, number, shard_.shop()));
}

peer_session& admissions::restore(const std::string& client_id, session_number number) {
  peer_session& made =
      shard_.sessions().add(std::make_unique<peer_session>(client_id, number, shard_.shop()));
  made.become_durable();
  return made;
}

void admissions::settle(const std::string& client_id, session_number session) {
  shard_.say(registry::of(client_id, shard_.shards()),
             admitted{.client_id = client_id, .shard = shard_.self(), .session = session});
}

void admissions::enter(peer& who, peer_session& session, bool is_present) {
  end_absence(session);
  session.expiry = who.said.expiry;
  session.will = std::move(who.said.will);
  session.will_delay = who.said.will_delay;
  write_down(session, true);
  write_will(session, true);
  protocol::acceptance how{.session_present = is_present, .session_expiry = who.said.told_expiry};
  if (who.said.auth_method) say_method(who, how.properties);
  if (who.said.has_assigned_id) how.assigned_client_identifier = session.client_id();
  if (who.said.is_bridge) // a 5.0 client; what is too much for it, the machine leaves out
    static_cast<void>(how.properties.add_user_property(bridge_property, shard_.shop().id));
  shard_counters& counts = shard_.shop().counts;
  counts.connections.add();
  counts.connections_total.add();
  if (is_present) shard_.desk().judge_again(who, session); // it may be allowed less than before
  if (shard_.shop().hooks != nullptr) shard_.shop().hooks->on_connected(who.who(), is_present);
  who.admit(session, how);
  if (is_present) shard_.desk().say_status(session);
}

/// [MQTT-4.12.0-5]
void admissions::say_method(peer& who, protocol::property_block& block) {
  using protocol::property;
  static_cast<void>(block.set(property::authentication_method, std::string_view{*who.said.auth_method}));
  const std::string data = std::exchange(who.said.auth_data, {});
  if (!data.empty()) static_cast<void>(block.set(property::authentication_data, protocol::as_octets(data)));
}

/// A session that ends with its connection is not worth a record.
void admissions::write_down(peer_session& who, bool is_connected) {
  store* const durable = shard_.shop().durable;
  if (durable == nullptr) return;
  if (!who.is_durable() && who.expiry.count() != 0) who.become_durable();
  if (who.is_durable()) durable->keep(who, is_connected);
}

// -- absence and end ----------------------------------------------------------

void admissions::on_absence(peer_session& who) {
  shard_.shop().counts.connections.subtract();
  who.detach();
  begin_absence(who, shard_.shop().now);
  if (shard_.is_stopping()) who.will.reset();
  if (who.will && who.will_due <= shard_.shop().now) {
    shard_.publish_later(std::exchange(who.will, {}), who.number());
    who.will_due = protocol::never;
  } else {
    write_will(who, false);
  }
  if (who.expiry.count() == 0) return shard_.end_later(who);
  write_down(who, false);
  shard_.desk().say_status(who);
  shard_.watch(who);
}

void admissions::end(peer_session& who) {
  shard_.forget(who);
  shard_.desk().withdraw(who);
  if (who.will && !shard_.is_stopping()) // its record stays until it has been said
    shard_.publish_later(std::exchange(who.will, {}), who.number());
  if (who.is_durable())
    erase_records(who);
  else if (!shard_.is_stopping())
    give_back_shared(who);
  shard_.say(registry::of(who.client_id(), shard_.shards()),
             session_over{.client_id = who.client_id(), .session = who.number()});
  shard_.sessions().take(who);
}

/// One that is said after the end of this process, if it comes to that.
void admissions::write_will(peer_session& who, bool is_connected) {
  store* const durable = shard_.shop().durable;
  if (durable == nullptr) return;
  if (who.will)
    durable->keep_will(who, is_connected);
  else if (who.is_will_written)
    durable->drop_will(who.number());
  who.is_will_written = bool{who.will};
}

/// Whoever gets it has it written down first, here or on another shard.
void admissions::on_will_said(session_number who) {
  if (shard_.shop().durable == nullptr) return;
  pledges& pledged = *shard_.shop().pledged;
  if (!pledged.has_posts()) return drop_will(who);
  pledged.when_stored([this, who] { drop_will(who); });
}

/// Unless there is another one by now.
void admissions::drop_will(session_number who) {
  peer_session* const session = shard_.sessions().find(who);
  if (session != nullptr && session->will) return;
  if (session != nullptr) session->is_will_written = false;
  shard_.shop().durable->drop_will(who);
}

/// What goes to other members of a $share group is theirs, on whatever shard, before it goes from here.
void admissions::erase_records(peer_session& who) {
  store& durable = *shard_.shop().durable;
  const session_number number = who.number();
  bool has_shared = false;
  who.for_each_shared([&](const message_ref&, std::uint32_t) { has_shared = true; });
  if (!has_shared || shard_.is_stopping()) {
    durable.forget(number, who.end_records());
    return hand_over_records();
  }
  durable.keep_ended(who);
  hand_over_records();
  auto outer = shard_.shop().pledged->begin_mail();
  give_back_shared(who);
  shard_.shop().pledged->when_stored(
      [&durable, number, messages = who.end_records()] { durable.forget(number, messages); });
  shard_.shop().pledged->end_mail(std::move(outer));
}

void admissions::give_back_shared(peer_session& who) {
  who.for_each_shared([&](const message_ref& message, std::uint32_t group) {
    if (message->packet().quality == protocol::qos::at_most_once) return;
    shared_return back{.what = shard_.routing().pack(message->packet(), 0, message->received()),
                       .group = group,
                       .gone = who.number()};
    const shard_number owner = group_table::owner_of(group);
    if (owner != shard_.self()) shard_.routing().promise(back.what);
    shard_.say(owner, std::move(back));
  });
}

} // namespace troupe::brokerage
