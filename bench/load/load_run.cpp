#include "load_run.hpp"

#include "figure_text.hpp"
#include "interrupt.hpp"
#include "live_line.hpp"
#include "load_sampler.hpp"
#include "load_session.hpp"
#include "load_turns.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <utility>

namespace troupe::bench {
namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto stall_patience = 1s; // a closed loop that hears nothing for so long gives its messages up

std::chrono::milliseconds slice_of(const load_plan& plan) {
  if (plan.duration.count() == 0) return plan.limit != 0 && plan.publishes() ? 100ms : 1s;
  return std::clamp(plan.duration / 50, std::chrono::milliseconds{20}, std::chrono::milliseconds{1'000});
}

class load_runner {
public:
  load_runner(const load_plan& plan, std::chrono::milliseconds progress, interrupt& signals)
      : plan_{plan}, signals_{signals}, line_{progress}, session_{plan}, sampler_{session_.meter()} {}

  void run(load_result& result) {
    if (open()) plan_.is_stored() ? store_and_release(result) : flow(result);
    result.failure =
        is_late_ && session_.failure().empty() ? "not done within --timeout" : session_.failure();
    session_.fill(result);
    turns_.fill(result);
    turns_.clear();
    if (const event_log* events = session_.events()) {
      std::ostringstream text;
      events->write(text);
      result.events = std::move(text).str();
      if (events->left_out() != 0)
        result.notes.push_back(std::to_string(events->left_out()) + " receipts are not in the raw file");
    }
    result.interrupted_by = signals_.signal();
  }

private:
  bool open() {
    return session_.open([this] {
      if (line_.is_due()) line_.show("connecting");
      return goes_on(0ns);
    });
  }

  void flow(load_result& result) {
    warm_up();
    sampler_.begin();
    if (plan_.warm_up.count() == 0) session_.start();
    if (plan_.turn == load_turn::takeover) turns_.take_over([this] { return goes_on("taking over"); });
    measure();
    finish(result);
  }

  void store_and_release(load_result& result) {
    if (turns_.store([this] { return goes_on("storing"); })) {
      sampler_.begin();
      turns_.release([this] { return goes_on("subscribing"); });
      finish(result);
    }
  }

  bool goes_on(const char* what) {
    show(what);
    return goes_on(0ns);
  }

  /// Waits so long; false: interrupted, or all the time that there was is over.
  bool goes_on(std::chrono::nanoseconds wait) {
    if (signals_.wait(wait)) return false;
    is_late_ = is_late_ || (plan_.timeout.count() != 0 && clock::now() - begun_ > plan_.timeout);
    return !is_late_;
  }

  void warm_up() {
    if (plan_.warm_up.count() == 0) return;
    session_.start();
    const auto until = clock::now() + plan_.warm_up;
    while (clock::now() < until && !session_.is_over() && goes_on(5ms)) {
      look_after_stalls();
      show("warming up");
    }
  }

  bool is_time_over(clock::time_point begun) const {
    if (plan_.kind == load_kind::connect && plan_.duration.count() == 0) return true;
    return plan_.duration.count() != 0 && clock::now() - begun >= plan_.duration;
  }

  bool is_half_over(clock::time_point begun) {
    if (plan_.limit != 0 && session_.meter().sent.load(std::memory_order_relaxed) >= plan_.limit / 2)
      return true;
    return plan_.duration.count() != 0 && clock::now() - begun >= plan_.duration / 2;
  }

  void measure() {
    const auto begun = clock::now();
    const auto slice = slice_of(plan_);
    auto next_cut = begun + slice;
    while (!is_time_over(begun) && goes_on(plan_.limit != 0 ? 1ms : 5ms)) {
      if (session_.is_over()) break;
      look_after_stalls();
      if (plan_.turn == load_turn::storm && !is_stormy_ && is_half_over(begun)) {
        is_stormy_ = true;
        turns_.storm();
      }
      if (clock::now() >= next_cut) {
        sampler_.cut();
        next_cut += slice;
      }
      show("");
    }
  }

  void cool_down() {
    const auto until = clock::now() + plan_.cool_down;
    while (clock::now() < until && !session_.is_over() && goes_on(5ms)) {
      look_after_stalls();
      show("cooling down");
    }
  }

  void finish(load_result& result) {
    // What is stored was sent before; what is measured is how it comes.
    const bool ended_by_count = plan_.limit != 0 && (plan_.is_stored() || session_.is_over());
    if (!ended_by_count) sampler_.end(result);
    cool_down();
    session_.stop();
    const auto until = clock::now() + (plan_.kind == load_kind::connect ? 0ms : plan_.drain);
    session_.drain(until, [this] {
      signals_.wait(0ns);
      show("draining");
    });
    if (ended_by_count) sampler_.end(result);
    sampler_.collect_latecomers(result);
    session_.judge_connections();
    add_doubts(result);
  }

  /// What makes the figures say less than they seem to.
  void add_doubts(load_result& result) const {
    if (result.processor_share > 0.9 * static_cast<double>(plan_.workers))
      result.notes.push_back(
          plan_.is_embedded()
              ? "this process, broker included, was busy all the time: its cores are the limit"
              : "this process was busy all the time: it may be the limit, not the broker");
    const histogram* lag = result.latency("lag");
    if (lag != nullptr && lag->percentile(0.99) > 1ms)
      result.notes.push_back("the open loop was late: 1 % of messages by "
                             + time_text(static_cast<double>(lag->percentile(0.99).count())) + " or more");
  }

  void look_after_stalls() {
    const std::uint64_t heard = session_.meter().received.load(std::memory_order_relaxed)
                                + session_.meter().acknowledged.load(std::memory_order_relaxed);
    const auto now = clock::now();
    if (heard != heard_) {
      heard_ = heard;
      heard_at_ = now;
    } else if (now - heard_at_ > stall_patience) {
      heard_at_ = now;
      session_.forgive_the_lost();
    }
  }

  void show(const char* what) {
    if (!line_.is_due()) return;
    const load_meter& meter = session_.meter();
    const load_slice* last = sampler_.last();
    char text[200];
    std::snprintf(text, sizeof text, "%6.1f s  sent %llu  acked %llu  received %llu  %.0f/s received  %s",
                  sampler_.seconds(), static_cast<unsigned long long>(meter.sent.load()),
                  static_cast<unsigned long long>(meter.acknowledged.load()),
                  static_cast<unsigned long long>(meter.received.load()),
                  last == nullptr ? 0.0 : last->received, what);
    line_.show(text);
  }

  const load_plan& plan_;
  interrupt& signals_;
  live_line line_;
  load_session session_;
  load_turns turns_{session_};
  load_sampler sampler_;
  bool is_stormy_ = false;
  bool is_late_ = false;
  clock::time_point begun_ = clock::now();
  std::uint64_t heard_ = 0;
  clock::time_point heard_at_ = clock::now();
};

} // namespace

load_result run_load(const load_plan& plan, std::chrono::milliseconds progress) {
  load_result result;
  result.title = sentence(plan);
  result.plan = describe(plan);
  result.where = describe_environment();
  result.payload = plan.payload_size();
  result.warm_up = static_cast<double>(plan.warm_up.count()) / 1e3;
  interrupt signals;
  load_runner{plan, progress, signals}.run(result);
  return result;
}

} // namespace troupe::bench
