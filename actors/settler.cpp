#include "settler.hpp"

#include "../protocol/errc.hpp"

#include <algorithm>

namespace troupe::actors {

void settler::finish(publish_record& record, const outcome& how) {
  switch (record.who.what()) {
  case asker::kind::cell: settle(record.who.as_cell(), how); break;
  case asker::kind::group: settle_group(*record.who.group(), 1, how); break;
  case asker::kind::handler: calls_.push_back({record.who.handler(), how, &record}); return;
  case asker::kind::nobody: break;
  }
  release(record);
}

void settler::answer(const asker& who, const outcome& how) {
  switch (who.what()) {
  case asker::kind::cell: settle(who.as_cell(), how); break;
  case asker::kind::group: settle_group(*who.group(), 1, how); break;
  case asker::kind::handler: calls_.push_back({who.handler(), how, nullptr}); break;
  case asker::kind::nobody: break;
  }
}

bool settler::withdraw(const asker& who, std::vector<cell>& cells) {
  const auto here = who.waiting_cell();
  if (!here || std::erase(cells, *here) == 0) return false;
  answer(who, outcome{protocol::errc::cancelled, initiator::user});
  return true;
}

void settler::settle(const cell& where, const outcome& how) {
  where.block->settle(where.at, where.round, how);
  if (where.block != last_block_) touch(where.block);
}

void settler::touch(settlement_block* block) {
  last_block_ = block;
  if (std::find(touched_.begin(), touched_.end(), block) == touched_.end()) touched_.push_back(block);
}

void settler::settle_group(publish_group& group, std::size_t count, const outcome& how) {
  if (const auto who = group.end(count, how)) answer(*who, group.take_verdict());
}

void settler::succeed_all(const door_run& run, const door_run::extent& whole) {
  if (run.who.what() == asker::kind::group) {
    settle_group(*run.who.group(), whole.count, outcome{protocol::reason_code::success});
  } else {
    const cell where = run.who.as_cell();
    for (std::uint32_t at = where.at; at != where.at + whole.count; ++at)
      where.block->settle_success(at, where.round);
    if (where.block != last_block_) touch(where.block);
  }
  ended_.items += whole.count;
  ended_.octets += static_cast<std::int64_t>(whole.weight());
  if (run.memory() != run_slab_) begin_run(run.memory());
  run_count_ += whole.count;
}

void settler::begin_run(runtime::slab* memory) noexcept {
  release_run();
  run_slab_ = memory;
}

void settler::release_run() noexcept {
  if (run_count_ != 0) run_slab_->release(run_count_);
  run_slab_ = nullptr;
  run_count_ = 0;
}

void settler::flush() {
  release_run();
  for (settlement_block* block : touched_) block->wake();
  touched_.clear();
  last_block_ = nullptr;
  if (ended_.items != 0) bounds_.give_back(std::exchange(ended_, {}));
  if (!calls_.empty()) run_calls();
}

void settler::run_calls() {
  // A handler may end other requests only through mailboxes, but let the list be ours alone meanwhile.
  std::vector<call> calls;
  calls.swap(calls_);
  for (const call& each : calls) {
    if (!each.handler->run(each.how)) failures_.add(1);
    if (each.record != nullptr) release(*each.record);
  }
  calls.clear();
  if (calls_.empty()) calls_.swap(calls); // keeps the memory
  release_run();
  if (ended_.items != 0) bounds_.give_back(std::exchange(ended_, {}));
}

} // namespace troupe::actors
