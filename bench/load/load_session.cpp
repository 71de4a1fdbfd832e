#include "load_session.hpp"

#include "descriptors.hpp"
#include "local_ports.hpp"

#include <algorithm>

namespace troupe::bench {
namespace {

std::uint64_t number_under(const std::atomic<std::uint64_t>& count) noexcept {
  return count.load(std::memory_order_acquire);
}

void record(load_result& result, const std::string& name, const std::vector<std::int64_t>& times) {
  if (times.empty()) return;
  load_latency& to = result.latencies.emplace_back();
  to.name = name;
  for (const std::int64_t time : times) to.values.record(std::chrono::nanoseconds{time});
}

} // namespace

load_session::load_session(const load_plan& plan)
    : plan_{plan},
      mark_{boot_mark()},
      gate_{plan.publishes() ? plan.limit : 0},
      place_{plan.broker, plan.workers},
      failure_{place_.failure()} {
  if (plan_.is_open_loop()) meter_.open_loop();
  if (plan_.logs_events) meter_.events = &events_.emplace();
}

load_session::~load_session() {
  stop();
  slowness_.request_stop();
  for (const auto& each : clients_)
    static_cast<void>(each->user().disconnect()); // all at once, then one by one
}

std::unique_ptr<load_client> load_session::make_client(const std::string& id, std::uint32_t number) {
  client_options options = client_options_for(plan_, place_.endpoint(), id, made_++);
  if (!plan_.will_topic.empty()) options.will = will_for(plan_, number);
  if (!place_.certificate().empty()) options.tls.ca_file = place_.certificate();
  return std::make_unique<load_client>(place_.where(), std::move(options), meter_.told);
}

load_client& load_session::add_client(const std::string& role, std::uint32_t number) {
  const bool is_named = !plan_.client_id.empty();
  clients_.push_back(make_client(is_named ? with_number(plan_.client_id, number)
                                          : plan_.prefix + role + std::to_string(number),
                                 number));
  return *clients_.back();
}

void load_session::add_churners() {
  if (plan_.churn <= 0) return;
  for (std::uint32_t i = 0; i < plan_.churners; ++i) {
    churners_.push_back(&add_client("c", i));
    churners_.back()->excuse();
  }
}

void load_session::add_subscribers() {
  if (plan_.kind == load_kind::publish || plan_.kind == load_kind::connect) return;
  for (std::uint32_t i = 0; i < plan_.subscribers; ++i) {
    load_client& by = add_client("s", i);
    if (plan_.kind == load_kind::round_trip)
      responders_.push_back(std::make_unique<load_responder>(plan_, by, meter_));
    else
      receivers_.push_back(std::make_unique<load_receiver>(plan_, publishers_, meter_, mark_));
  }
  subscribed_ = clients_.size();
}

void load_session::add_publishers() {
  if (plan_.kind == load_kind::subscribe) return;
  const bool can_tell_receipts = plan_.text.empty() && plan_.payload >= numbered_octets;
  for (std::uint32_t i = 0; i < plan_.publishers; ++i) {
    load_client& by = add_client("p", i);
    if (plan_.kind == load_kind::connect) continue;
    const std::uint32_t topic = i % plan_.topic_count();
    publisher_options options{.number = i, .topic = plan_.topic_name(topic), .limit = plan_.messages};
    if (can_tell_receipts && !plan_.is_stored()) options.copies = plan_.copies(topic);
    if (plan_.kind == load_kind::round_trip) {
      options.reply_to = plan_.prefix + "reply/" + std::to_string(i);
      receivers_.push_back(std::make_unique<load_receiver>(plan_, publishers_, meter_, mark_));
    }
    publishers_.push_back(std::make_unique<load_publisher>(plan_, options, by, gate_, meter_, mark_));
  }
}

bool load_session::bring_up_all(std::size_t from, const std::function<bool()>& tick) {
  std::vector<load_client*> fresh;
  for (std::size_t i = from; i < clients_.size(); ++i) fresh.push_back(clients_[i].get());
  if (fresh.empty()) return true;
  const std::size_t up = bring_up(fresh, {.rate = plan_.connect_rate, .tick = tick}, meter_.told);
  for (const load_client* each : fresh)
    if (each->is_decided() && !each->is_up()) meter_.note("connect: " + each->failure());
  if (up != 0) return true;
  failure_ = "no connection to " + plan_.broker;
  for (const load_client* each : fresh)
    if (each->is_decided()) failure_ = "no connection to " + plan_.broker + ": " + each->failure();
  return false;
}

bool load_session::subscribe_all(const std::function<bool()>& tick) {
  const auto subscribe = [this](load_client& by, const std::vector<std::string>& filters, auto& taker) {
    if (by.is_up()) by.subscribe(filters, plan_.quality, [&taker](const message& m) { taker.take(m); });
  };
  const auto subscribe_slowly = [this](load_client& by, const std::vector<std::string>& filters,
                                       load_receiver& taker) {
    if (!by.is_up()) return;
    by.subscribe(filters, plan_.quality,
                 [&taker, pause = plan_.slow_pause, end = slowness_.get_token()](const message& m) {
                   taker.take_slowly(m, pause, end);
                 },
                 {.run_on = run_on::own_thread, .queue_items = 16});
  };
  if (plan_.kind == load_kind::round_trip) {
    for (std::size_t i = 0; i < responders_.size(); ++i)
      subscribe(*clients_[i], plan_.filters(static_cast<std::uint32_t>(i)), *responders_[i]);
    for (std::size_t i = 0; i < receivers_.size(); ++i)
      subscribe(publishers_[i]->by(), {plan_.prefix + "reply/" + std::to_string(i)}, *receivers_[i]);
  } else {
    for (std::uint32_t i = 0; i < receivers_.size(); ++i)
      plan_.is_slow(i) ? subscribe_slowly(*clients_[i], plan_.filters(i), *receivers_[i])
                       : subscribe(*clients_[i], plan_.filters(i), *receivers_[i]);
  }
  return is_granted(tick);
}

bool load_session::is_granted(const std::function<bool()>& tick) {
  const auto until = std::chrono::steady_clock::now() + plan_.connect_timeout;
  for (const auto& each : clients_) {
    while (!each->is_subscribed()) {
      const auto now = std::chrono::steady_clock::now();
      if (now > until || !tick()) {
        failure_ = "not every subscription was answered";
        return false;
      }
      meter_.told.wait_until(std::min(until, now + news::tick));
    }
  }
  std::size_t refused = 0;
  for (const auto& each : clients_) {
    if (!each->failure().starts_with("subscribe")) continue;
    meter_.note(each->failure());
    ++refused;
  }
  if (refused == 0 || refused < subscribed_) return true;
  failure_ = "no subscription was granted";
  return false;
}

bool load_session::open(const std::function<bool()>& tick) {
  if (!failure_.empty()) return false;
  const std::size_t wanted = plan_.connection_count();
  if (failure_ = misfit_of_descriptors(wanted * (plan_.is_embedded() ? 2 : 1)); !failure_.empty())
    return false;
  const std::size_t sources = std::max<std::size_t>(plan_.local_addresses.size(), 1);
  if (plan_.is_dialled_by_tcp()) failure_ = misfit_of_local_ports(wanted, sources, local_ports());
  if (!failure_.empty()) return false;
  add_subscribers();
  if (!bring_up_all(0, tick)) return false;
  const bool subscribes_now = plan_.kind != load_kind::round_trip && plan_.turn != load_turn::retained;
  if (subscribes_now && !subscribe_all(tick)) return false;
  add_publishers();
  add_churners();
  if (!bring_up_all(subscribed_, tick)) return false;
  return plan_.kind != load_kind::round_trip || subscribe_all(tick);
}

void load_session::start() {
  if (!churners_.empty()) churn_.emplace(plan_.churn, churners_, comings_);
  if (publishers_.empty()) return;
  for (const auto& each : publishers_)
    if (!each->by().is_up()) each->give_up();
  if (plan_.is_open_loop()) {
    schedule_.emplace(
        pace_options{plan_.rate, plan_.poisson, plan_.seed, plan_.burst, plan_.ramp_from, plan_.ramp_time},
        publishers_, meter_);
    return;
  }
  for (const auto& each : publishers_)
    if (!each->is_broken()) each->start();
}

void load_session::stop() {
  gate_.close();
  schedule_.reset();
  churn_.reset();
}

bool load_session::is_cut_off() const noexcept {
  return std::none_of(clients_.begin(), clients_.end(), [](const auto& each) {
    return each->is_up() && each->user().state() == client_state::connected;
  });
}

void load_session::clear_retained() {
  for (const auto& each : publishers_)
    if (!each->is_broken()) each->clear_retained();
}

void load_session::judge_connections() {
  if (plan_.turn == load_turn::takeover) return; // they are to lose them
  if (!failure_.empty() || !is_cut_off()) return;
  failure_ = "every connection was lost";
  for (const auto& each : clients_)
    if (const std::error_code why = each->user().last_error()) {
      failure_ += ": " + why.message();
      return;
    }
}

bool load_session::is_over() const noexcept {
  if (!plan_.reconnects && is_cut_off()) return true;
  if (plan_.kind == load_kind::subscribe)
    return plan_.limit != 0 && number_under(meter_.received) >= plan_.limit;
  if (publishers_.empty()) return false;
  if (schedule_ && schedule_->is_over()) return true;
  if (plan_.limit != 0 && number_under(meter_.sent) >= plan_.limit) return true;
  return std::all_of(publishers_.begin(), publishers_.end(),
                     [](const auto& each) { return each->is_done(); });
}

bool load_session::is_answered() const noexcept {
  for (const auto& each : publishers_) {
    if (each->is_broken()) continue;
    if (!each->is_idle()) return false;
    const std::uint64_t issued = each->issued();
    if (each->ended() < issued) return false;
  }
  return true;
}

bool load_session::is_settled() const noexcept {
  return is_answered() && number_under(meter_.away) == 0
         && meter_.received.load(std::memory_order_seq_cst) >= expected_receipts();
}

std::uint64_t load_session::expected_receipts() const noexcept {
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < publishers_.size(); ++i) {
    const auto topic = static_cast<std::uint32_t>(i) % plan_.topic_count();
    expected += (publishers_[i]->issued() - publishers_[i]->failed()) * plan_.copies(topic);
  }
  return expected;
}

