// settlement: the cells in which outcomes arrive.
//
// Lives here: settlement_block (cells and the place to wait for them), settlement_store (the blocks of
//          a stage), cell (one of them, as the session knows it).
// Holds:   a cell goes through rounds 1..63 and again 1. Its door gives it out for round n when round
//          n-1 has been settled and its pending is gone; nobody else touches it in between. Blocks
//          belong to the store and are used again by later clients; when the store ends, a block with
//          pendings left is theirs, and the last of them frees it (settlement_block::leave_to_pendings).
// Threads: `given` belongs to the door (under its lock). `details` and then `settled` are written by the
//          session, read by the pending; `gone` is written by the pending, read by the door.
// Costs:   one octet per cell and direction: a burst of 1,000 plain successes touches 16 lines. No locked
//          instruction: that a pending may be the last one alive is paid for by the store's end.
#pragma once

#include "outcome.hpp"

#include <atomic>
#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace troupe::actors {

class client_core;
/// The part of a client that names it to those who may outlive it.
using client_name = std::enable_shared_from_this<client_core>;

class settlement_block {
public:
  static constexpr std::uint8_t rounds = 63;

  explicit settlement_block(std::uint32_t size);

  std::uint32_t size() const noexcept { return size_; }

  // -- the door ----------------------------------------------------------------
  bool is_free(std::uint32_t at) const noexcept {
    const std::uint8_t round = given_[at];
    return gone_[at].load(std::memory_order_acquire) == round && is_settled(at, round);
  }
  /// The next round of a free cell.
  std::uint8_t give(std::uint32_t at) noexcept {
    const std::uint8_t round = given_[at];
    return given_[at] = round == rounds ? std::uint8_t{1} : static_cast<std::uint8_t>(round + 1U);
  }
  /// Whether nobody holds or will settle a cell of this block.
  bool is_idle() const noexcept;
  /// Whose cells these are; to be said while it is idle.
  void belong_to(std::weak_ptr<client_core> owner) noexcept { owner_ = std::move(owner); }

  // -- the store's end -------------------------------------------------------------
  /// Frees the block now or when its last pending is gone. Everything in it has been settled, and nothing
  /// will be given out any more. False: this system cannot do it (see below), and nothing has happened.
  bool leave_to_pendings() noexcept;

  // -- the session ---------------------------------------------------------------
  /// A success that we say ourselves.
  void settle_success(std::uint32_t at, std::uint8_t round) noexcept {
    settled_[at].store(round, std::memory_order_release);
  }
  void settle(std::uint32_t at, std::uint8_t round, const outcome& how) noexcept;
  /// To be called after a number of settlements: wakes whoever waits for one of them.
  void wake() noexcept;

  // -- the pending -----------------------------------------------------------------
  bool is_settled(std::uint32_t at, std::uint8_t round) const noexcept {
    return (settled_[at].load(std::memory_order_acquire) & round_mask) == round;
  }
  outcome read(std::uint32_t at) const noexcept;
  /// Gone: everything has been settled.
  std::shared_ptr<client_core> owner() const noexcept { return owner_.lock(); }
  void give_up(std::uint32_t at, std::uint8_t round) noexcept {
    gone_[at].store(static_cast<std::uint8_t>(round | going), std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst); // the other half is in leave_to_pendings()
    if (is_orphan_.load(std::memory_order_relaxed)) [[unlikely]]
      return give_up_orphan(at);
    gone_[at].store(round, std::memory_order_release); // the last thing that touches the block
  }
  /// False when the cell is not settled at `until`.
  bool wait(std::uint32_t at, std::uint8_t round, std::chrono::steady_clock::time_point until) noexcept;

private:
  static constexpr std::uint8_t round_mask = 0x3F;
  // In settled_, above the round: a success said by the peer, by us, or more than that.
  static constexpr std::uint8_t by_peer = 0x40;
  static constexpr std::uint8_t detailed = 0x80;
  // In gone_, above the round: its pending is asking whether it owns the block, or knows that it does.
  static constexpr std::uint8_t going = 0x40;
  static constexpr std::uint8_t owning = 0x80;

  ~settlement_block() = default;
  void give_up_orphan(std::uint32_t at) noexcept;
  bool is_awaited_settled(std::uint64_t sleepers) const noexcept;
  void enter(std::uint32_t at, std::uint8_t round) noexcept;
  void leave() noexcept;

  friend class settlement_store;

  std::uint32_t size_;
  std::weak_ptr<client_core> owner_;    // written by the door that takes the block, read by pendings
  std::atomic<bool> is_orphan_{false};  // set once, by the store's end
  std::atomic<std::uint32_t> share_{0}; // of an orphan: who may still touch it
  std::unique_ptr<std::atomic<std::uint8_t>[]> settled_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> gone_;
  std::unique_ptr<std::uint8_t[]> given_;
  std::unique_ptr<outcome[]> details_;
  // How many threads wait (low half) and, when it is one, for which cell and round (high half).
  alignas(64) std::atomic<std::uint64_t> sleepers_{0};
  std::atomic<std::uint32_t> bell_{0}; // the futex they sleep on
};

/// The blocks of a stage: a fixture of it, shared by its clients.
class settlement_store {
public:
  settlement_store() = default;
  ~settlement_store();
  settlement_store(const settlement_store&) = delete;
  settlement_store& operator=(const settlement_store&) = delete;

  /// A block of this size whose cells are all free.
  settlement_block* take(std::uint32_t size);
  /// Everything ever taken from a block will be settled; some of its pendings may still be there.
  void give_back(settlement_block* block) noexcept;

private:
  std::mutex mutex_;                       // taken when a client's ring grows or ends
  std::vector<settlement_block*> resting_; // under mutex_
};

/// One cell in one round.
struct cell {
  settlement_block* block = nullptr;
  std::uint32_t at = 0;
  std::uint8_t round = 0;
  friend auto operator<=>(const cell&, const cell&) = default;
};

/// The cells of one door, given out in turn.
class settlement_ring {
public:
  explicit settlement_ring(settlement_store& store, client_name* owner = nullptr) noexcept
      : store_{store}, owner_{owner} {}
  ~settlement_ring();
  settlement_ring(const settlement_ring&) = delete;
  settlement_ring& operator=(const settlement_ring&) = delete;

  cell take() {
    if (at_ < end_ && block_now_->is_free(at_)) [[likely]] {
      const std::uint32_t at = at_++;
      return {block_now_, at, block_now_->give(at)};
    }
    return search();
  }

private:
  cell search();
  cell grow();
  void stand_at(std::size_t block) noexcept;

  settlement_store& store_;
  client_name* owner_; // outlives the ring; null: nobody can be asked to settle early
  std::vector<settlement_block*> blocks_;
  std::size_t block_ = 0; // where the search is
  settlement_block* block_now_ = nullptr;
  std::uint32_t at_ = 0;
  std::uint32_t end_ = 0; // of block_now_
};

} // namespace troupe::actors
