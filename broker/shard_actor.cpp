#include "shard_actor.hpp"

#include "faulty_transport.hpp"

#include "../runtime/house.hpp"

#include <chrono>
#include <span>
#include <utility>

namespace troupe::brokerage {

namespace {

/// Between shards: many small packets, or a few large ones, lie in a mailbox.
constexpr runtime::mailbox_limits between_shards{.items = 65'536, .octets = std::size_t{4} << 20U};
constexpr runtime::mailbox_limits at_the_door{.items = 65'536, .octets = std::size_t{16} << 20U};

} // namespace

void stop_latch::count_down() {
  const std::lock_guard lock{mutex_};
  if (count_ != 0 && --count_ == 0) changed_.notify_all();
}

void stop_latch::wait() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this] { return count_ == 0; });
}

std::size_t visitor::octets() const noexcept {
  const auto* const run = std::get_if<publish_run>(&what);
  return run != nullptr ? run->frames.size() : 0;
}

std::size_t parcel::octets() const noexcept {
  if (const auto* const run = std::get_if<publish_run>(&what)) return run->frames.size();
  if (const auto* const one = std::get_if<shared_delivery>(&what)) return one->what.frames.size();
  if (const auto* const one = std::get_if<shared_return>(&what)) return one->what.frames.size();
  if (const auto* const one = std::get_if<interest>(&what)) return one->filter.size();
  if (const auto* const one = std::get_if<group_change>(&what)) return one->name.size();
  return 0;
}

broker_statistics statistics_of(const premises& place) {
  broker_statistics sum{};
  for (shard_number each = 0; each < place.shards; ++each) {
    const shard_counters& one = place.counts[each];
    sum.connections += one.connections.value();
    sum.connections_total += one.connections_total.value();
    sum.connections_refused += one.connections_refused.value();
    sum.sessions += one.sessions.value();
    sum.subscriptions += one.subscriptions.value();
    sum.messages_received += one.messages_received.value();
    sum.messages_sent += one.messages_sent.value();
    sum.messages_queued += one.messages_queued.value();
    sum.messages_dropped += one.messages_dropped.value();
    sum.messages_expired += one.messages_expired.value();
    sum.publishers_stopped += one.publishers_stopped.value();
    sum.wills_published += one.wills_published.value();
    sum.takeovers += one.takeovers.value();
    sum.octets_received += one.octets_received.value();
    sum.logins_refused += one.logins_refused.value();
    sum.logins_busy += one.logins_busy.value();
    sum.connections_throttled += one.connections_throttled.value();
    sum.publishes_refused += one.publishes_refused.value();
    sum.filters_refused += one.filters_refused.value();
  }
  sum.greetings_failed = place.turned_away->value();
  if (place.store_failures != nullptr) sum.store_failures = place.store_failures->value();
  const bridge_counts& bridged = place.bridges->counts;
  sum.bridges_connected = bridged.connected.load(std::memory_order_relaxed);
  sum.bridged_out = bridged.out.load(std::memory_order_relaxed);
  sum.bridged_in = bridged.in.load(std::memory_order_relaxed);
  sum.bridged_dropped = bridged.dropped.load(std::memory_order_relaxed);
  sum.bridged_suppressed = bridged.suppressed.load(std::memory_order_relaxed);
  sum.retained_messages = place.counts[0].retained_messages.value(); // every shard has them all
  return sum;
}

shard_actor::shard_actor(caf::actor_config& config, runtime::place where,
                         std::shared_ptr<const premises> broker, shard_number self,
                         std::shared_ptr<stop_latch> ended)
    : resident{config, where},
      desk_{where.where, *this, where.inside.is_pinning()},
      broker_{std::move(broker)},
      ended_{std::move(ended)},
      self_{self},
      door_{*this, at_the_door},
      mail_{*this, between_shards},
      from_door_{door_},
      from_mail_{mail_},
      letters_{std::make_shared<letter_box>(*this)},
      shard_{std::make_unique<shard>(self, broker_->shards, broker_->options, broker_->counts[self], *this,
                                     broker_->past.get())} {
  shard_->shop().id = broker_->bridges->id;
}