void load_session::drain(news::time_point until, const std::function<void()>& tick) {
  for (;;) {
    meter_.awaited.store(expected_receipts(), std::memory_order_seq_cst);
    const auto now = std::chrono::steady_clock::now();
    if (is_settled() || now >= until) return;
    tick();
    meter_.told.wait_until(std::min(until, now + news::tick));
  }
}

void load_session::forgive_the_lost() {
  for (const auto& each : publishers_) each->forgive();
}

void load_session::fill_faults(load_counts& counts) const {
  counts.expected = expected_receipts();
  counts.lost = counts.expected > counts.received ? counts.expected - counts.received : 0;
  if (!plan_.verify || !plan_.share.empty()) return;
  std::uint64_t lost = 0;
  for (std::size_t r = 0; r < receivers_.size(); ++r) {
    if (plan_.slow != 0 && plan_.is_slow(static_cast<std::uint32_t>(r))) continue;
    std::vector<std::uint32_t> from;
    for (std::uint32_t p = 0; p < publishers_.size(); ++p) {
      const bool is_pair = plan_.kind == load_kind::round_trip
                               ? p == r
                               : !plan_.pairs || p % plan_.topic_count() == r % plan_.topic_count();
      if (is_pair) from.push_back(p);
    }
    const receiver_faults found = receivers_[r]->faults(from);
    lost += found.lost;
    counts.duplicated += found.duplicated;
    // What is retained on many topics comes in no order.
    if (plan_.turn != load_turn::retained) counts.reordered += found.reordered;
  }
  counts.lost = lost;
}

