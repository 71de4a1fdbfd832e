#include "load_turns.hpp"

#include <algorithm>
#include <chrono>

namespace troupe::bench {
namespace {

bool is_connected(load_client& each) { return each.user().state() == client_state::connected; }

} // namespace

load_turns::~load_turns() {
  for (const auto& each : takers_)
    static_cast<void>(each->user().disconnect()); // all at once, then one by one
}

bool load_turns::wait_for(const std::function<bool()>& done, const std::function<bool()>& tick) {
  const auto until = std::chrono::steady_clock::now() + session_.plan().connect_timeout;
  while (!done()) {
    const auto now = std::chrono::steady_clock::now();
    if (now > until || !tick()) return false;
    session_.meter().told.wait_until(std::min(until, now + news::tick));
  }
  return true;
}

void load_turns::storm() {
  for (const auto& each : session_.subscribers()) session_.comings().cut(each->user());
}

bool load_turns::take_over(const std::function<bool()>& tick) {
  std::vector<load_client*> fresh;
  for (const auto& first : session_.clients()) {
    if (!first->is_up()) continue;
    first->excuse();
    takers_.push_back(session_.make_client(first->name(), static_cast<std::uint32_t>(takers_.size())));
    fresh.push_back(takers_.back().get());
  }
  bring_up(fresh, {.rate = session_.plan().connect_rate, .tick = tick}, session_.meter().told);
  const auto firsts = session_.clients();
  return wait_for(
      [&] {
        return std::none_of(firsts.begin(), firsts.end(),
                            [](const auto& each) { return is_connected(*each); });
      },
      tick);
}

bool load_turns::store(const std::function<bool()>& tick) {
  const auto subscribers = session_.subscribers();
  if (session_.plan().turn == load_turn::resume) {
    for (const auto& each : subscribers) static_cast<void>(each->user().disconnect());
    const auto are_away = [&] {
      return std::all_of(subscribers.begin(), subscribers.end(),
                         [](const auto& each) { return each->user().state() == client_state::disconnected; });
    };
    if (!wait_for(are_away, tick)) return false;
  }
  session_.start();
  while (!(session_.is_over() && session_.is_answered())) {
    if (!tick()) return false;
    session_.meter().told.wait_until(std::chrono::steady_clock::now() + news::tick);
  }
  return true;
}

bool load_turns::release(const std::function<bool()>& tick) {
  const std::uint64_t stored = session_.meter().sent.load(std::memory_order_acquire);
  for (const auto& each : session_.receivers()) each->await_stored(stored);
  if (session_.plan().turn == load_turn::retained) return session_.subscribe_all(tick);
  for (const auto& each : session_.subscribers()) {
    // The answer may come when this object has gone, but not the session.
    each->user().connect([&meter = session_.meter()](const outcome& how) {
      if (how.ok()) return;
      meter.reconnect_failures.fetch_add(1, std::memory_order_relaxed);
      meter.note("reconnect: " + how.text());
    });
  }
  return true;
}

void load_turns::clear() {
  if (session_.plan().turn == load_turn::retained) session_.clear_retained();
  if (session_.plan().session_expiry.count() == 0 || session_.plan().turn == load_turn::none) return;
  for (const auto& each : session_.subscribers())
    static_cast<void>(each->user().disconnect({.session_expiry = std::chrono::seconds{0}}));
}

void load_turns::fill(load_result& result) {
  if (session_.plan().turn != load_turn::takeover || takers_.empty()) return;
  load_latency& times = result.latencies.emplace_back();
  times.name = "takeover";
  std::uint64_t ended = 0;
  for (const auto& each : takers_) {
    if (each->is_up())
      times.values.record(std::chrono::nanoseconds{each->decided() - each->begun()});
    else
      ++result.counts.connect_failures;
  }
  for (const auto& each : session_.clients()) ended += is_connected(*each) ? 0U : 1U;
  result.counts.connected += times.values.count();
  if (times.values.count() == 0) result.latencies.pop_back();
  if (ended < takers_.size()) result.counts.errors += takers_.size() - ended;
  result.notes.push_back(std::to_string(ended) + " of " + std::to_string(takers_.size())
                         + " clients whose sessions were taken lost their connections");
}

} // namespace troupe::bench