bool shard_actor::on_bell() {
  desk_.run();
  letters_->take();
  bool is_more = from_door_.drain([this](visitor&& one) { on_door(std::move(one.what)); });
  {
    const event all{*shard_};
    is_more |= from_mail_.drain([this](parcel&& one) { shard_->on_mail(std::move(one.what)); });
    if (std::exchange(is_called_, false) || is_crowded_ || shard_->has_news()) shard_->turn();
  }
  end_if_empty();
  return is_more;
}

void shard_actor::on_stop() {
  due_.disarm();
  figures_due_.disarm();
  stop_timeout_.disarm();
  from_door_.close();
  from_mail_.close();
  letters_->close();
  neighbours_.clear();
  shard_.reset();
  desk_.close();
  ended_->count_down();
}

// -- the door -----------------------------------------------------------------

void shard_actor::on_door(door_mail&& what) {
  std::visit([this](auto& one) { on_visit(std::move(one)); }, what);
}

void shard_actor::on_visit(newcomer&& one) {
  const auto& orders = broker_->options.faults;
  if (orders) [[unlikely]]
    one.pipe = std::make_unique<faulty_transport>(orders, std::move(one.pipe), time());
  shard_->adopt(std::move(one.pipe));
}

void shard_actor::on_visit(publish_run&& own) { shard_->publish(own); }

void shard_actor::on_visit(access_change&& change) { shard_->set_access(std::move(change.may)); }

void shard_actor::on_visit(session_question&& asked) {
  std::vector<session_info> all;
  shard_->list(all);
  asked.answer->set_value(std::move(all));
}

void shard_actor::on_visit(kick_order&& order) {
  order.answer->set_value(shard_->kick(order.client_id, order.why));
}

void shard_actor::on_visit(neighbourhood&& all) {
  neighbours_.resize(all.shards.size());
  for (shard_number other = 0; other < all.shards.size(); ++other)
    if (other != self_) neighbours_[other].to = runtime::inlet<parcel>{all.shards[other]->mail()};
  started_ = time().now();
  if (self_ == 0 && broker_->options.sys_interval.count() != 0) on_figures_due();
}

void shard_actor::on_visit(stop_order&&) {
  if (shard_->is_stopping()) return;
  figures_due_.disarm();
  time().arm_in(stop_timeout_, broker_->options.stop_timeout);
  shard_->stop();
}

void shard_actor::on_stop_timeout() { shard_->abort(); }

void shard_actor::end_if_empty() {
  if (shard_->is_stopping() && shard_->is_empty()) finish();
}

// -- time ---------------------------------------------------------------------

void shard_actor::call_again() noexcept {
  if (std::exchange(is_called_, true)) return;
  ring();
}

void shard_actor::on_event_end(protocol::time_point next) {
  if (has_outgoing_) send_out();
  if (next == protocol::never)
    due_.disarm();
  else
    time().arm(due_, next);
}

authenticator::reply shard_actor::reply_to(peer_number who) {
  return [this, who, box = letters_](protocol::reason_code how) {
    box->leave([this, who, how] { shard_->on_proof(who, how); });
  };
}

void shard_actor::on_figures_due() {
  const event all{*shard_}; // one for them all
  const auto uptime = std::chrono::floor<std::chrono::seconds>(time().now() - started_);
  figures_.say(statistics_of(*broker_), uptime, [this](std::string_view topic, std::string_view value) {
    shard_->publish_figure(topic, value);
  });
  time().arm_in(figures_due_, broker_->options.sys_interval);
}

void shard_actor::on_due() { shard_->turn(); }

// -- neighbours ---------------------------------------------------------------

void shard_actor::post(shard_number to, shard_mail&& what) {
  if (to >= neighbours_.size()) return;
  neighbours_[to].waiting.push_back({std::move(what)});
  has_outgoing_ = true;
}

void shard_actor::send_out() {
  bool is_left = false;
  for (outgoing& one : neighbours_) is_left |= !send_out(one);
  has_outgoing_ = is_left;
  if (std::exchange(is_crowded_, is_left) && !is_left) call_again(); // sources may go on
}

bool shard_actor::send_out(outgoing& one) {
  while (!one.waiting.empty()) {
    const auto how = one.to.push(std::span{one.waiting});
    if (how.answer != runtime::offer::full) {
      one.waiting.clear();
      return true;
    }
    one.waiting.erase(one.waiting.begin(), one.waiting.begin() + static_cast<std::ptrdiff_t>(how.count));
    if (!one.to.when_room(*this)) return false; // rung when there is room
  }
  return true;
}

} // namespace troupe::brokerage
