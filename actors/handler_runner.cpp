#include "handler_runner.hpp"

#include <algorithm>
#include <atomic>

namespace troupe::actors {

void handler_runner::run(const delivery& what) {
  inbound_batch& batch = *what.batch;
  const auto& all = what.is_all ? batch.deliveries : batch.routed;
  const std::span<const std::uint32_t> list{all.data() + what.first, what.count};
  const bool settles = link_->options.acknowledge == ack_policy::handled && !batch.deferred.empty();
  if (!link_->gate.enter()) {
    if (settles)
      for (const std::uint32_t index : list) settle(batch, index, true);
  } else {
    run_open(batch, list, settles);
    link_->gate.leave();
  }
  link_->queued.fetch_sub(what.count, std::memory_order_relaxed);
}

void handler_runner::run_open(inbound_batch& batch, std::span<const std::uint32_t> list, bool settles) {
  subscription_link& link = *link_;
  std::uint64_t delivered = 0;
  for (const std::uint32_t index : list) {
    bool is_handled = true;
    if (!link.gate.is_closed() && (link.skip.load(std::memory_order_relaxed) == 0 || !skip_one())) {
      const message m{batch.publish_at(index), batch.owner_of(index)};
      try {
        link.handler(m);
        ++delivered;
      } catch (...) {
        is_handled = false;
        link.failures.add(1);
        front_->handler_failures.add(1);
      }
    }
    if (settles) settle(batch, index, is_handled);
  }
  link.delivered.add(delivered);
}

bool handler_runner::skip_one() noexcept {
  link_->skip.fetch_sub(1, std::memory_order_relaxed);
  link_->dropped.add(1);
  front_->dropped.add(1);
  return true;
}

void handler_runner::settle(inbound_batch& batch, std::uint32_t index, bool is_handled) {
  const auto found = std::lower_bound(
      batch.deferred.begin(), batch.deferred.end(), index,
      [](const deferred_delivery& each, std::uint32_t wanted) { return each.packet < wanted; });
  if (found == batch.deferred.end() || found->packet != index) return;
  // Other subscribers may be settling the same message on other threads.
  if (!is_handled) std::atomic_ref{found->refused}.store(1, std::memory_order_relaxed);
  if (!found->is_last_one()) return;
  const bool is_refused = std::atomic_ref{found->refused}.load(std::memory_order_relaxed) != 0;
  settled_.push_back(
      {found->tag, is_refused ? protocol::reason_code::unspecified_error : protocol::reason_code::success});
}

void handler_runner::flush() {
  if (settled_.empty()) return;
  front_->settled.put(std::exchange(settled_, {}));
  if (session_) session_.ring();
}

} // namespace troupe::actors
