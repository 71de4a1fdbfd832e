// settler: brings requests to their end, many at a time.
//
// Lives here: settler: answers askers, gives memory and allowance back.
// Holds:   each asker is answered once. Cells are settled at once and their sleepers woken by flush();
//          handlers run in flush(), where the session is in no machine's call, so they may ask for more.
// Threads: belongs to one actor. Handlers without an executor of their own run inside flush().
// Costs:   per plain publish: two stores and some additions. Per flush: one atomic step per slab and two
//          for the quota, a fence per block touched.
#pragma once

#include "door.hpp"
#include "request.hpp"

#include "../runtime/counters.hpp"

#include <cstdint>
#include <vector>

namespace troupe::actors {

class settler {
public:
  /// Counts what throws in `failures`.
  settler(quota& bounds, runtime::tally& failures) noexcept : bounds_{bounds}, failures_{failures} {}
  settler(const settler&) = delete;
  settler& operator=(const settler&) = delete;
  ~settler() { flush(); }

  /// Ends a publish; the record is gone afterwards.
  void finish(publish_record& record, const outcome& how);
  /// The same for a success that nobody but us has to confirm.
  void succeed(publish_record& record) {
    if (record.who.what() != asker::kind::cell)
      return finish(record, outcome{protocol::reason_code::success});
    const cell where = record.who.as_cell();
    where.block->settle_success(where.at, where.round);
    if (where.block != last_block_) touch(where.block);
    release(record);
  }
  /// The same for all of a run.
  void succeed_all(const door_run& run, const door_run::extent& whole);
  void answer(const asker& who, const outcome& how);
  /// Tells whoever waits at one of these cells that he stopped; takes it out of them then. False: he does not.
  bool withdraw(const asker& who, std::vector<cell>& cells);
  /// Whether flush() would call somebody, who may ask for more.
  bool has_calls() const noexcept { return !calls_.empty(); }
  /// To be called at the end of each run.
  void flush();

private:
  struct call {
    waiter* handler;
    outcome how;
    publish_record* record; // in whose memory the handler lies, or null
  };

  void settle(const cell& where, const outcome& how);
  void touch(settlement_block* block);
  void settle_group(publish_group& group, std::size_t count, const outcome& how);
  void release(publish_record& record) noexcept {
    ended_.items += 1;
    ended_.octets += static_cast<std::int64_t>(record.weight());
    if (record.memory != run_slab_) begin_run(record.memory);
    ++run_count_;
  }
  void begin_run(runtime::slab* memory) noexcept;
  void release_run() noexcept;
  void run_calls();

  quota& bounds_;
  runtime::tally& failures_;
  quota::portion ended_;
  runtime::slab* run_slab_ = nullptr; // consecutive records of one slab are released together
  std::uint32_t run_count_ = 0;
  settlement_block* last_block_ = nullptr;
  std::vector<settlement_block*> touched_; // whose sleepers have to be looked after
  std::vector<call> calls_;
};

} // namespace troupe::actors
