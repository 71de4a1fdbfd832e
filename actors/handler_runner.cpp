#include "handler_runner.hpp"

#include <algorithm>
#include <atomic>

namespace troupe::actors {

namespace {

using protocol::reason_code;

/// What an acknowledgement can not say is a refusal all the same.
reason_code sayable(reason_code wanted) noexcept {
  const bool is_fit =
      protocol::is_failure(wanted)
      && protocol::may_stand_in(wanted, protocol::packet_type::puback, protocol::role::client);
  return is_fit ? wanted : reason_code::unspecified_error;
}

std::span<const std::uint32_t> list_of(const delivery& what) noexcept {
  const auto& all = what.is_all ? what.batch->deliveries : what.batch->routed;
  return {all.data() + what.first, what.count};
}

} // namespace

void handler_runner::run(const delivery& what) {
  if (!link_->gate.enter()) return pass_over(what);
  run_open(what);
  link_->gate.leave();
  link_->queued.fetch_sub(what.count, std::memory_order_relaxed);
}

void handler_runner::pass_over(const delivery& what) {
  if (settles(what))
    for (const std::uint32_t index : list_of(what)) settle(*what.batch, index, reason_code::success);
  link_->queued.fetch_sub(what.count, std::memory_order_relaxed);
}

bool handler_runner::settles(const delivery& what) const noexcept {
  return link_->options.acknowledge == ack_policy::handled && !what.batch->deferred.empty();
}

void handler_runner::run_open(const delivery& what) {
  inbound_batch& batch = *what.batch;
  const bool is_settling = settles(what);
  subscription_link& link = *link_;
  std::uint64_t delivered = 0;
  for (const std::uint32_t index : list_of(what)) {
    reason_code how = reason_code::success;
    if (!link.gate.is_closed() && (link.skip.load(std::memory_order_relaxed) == 0 || !skip_one())) {
      const message m{batch.publish_at(index), batch.owner_of(index)};
      try {
        link.handler(m);
        ++delivered;
      } catch (const refusal& mine) {
        how = sayable(mine.reason());
        link.failures.add(1);
        front_->handler_failures.add(1);
      } catch (...) {
        how = reason_code::unspecified_error;
        link.failures.add(1);
        front_->handler_failures.add(1);
      }
    }
    if (is_settling) settle(batch, index, how);
  }
  link.delivered.add(delivered);
}

bool handler_runner::skip_one() noexcept {
  std::size_t left = link_->skip.load(std::memory_order_relaxed);
  do
    if (left == 0) return false; // another thread was faster
  while (!link_->skip.compare_exchange_weak(left, left - 1, std::memory_order_relaxed));
  link_->dropped.add(1);
  front_->dropped.add(1);
  return true;
}

void handler_runner::settle(inbound_batch& batch, std::uint32_t index, reason_code how) {
  const auto found = std::lower_bound(
      batch.deferred.begin(), batch.deferred.end(), index,
      [](const deferred_delivery& each, std::uint32_t wanted) { return each.packet < wanted; });
  if (found == batch.deferred.end() || found->packet != index) return;
  // Other subscribers may be settling the same message on other threads.
  if (how != reason_code::success)
    std::atomic_ref{found->refused}.store(static_cast<std::uint32_t>(how), std::memory_order_relaxed);
  if (!found->is_last_one()) return;
  settled_.push_back({found->tag, static_cast<reason_code>(
                                      std::atomic_ref{found->refused}.load(std::memory_order_relaxed))});
}

void handler_runner::flush() {
  if (settled_.empty()) return;
  front_->settled.put(std::exchange(settled_, {}));
  if (session_) session_.ring();
}

} // namespace troupe::actors
