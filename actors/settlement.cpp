#include "settlement.hpp"

#include "wait_spot.hpp"

#include "../runtime/thread_barrier.hpp"

#include <algorithm>
#include <thread>

namespace troupe::actors {

namespace {

constexpr std::uint32_t first_block = 128;
constexpr std::uint32_t largest_block = 16 * 1024;
/// How many busy cells are stepped over before a ring grows.
constexpr std::uint32_t patience = 64;

constexpr std::uint64_t one_sleeper = 1;
constexpr std::uint64_t sleeper_mask = 0xFFFF'FFFF;
constexpr std::uint64_t anything = std::uint64_t{0xFFFF'FFFF} << 32U;

/// 24 bits of place and 7 of round; a block never has 2^24 cells, so that this is not `anything`.
constexpr std::uint64_t awaited(std::uint32_t at, std::uint8_t round) noexcept {
  return (std::uint64_t{at} << 8U | round) << 32U;
}

} // namespace

settlement_block::settlement_block(std::uint32_t size)
    : size_{size},
      settled_{std::make_unique<std::atomic<std::uint8_t>[]>(size)},
      gone_{std::make_unique<std::atomic<std::uint8_t>[]>(size)},
      given_{std::make_unique<std::uint8_t[]>(size)},
      details_{std::make_unique<outcome[]>(size)} {}

bool settlement_block::is_idle() const noexcept {
  for (std::uint32_t at = 0; at < size_; ++at)
    if (!is_free(at)) return false;
  return true;
}

void settlement_block::settle(std::uint32_t at, std::uint8_t round, const outcome& how) noexcept {
  std::uint8_t mark = how.by() == initiator::peer ? by_peer : std::uint8_t{0};
  if (how.error() || how.reason() != reason_code::success || how.by() == initiator::user) {
    details_[at] = how;
    mark = detailed;
  }
  settled_[at].store(static_cast<std::uint8_t>(round | mark), std::memory_order_release);
}

outcome settlement_block::read(std::uint32_t at) const noexcept {
  const std::uint8_t mark = settled_[at].load(std::memory_order_acquire);
  if ((mark & detailed) != 0) return details_[at];
  return outcome{reason_code::success, (mark & by_peer) != 0 ? initiator::peer : initiator::library};
}

bool settlement_block::is_awaited_settled(std::uint64_t sleepers) const noexcept {
  if ((sleepers & anything) == anything) return true;
  const auto at = static_cast<std::uint32_t>(sleepers >> 40U);
  return is_settled(at, static_cast<std::uint8_t>(sleepers >> 32U));
}

void settlement_block::wake() noexcept {
  // Pairs with enter(): either the sleeper sees what was settled, or we see the sleeper.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const std::uint64_t sleepers = sleepers_.load(std::memory_order_relaxed);
  if (sleepers == 0 || !is_awaited_settled(sleepers)) return;
  bell_.fetch_add(1, std::memory_order_release);
  futex_wake_all(bell_);
}

void settlement_block::enter(std::uint32_t at, std::uint8_t round) noexcept {
  std::uint64_t before = sleepers_.load(std::memory_order_relaxed);
  std::uint64_t after = 0;
  do {
    after = (before & sleeper_mask) == 0 ? awaited(at, round) | one_sleeper
                                         : anything | ((before & sleeper_mask) + 1);
  } while (!sleepers_.compare_exchange_weak(before, after, std::memory_order_seq_cst));
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void settlement_block::leave() noexcept {
  std::uint64_t before = sleepers_.load(std::memory_order_relaxed);
  std::uint64_t after = 0;
  do {
    after = (before & sleeper_mask) == 1 ? 0 : before - 1;
  } while (!sleepers_.compare_exchange_weak(before, after, std::memory_order_seq_cst));
}

bool settlement_block::wait(std::uint32_t at, std::uint8_t round,
                            std::chrono::steady_clock::time_point until) noexcept {
  if (is_settled(at, round)) return true;
  enter(at, round);
  bool done = false;
  for (;;) {
    const std::uint32_t seen = bell_.load(std::memory_order_acquire);
    done = is_settled(at, round);
    if (done || std::chrono::steady_clock::now() >= until) break;
    futex_wait(bell_, seen, until);
  }
  leave();
  return done;
}

// Who frees a block whose pendings outlive the store? Nothing tells a pending so but is_orphan_, which it
// reads between two plain stores, `going` and then the round:
//   pending  P1 gone = going    P2 is it an orphan?   P3 no: gone = round, and never again a look at the block
//                                                     P4 yes: gone = owning, gives one share back
//   store    S1 shares = cells + 1   S2 is_orphan = true   S3 barrier on all threads   S4 looks at each cell
// S3 falls, in the order of the pending's own thread, either behind P1, and then S4 sees P1 or what followed
// it, or before P1, and then P2 comes behind S2 and answers yes. So S4 finds in a cell
//   round    free, or P3 is done: nobody looks at it any more; the store gives that share back
//   going    P2 is being answered, either way: P3 or P4 is a few instructions off, and the store waits for it
//   owning   P4 is under way: that share is the pending's to give back
//   older    P1 has not come, and will find an orphan when it does: likewise
// Each cell's share is given back once, the last giver frees; the store's own share keeps the block while
// it looks. Two pendings at once are two steps of one counter. P1 to P3 cost no locked instruction: S3 is
// membarrier(2), and where that is not to be had the block stays where it is.
bool settlement_block::leave_to_pendings() noexcept {
  share_.store(size_ + 1, std::memory_order_relaxed);
  if (!runtime::can_bar_all_threads()) return false;
  is_orphan_.store(true, std::memory_order_seq_cst);
  runtime::bar_all_threads();
  std::uint32_t ours = 1;
  for (std::uint32_t at = 0; at < size_; ++at) {
    std::uint8_t state = 0;
    while (((state = gone_[at].load(std::memory_order_acquire)) & going) != 0) std::this_thread::yield();
    if (state == given_[at]) ++ours;
  }
  if (share_.fetch_sub(ours, std::memory_order_acq_rel) == ours) delete this;
  return true;
}

void settlement_block::give_up_orphan(std::uint32_t at) noexcept {
  std::atomic_thread_fence(std::memory_order_acquire); // shares were counted before it became an orphan
  gone_[at].store(owning, std::memory_order_release);
  if (share_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

settlement_store::~settlement_store() {
  for (settlement_block* block : resting_)
    if (block->is_idle())
      delete block;
    else
      static_cast<void>(block->leave_to_pendings());
}

settlement_block* settlement_store::take(std::uint32_t size) {
  {
    const std::scoped_lock lock{mutex_};
    const auto found = std::find_if(resting_.begin(), resting_.end(), [size](const settlement_block* block) {
      return block->size() == size && block->is_idle();
    });
    if (found != resting_.end()) {
      settlement_block* const block = *found;
      resting_.erase(found);
      return block;
    }
  }
  return new settlement_block{size};
}

void settlement_store::give_back(settlement_block* block) noexcept {
  const std::scoped_lock lock{mutex_};
  resting_.push_back(block);
}

settlement_ring::~settlement_ring() {
  for (settlement_block* block : blocks_) store_.give_back(block);
}

void settlement_ring::stand_at(std::size_t block) noexcept {
  block_ = block;
  block_now_ = blocks_[block];
  at_ = 0;
  end_ = block_now_->size();
}

cell settlement_ring::search() {
  for (std::uint32_t tries = 0; tries < patience && !blocks_.empty(); ++tries) {
    if (at_ == end_) stand_at((block_ + 1) % blocks_.size());
    const std::uint32_t at = at_++;
    if (block_now_->is_free(at)) return {block_now_, at, block_now_->give(at)};
  }
  return grow();
}

cell settlement_ring::grow() {
  const std::uint32_t size =
      blocks_.empty() ? first_block : std::min(blocks_.back()->size() * 2, largest_block);
  blocks_.push_back(store_.take(size));
  if (owner_ != nullptr) blocks_.back()->belong_to(owner_->weak_from_this());
  stand_at(blocks_.size() - 1);
  return {block_now_, at_++, block_now_->give(0)};
}

} // namespace troupe::actors
