#include "dispatcher.hpp"

#include "../protocol/topic.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace troupe::actors {

namespace {

constexpr std::size_t mails_per_run = 32;
/// As many as wishes fit the session's mailbox: each subscription that begins or ends is a mail here, and
/// many may begin at once. What is received has bounds of its own.
constexpr runtime::mailbox_limits mail_limits{.items = std::size_t{4} << 20U,
                                              .octets = ~std::size_t{0} >> 26U};

/// The decoder gives a topic that stays the place of the first one of its batch.
bool is_in_same_place(std::string_view a, std::string_view b) noexcept {
  return a.data() == b.data() && a.size() == b.size();
}

} // namespace

dispatcher::dispatcher(caf::actor_config& config, runtime::place where, std::shared_ptr<client_front> front,
                       std::shared_ptr<thread_list> threads)
    : resident{config, where},
      front_{std::move(front)},
      threads_{std::move(threads)},
      box_{*this, mail_limits},
      outlet_{box_} {}

bool dispatcher::on_bell() {
  return outlet_.drain(mails_per_run, [this](dispatch_mail&& mail) {
    std::visit([this](auto&& each) { on_mail_of(std::move(each)); }, std::move(mail));
  });
}

void dispatcher::on_stop() {
  outlet_.close();
  for (auto& [link, each] : destinations_) {
    end(*each);
    // On a stock scheduler the handler may be running elsewhere; it must not outlive the client.
    if (each->at_home) each->link->gate.close();
  }
  destinations_.clear();
  session_ = {};
  front_->actor_ended();
}

// -- links ------------------------------------------------------------------------------

void dispatcher::on_mail_of(link_added&& mail) {
  auto fresh = std::make_unique<destination>();
  fresh->link = std::move(mail.link);
  settle_in(*fresh);
  const auto filter = protocol::split_shared(fresh->link->filter).filter;
  if (!index_.insert(filter, fresh.get())) awkward_.push_back(fresh.get());
  is_known_ = false;
  destinations_[fresh->link.get()] = std::move(fresh);
}

void dispatcher::settle_in(destination& fresh) {
  handler_runner runner{fresh.link, front_, session_};
  if (fresh.link->options.run_on == run_on::home) {
    fresh.at_home = inside().spawn<actors::subscriber>(where(), std::move(runner));
    fresh.way = runtime::inlet<delivery>{fresh.at_home->box()};
    return;
  }
  try {
    fresh.apart = &own_thread::start(*threads_, std::move(runner), fresh.link->options.threads);
    fresh.way = runtime::inlet<delivery>{fresh.apart->box()};
  } catch (const std::system_error& none) {
    // No thread is to be had: what would go there goes nowhere, and the client says why.
    front_->set_last_error(none.code());
  }
}

void dispatcher::on_mail_of(link_removed&& mail) {
  const auto found = destinations_.find(mail.link);
  if (found == destinations_.end()) return;
  destination& gone = *found->second;
  const auto filter = protocol::split_shared(gone.link->filter).filter;
  if (!index_.erase(filter, &gone)) std::erase(awkward_, &gone);
  is_known_ = false;
  end(gone);
  destinations_.erase(found);
}

void dispatcher::end(destination& which) noexcept {
  which.link->gate.shut();
  if (which.apart != nullptr) which.apart->stop();
  if (which.at_home) which.at_home->stop_soon();
  which.way.drop();
}

// -- messages ----------------------------------------------------------------------------

void dispatcher::look_up(std::string_view topic) {
  if (is_known_ && topic == topic_) return;
  topic_.assign(topic);
  is_known_ = true;
  wanted_.clear();
  index_.match(topic, [this](const auto& entry) { wanted_.push_back(entry.who); });
  for (destination* const each : awkward_)
    if (protocol::matches(protocol::split_shared(each->link->filter).filter, topic)) wanted_.push_back(each);
}

bool dispatcher::is_of_one_topic(const inbound_batch& batch) {
  const std::string_view topic = batch.publish_at(batch.deliveries.front()).topic;
  look_up(topic);
  return std::all_of(batch.deliveries.begin(), batch.deliveries.end(), [&](std::uint32_t index) {
    return is_in_same_place(batch.publish_at(index).topic, topic);
  });
}

