#include "shard.hpp"

#include "hooks.hpp"
#include "stored_state.hpp"

#include <chrono>

namespace troupe::brokerage {

namespace {

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;

std::unique_ptr<store> open(const broker_options& options, shard_number self, shard_host& host,
                            const stored_state* past) {
  if (options.store == nullptr) return nullptr;
  return std::make_unique<store>(options.store, self, host.door_bell(), host.now(),
                                 past == nullptr ? 0 : past->last_message(self));
}

/// What may have to be stored before its sender is told so.
const publish_run* run_of(const shard_mail& what) noexcept {
  if (const auto* const run = std::get_if<publish_run>(&what)) return run;
  if (const auto* const one = std::get_if<shared_delivery>(&what)) return &one->what;
  if (const auto* const one = std::get_if<shared_return>(&what)) return &one->what;
  return nullptr;
}

/// So many more connections are taken in as long as it takes to tell them that there is no room.
constexpr std::size_t most_surplus = 64;

/// No word about a topic that was cleared is on its way between shards for longer than this.
constexpr std::chrono::seconds cleared_topics_live{30};

} // namespace

shard::shard(shard_number self, shard_number shards, const broker_options& options, shard_counters& counts,
             shard_host& host, const stored_state* past)
    : self_{self},
      shards_{shards},
      host_{host},
      durable_{open(options, self, host, past)},
      pledged_{durable_ == nullptr ? nullptr : std::make_unique<pledges>(*durable_)},
      last_words_{options.max_retained_messages, shards > 1},
      shop_{.options = options, .counts = counts, .last_words = last_words_, .store = store_},
      groups_{self},
      registry_{[this](shard_number to, shard_mail&& what) { say(to, std::move(what)); }},
      routing_{shop_, host, wishes_, sessions_, groups_, self, shards},
      admissions_{*this, past == nullptr ? 0 : past->last_session(self)},
      subscribing_{*this} {
  shop_.may = options.may;
  shop_.hooks = options.hooks.get();
  shop_.durable = durable_.get();
  shop_.pledged = pledged_.get();
  shop_.now = host.now();
  forgotten_ = shop_.now;
  if (past != nullptr) restore(*past, *this);
}

shard::~shard() {
  if (durable_ != nullptr) durable_->hand_over();
}

peer* shard::find_peer(peer_number number) const noexcept {
  const auto known = peers_.find(number);
  return known == peers_.end() ? nullptr : known->second.get();
}

void shard::say(shard_number to, shard_mail&& what) {
  if (to == self_)
    on_mail(std::move(what));
  else
    host_.post(to, std::move(what));
}

// -- from the host ------------------------------------------------------------

void shard::adopt(runtime::transport_ptr pipe) {
  const event here{*this};
  const peer_number number = ++last_peer_;
  auto newcomer = std::make_unique<peer>(*this, number, std::move(pipe));
  peer& who = *newcomer;
  peers_.emplace(number, std::move(newcomer));
  who.start();
  watch(who);
  who.is_surplus = is_full();
  if (is_stopping_ || peers_.size() > most_connections() + most_surplus) who.abort();
}

void shard::on_mail(shard_mail&& what) {
  const event here{*this};
  if (pledged_ == nullptr) return handle(what);
  const publish_run* const run = run_of(what);
  if (run == nullptr || run->pledge == 0) return handle(what);
  const auto [from, serial] = std::pair{run->via, run->pledge};
  auto outer = pledged_->begin_mail();
  handle(what);
  pledged_->end_mail(std::move(outer), from, serial);
}

void shard::handle(shard_mail& what) {
  std::visit(overloaded{[&](publish_run& one) { routing_.on_run(one); },
                        [&](shared_delivery& one) { routing_.on_shared(one); },
                        [&](shared_return& one) { subscribing_.on_shared_return(one); },
                        [&](interest& one) { subscribing_.on_interest(one); },
                        [&](interest_known& one) { subscribing_.on_known(one); },
                        [&](group_change& one) { subscribing_.on_group_change(one); },
                        [&](admission_wish& one) { registry_.on_wish(std::move(one)); },
                        [&](yield_order& one) { admissions_.on_yield(std::move(one)); },
                        [&](admission& one) { admissions_.on_admission(std::move(one)); },
                        [&](admitted& one) { registry_.on_admitted(one); },
                        [&](session_over& one) { registry_.on_over(one); },
                        [&](moving& one) { admissions_.on_moving(one); },
                        [&](resettlement& one) { subscribing_.on_resettlement(one); },
                        [&](cut& one) { admissions_.on_cut(one); },
                        [&](publisher_stop& one) { serve_stop(one, false); },
                        [&](stored& one) { pledged_->on_stored(one); }},
             what);
}

void shard::publish(const publish_run& what) {
  const event here{*this};
  for_each_publish(what.frames, what.form, [&](const protocol::publish& packet, protocol::octets) {
    shop_.counts.messages_received.add();
    routing_.publish_own(packet, what.owner.get(), 0);
  });
}

void shard::on_proof(peer_number who, protocol::reason_code how) {
  const event here{*this};
  if (peer* const asked = find_peer(who); asked != nullptr && !asked->is_leaving())
    admissions_.on_proof(*asked, how);
}

void shard::set_access(std::shared_ptr<const access> may) {
  const event here{*this};
  routing_.flush_run();
  shop_.may = std::move(may);
  for (const auto& [number, who] : peers_) {
    who->forget_judgement();
    if (who->session() != nullptr) subscribing_.judge_again(*who, *who->session());
  }
}

void shard::publish_figure(std::string_view topic, std::string_view value) {
  const event here{*this};
  routing_.publish_own({.topic = topic, .payload = protocol::as_octets(value), .retain = true}, nullptr, 0);
}

void shard::list(std::vector<session_info>& all) const {
  sessions_.for_each([&all](const peer_session& one) {
    if (one.cut_off != 0 || one.is_ending) return; // moving here, or away for good
    all.push_back({.client_id = one.client_id(),
                   .is_connected = one.connection() != nullptr,
                   .subscriptions = one.filters.size(),
                   .queued = one.waiting(),
                   .in_flight = one.in_flight()});
  });
}

bool shard::kick(std::string_view client_id, protocol::reason_code why) {
  const event here{*this};
  const peer_session* const session = sessions_.find(client_id);
  if (session == nullptr || session->connection() == nullptr) return false;
  session->connection()->disconnect(why);
  return true;
}

void shard::turn() {
  const event here{*this};
  if (shop_.now - forgotten_ >= cleared_topics_live) {
    last_words_.forget_cleared();
    forgotten_ = shop_.now;
  }
  bury();
  if (durable_ != nullptr && durable_->poll()) pledged_->on_kept();
  take_due();
  pumping_.swap(pumped_); // both keep their memory
  for (peer_session* const who : pumping_) {
    who->is_pumped_later = false;
    pump(*who);
  }
  pumping_.clear();
  for (const peer_number number : std::exchange(going_on_, {}))
    if (peer* const who = find_peer(number); who != nullptr) who->go_on();
  if (is_crowded()) return;
  for (const peer_number number : std::exchange(held_back_, {}))
    if (peer* const who = find_peer(number); who != nullptr) who->let_go();
}

void shard::stop() {
  const event here{*this};
  is_stopping_ = true;
  std::vector<peer*> all;
  for (const auto& [number, who] : peers_) all.push_back(who.get());
  for (peer* const who : all) who->disconnect(protocol::reason_code::server_shutting_down);
}

void shard::abort() {
  const event here{*this};
  for (const auto& [number, who] : peers_) who->abort();
}

// -- from peers ---------------------------------------------------------------

void shard::on_leaving(peer& who) {
  peer_session* const session = who.session();
  who.release_session();
  left_.push_back(who.number());
  if (session != nullptr) {
    if (shop_.hooks != nullptr) shop_.hooks->on_disconnected(who.who());
    admissions_.on_absence(*session);
  } else {
    shop_.counts.connections_refused.add();
  }
}

void shard::on_gone(peer& who) {
  who.let_session_go();
  auto node = peers_.extract(who.number());
  if (node.empty()) return;
  graves_.push_back(std::move(node.mapped()));
  std::erase(dirty_, &who);
  host_.call_again();
}

void shard::bury() { graves_.clear(); }

} // namespace troupe::brokerage
