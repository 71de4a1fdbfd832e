#include "batch.hpp"

#include "../runtime/pause.hpp"

namespace troupe::actors {

namespace {

/// Reads below this get a batch that was never large: lonely messages that wait in queues shall not
/// each hold the memory of a burst.
constexpr std::size_t large_from = 1024;

} // namespace

void inbound_batch::come_home() noexcept { pool_.take_home(this); }

void inbound_batch::clear() noexcept {
  packets.clear();
  bytes = {};
  first_bytes = {};
  bad_bytes = {};
  deliveries.clear();
  topics.clear();
  deferred.clear();
  routed.clear();
}

inbound_batch* batch_pool::take(std::size_t octets) {
  if (!returned_.is_empty()) collect();
  const bool is_large = octets >= large_from;
  inbound_batch*& list = is_large ? large_ : small_;
  inbound_batch* batch = list;
  if (batch != nullptr) {
    list = std::exchange(batch->next, nullptr);
    batch->count_.store(1, std::memory_order_relaxed);
  } else {
    batch = new inbound_batch{*this, is_large};
  }
  batch->octets = octets;
  shares_.fetch_add(1, std::memory_order_relaxed);
  out_batches_.fetch_add(1, std::memory_order_relaxed);
  add(octets);
  return batch;
}

bool batch_pool::wait_for_room() noexcept {
  silence();
  waiter_ = runtime::bell_ref{owner_};
  waits_.store(waits::waiting, std::memory_order_seq_cst);
  if (!has_room()) return true;
  silence(); // somebody came home meanwhile
  return false;
}

void batch_pool::silence() noexcept {
  auto seen = waits::waiting;
  if (waits_.compare_exchange_strong(seen, waits::nobody, std::memory_order_seq_cst)) {
    waiter_ = {};
    return;
  }
  for (runtime::patience patience; seen == waits::ringing; seen = waits_.load(std::memory_order_acquire))
    patience.wait();
}

void batch_pool::ring() noexcept {
  auto seen = waits::waiting;
  if (!waits_.compare_exchange_strong(seen, waits::ringing, std::memory_order_seq_cst)) return;
  const runtime::bell_ref waiter = std::move(waiter_);
  waits_.store(waits::nobody, std::memory_order_release);
  waiter.ring();
}

void batch_pool::take_home(inbound_batch* batch) noexcept {
  const std::size_t octets = batch->octets;
  batch->clear(); // here: slabs are free before anybody asks for the batch again
  returned_.push(*batch);
  out_octets_.fetch_sub(octets, std::memory_order_seq_cst);
  out_batches_.fetch_sub(1, std::memory_order_seq_cst);
  if (waits_.load(std::memory_order_seq_cst) == waits::waiting && has_room()) ring();
  give_share_back();
}

void batch_pool::collect() noexcept {
  inbound_batch* batch = returned_.take();
  while (batch != nullptr) {
    inbound_batch* const next = batch->next;
    inbound_batch*& list = batch->is_large_ ? large_ : small_;
    batch->next = std::exchange(list, batch);
    batch = next;
  }
}

void batch_pool::abandon() noexcept {
  silence();
  give_share_back();
}

void batch_pool::give_share_back() noexcept {
  if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

batch_pool::~batch_pool() {
  collect();
  for (inbound_batch* list : {small_, large_})
    while (list != nullptr) delete std::exchange(list, list->next);
}

} // namespace troupe::actors