void dispatcher::route(inbound_batch& batch) {
  next_deferred_ = 0;
  const std::span<const std::uint32_t> all{batch.deliveries};
  for (std::size_t at = 0; at != all.size();) {
    const std::size_t first = at;
    const std::string_view topic = batch.publish_at(all[first]).topic;
    while (++at != all.size() && is_in_same_place(batch.publish_at(all[at]).topic, topic)) {}
    look_up(topic);
    deal_out(batch, all.subspan(first, at - first));
  }
}

/// Messages of the topic that was looked up.
void dispatcher::deal_out(inbound_batch& batch, std::span<const std::uint32_t> indices) {
  if (wanted_.empty()) front_->unrouted.add(indices.size());
  for (destination* const each : wanted_) {
    if (each->run.empty()) touched_.push_back(each);
    each->run.insert(each->run.end(), indices.begin(), indices.end());
  }
  if (batch.deferred.empty()) return;
  for (const std::uint32_t index : indices) note_deferred(batch, index);
}

void dispatcher::note_deferred(inbound_batch& batch, std::uint32_t index) {
  if (next_deferred_ == batch.deferred.size() || batch.deferred[next_deferred_].packet != index) return;
  deferred_delivery& mine = batch.deferred[next_deferred_++];
  mine.waiting =
      static_cast<std::uint32_t>(std::count_if(wanted_.begin(), wanted_.end(), [](const destination* each) {
        return each->link->options.acknowledge == ack_policy::handled;
      }));
  if (mine.waiting == 0) settled_.push_back({mine.tag});
}

void dispatcher::give_up(inbound_batch& batch, std::uint32_t index) {
  for (deferred_delivery& each : batch.deferred)
    if (each.packet == index && each.is_last_one()) settled_.push_back({each.tag});
}

void dispatcher::on_mail_of(batch_ref&& batch) {
  if (batch->deferred.empty() && is_of_one_topic(*batch) && wanted_.size() == 1
      && wanted_.front()->link->options.when_full == overflow::block)
    return send_whole(std::move(batch), *wanted_.front());
  route(*batch);
  const bool is_whole = touched_.size() == 1 && touched_.front()->run.size() == batch->deliveries.size();
  if (!is_whole) {
    std::size_t size = 0;
    for (const destination* each : touched_) size += each->run.size();
    batch->routed.reserve(size);
  }
  for (destination* const each : touched_) send(batch, *each, is_whole);
  touched_.clear();
  if (settled_.empty()) return;
  front_->settled.put(std::exchange(settled_, {}));
  if (session_) session_.ring();
}

void dispatcher::send_whole(batch_ref&& batch, destination& to) {
  const auto count = static_cast<std::uint32_t>(batch->deliveries.size());
  to.link->queued.fetch_add(count, std::memory_order_relaxed);
  delivery item{std::move(batch), 0, count, true};
  static_cast<void>(to.way.push(item)); // bounded by the batches in flight
}

void dispatcher::send(batch_ref& batch, destination& to, bool is_all) {
  const std::size_t count = apply_policy(to);
  if (count != 0) {
    // Others may already read the runs before this one; there is room, so nothing moves.
    const std::size_t first = is_all ? 0 : batch->routed.size();
    if (!is_all)
      batch->routed.insert(batch->routed.end(), to.run.begin(),
                           to.run.begin() + static_cast<std::ptrdiff_t>(count));
    delivery item{batch, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count), is_all};
    static_cast<void>(to.way.push(item)); // bounded by the batches in flight
  }
  if (to.link->options.acknowledge == ack_policy::handled)
    for (std::size_t at = count; at != to.run.size(); ++at) give_up(*batch, to.run[at]);
  to.run.clear();
}

std::size_t dispatcher::apply_policy(destination& to) {
  const std::size_t count = to.run.size();
  const std::size_t before = to.link->queued.fetch_add(count, std::memory_order_relaxed);
  const std::size_t limit = to.link->options.queue_items;
  const std::size_t after = before + count - to.link->skip.load(std::memory_order_relaxed);
  if (after <= limit || to.link->options.when_full == overflow::block) return count;
  const std::size_t excess = std::min(count, after - limit);
  if (to.link->options.when_full == overflow::drop_oldest) {
    to.link->skip.fetch_add(excess, std::memory_order_relaxed);
    return count;
  }
  to.link->queued.fetch_sub(excess, std::memory_order_relaxed);
  to.link->dropped.add(excess);
  front_->dropped.add(excess);
  return count - excess;
}

} // namespace troupe::actors