void load_session::fill_connects(load_result& result) const {
  std::vector<std::int64_t> dial, handshake, whole, subscribe;
  for (const auto& each : clients_) {
    if (each->subscribed_after() != 0) subscribe.push_back(each->subscribed_after());
    if (!each->is_decided()) continue;
    if (!each->is_up()) {
      ++result.counts.connect_failures;
      continue;
    }
    ++result.counts.connected;
    if (!each->is_excused() && each->user().state() != client_state::connected)
      ++result.counts.dropped_connections;
    whole.push_back(each->decided() - each->begun());
    if (each->dialled() == 0) continue;
    dial.push_back(each->dialled() - each->begun());
    handshake.push_back(each->decided() - each->dialled());
  }
  record(result, "connect.dial", dial);
  record(result, "connect.mqtt", handshake);
  record(result, "connect.total", whole);
  record(result, "subscribe", subscribe);
}

void load_session::fill(load_result& result) {
  load_counts& counts = result.counts;
  counts.sent = number_under(meter_.sent);
  counts.acked = number_under(meter_.acknowledged);
  counts.received = number_under(meter_.received);
  counts.damaged = number_under(meter_.damaged);
  counts.foreign = number_under(meter_.foreign);
  counts.errors = number_under(meter_.failed);
  fill_faults(counts);
  fill_connects(result);
  counts.connect_failures += number_under(meter_.reconnect_failures);
  if (plan_.slow != 0)
    result.notes.push_back("slow subscribers took " + std::to_string(number_under(meter_.slow_received))
                           + " messages; only those that keep up are expected to take all");
  for (const auto& [what, times] : meter_.failures())
    result.notes.push_back(std::to_string(times) + " x " + what);
  if (const auto inside = place_.statistics(); inside && inside->messages_dropped != 0)
    result.notes.push_back("the broker dropped " + std::to_string(inside->messages_dropped) + " messages");
}

} // namespace troupe::bench
