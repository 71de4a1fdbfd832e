#include "message_stream.hpp"

#include "../protocol/errc.hpp"
#include "../runtime/resident.hpp"

namespace troupe {

using protocol::errc;

namespace actors {

stream_core::stream_core(std::size_t limit, overflow policy)
    : box_{std::make_shared<postbox>(limit, policy)}, bench_{std::make_shared<bench>()} {
  // The box outlives its listener's call, since whoever puts or closes holds it.
  box_->tell([box = box_.get(), seats = bench_] { serve(*box, *seats); });
}

void stream_core::serve(postbox& box, bench& seats) {
  std::unique_ptr<message_waiter> who;
  std::optional<message> next;
  {
    const std::scoped_lock lock{seats.mutex};
    if (!seats.who) return;
    const bool is_over = box.is_closed();
    next = box.take_one();
    if (!next && !is_over) return; // somebody was faster; the box rings again
    who = std::move(seats.who);
  }
  if (next)
    who->complete(*std::move(next));
  else
    who->complete(errc::closed);
}

void stream_core::wait(std::unique_ptr<message_waiter> who, std::uint64_t number) {
  std::unique_ptr<message_waiter> displaced;
  {
    const std::scoped_lock lock{bench_->mutex};
    const bool is_cancelled = box_->take_cancel();
    displaced = is_cancelled ? std::move(who) : std::exchange(bench_->who, std::move(who));
    if (!is_cancelled) bench_->number = number;
  }
  if (displaced) displaced->complete(errc::cancelled);
  serve(*box_, *bench_);
}

void stream_core::cancel(std::uint64_t number) noexcept {
  std::unique_ptr<message_waiter> who;
  {
    const std::scoped_lock lock{bench_->mutex};
    if (bench_->number != number) return;
    who = std::move(bench_->who);
  }
  if (who) who->complete(errc::cancelled);
}

void stream_core::cancel() noexcept {
  std::unique_ptr<message_waiter> who;
  {
    const std::scoped_lock lock{bench_->mutex};
    who = std::move(bench_->who);
    if (!who) return box_->cancel();
  }
  who->complete(errc::cancelled);
}

void stream_core::close() noexcept { box_->close(); }

} // namespace actors

namespace {

/// A box that blocks needs a thread that may be held. Bound and policy are the box's alone: what leads
/// to it drops nothing.
subscribe_options as_stream(subscribe_options options) {
  options.run_on = options.when_full == overflow::block ? run_on::own_thread : run_on::home;
  options.queue_items = subscribe_options{}.queue_items;
  options.when_full = overflow::block;
  return options;
}

} // namespace

message_stream::message_stream(client& whose, std::string_view filter, qos maximum, subscribe_options options)
    : core_{std::make_shared<actors::stream_core>(options.queue_items, options.when_full)},
      source_{whose.subscribe(
          filter, maximum, [box = core_->shared_box()](const message& m) { box->put(m); },
          as_stream(std::move(options)))} {}

message_stream::~message_stream() {
  if (core_) core_->close(); // before the subscription waits for its handler
}

std::optional<message> message_stream::next() {
  if (!runtime::may_block()) return try_next();
  auto came = core_->box().wait(std::chrono::steady_clock::time_point::max());
  return came ? std::optional{*std::move(came)} : std::nullopt;
}

std::optional<message> message_stream::next_for(std::chrono::nanoseconds time) {
  if (!runtime::may_block()) return try_next();
  auto came = core_->box().wait(std::chrono::steady_clock::now() + time);
  return came ? std::optional{*std::move(came)} : std::nullopt;
}

protocol::result<message> message_stream::fetch(std::stop_token stop) {
  if (runtime::may_block()) return core_->box().wait(std::chrono::steady_clock::time_point::max(), stop);
  if (auto here = try_next()) return *std::move(here);
  return core_->box().is_closed() ? errc::closed : errc::would_deadlock;
}

} // namespace troupe
