#include "outbound.hpp"

#include <utility>

namespace troupe::actors {

void outbound_home::operator()(outbound_batch* batch) const noexcept { batch->pool.take_home(*batch); }

outbound_pool::~outbound_pool() {
  for (outbound_batch* list : {idle_, returned_.take()})
    while (list != nullptr) delete std::exchange(list, list->next);
}

outbound_ref outbound_pool::take(runtime::slab_outbox& from) {
  if (idle_ == nullptr) idle_ = returned_.take();
  outbound_batch* batch = idle_;
  if (batch != nullptr)
    idle_ = std::exchange(batch->next, nullptr);
  else
    batch = new outbound_batch{*this};
  batch->octets = from.size();
  batch->then = after_batch::go_on;
  from.move_to(batch->segments, batch->octets);
  octets_out_.fetch_add(batch->octets, std::memory_order_relaxed);
  return outbound_ref{batch};
}

void outbound_pool::take_home(outbound_batch& batch) noexcept {
  batch.segments.clear();
  octets_out_.fetch_sub(batch.octets, std::memory_order_seq_cst);
  returned_.push(batch);
}

} // namespace troupe::actors
