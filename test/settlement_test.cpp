#include <troupe/actors/pending.hpp>
#include <troupe/actors/settlement.hpp>
#include <troupe/protocol/errc.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace {

using namespace troupe::actors;
using troupe::initiator;
using troupe::outcome;
using troupe::pending;
using troupe::reason_code;
using troupe::protocol::errc;
using namespace std::chrono_literals;

const auto long_enough = std::chrono::steady_clock::now() + 1h;

void settle(const cell& where, const outcome& how) {
  where.block->settle(where.at, where.round, how);
  where.block->wake();
}

TEST(settlement, keeps_everything_an_outcome_says) {
  settlement_store store;
  settlement_ring ring{store};
  for (const outcome& how :
       {outcome{reason_code::success, initiator::peer}, outcome{reason_code::success, initiator::library},
        outcome{reason_code::success, initiator::user}, outcome{reason_code::not_authorized, initiator::peer},
        outcome{reason_code::granted_qos_2, initiator::peer}, outcome{errc::closed}}) {
    const cell where = ring.take();
    pending<outcome> waiting{where};
    EXPECT_FALSE(waiting.done());
    settle(where, how);
    EXPECT_TRUE(waiting.done());
    const outcome read = waiting.get();
    EXPECT_EQ(read.error(), how.error());
    EXPECT_EQ(read.reason(), how.reason());
    EXPECT_EQ(read.by(), how.by());
    EXPECT_FALSE(waiting.valid());
  }
}

TEST(settlement, uses_a_cell_again_only_when_it_is_settled_and_its_pending_is_gone) {
  settlement_store store;
  settlement_ring ring{store};
  std::vector<pending<outcome>> held;
  std::set<std::pair<settlement_block*, std::uint32_t>> seen;
  for (int count = 0; count != 1000; ++count) {
    const cell where = ring.take();
    EXPECT_TRUE(seen.emplace(where.block, where.at).second) << "in use";
    if (count % 2 == 0) settle(where, outcome{reason_code::success});
    held.emplace_back(where);
  }
}

TEST(settlement, needs_no_more_cells_in_the_steady_state) {
  settlement_store store;
  settlement_ring ring{store};
  std::set<settlement_block*> blocks;
  for (int turn = 0; turn != 200; ++turn) {
    std::vector<pending<outcome>> held;
    std::vector<cell> cells;
    for (int count = 0; count != 500; ++count) {
      cells.push_back(ring.take());
      held.emplace_back(cells.back());
      blocks.insert(cells.back().block);
    }
    for (const cell& each : cells) settle(each, outcome{reason_code::success});
  }
  EXPECT_LE(blocks.size(), 3U); // 128 + 256 + 512
}

TEST(settlement, goes_through_all_rounds_of_a_cell) {
  settlement_store store;
  settlement_ring ring{store};
  for (int turn = 0; turn != 200 * 128; ++turn) {
    const cell where = ring.take();
    pending<outcome> waiting{where};
    ASSERT_FALSE(waiting.done());
    settle(where, outcome{errc::closed});
    ASSERT_EQ(waiting.get().error(), errc::closed);
  }
}

TEST(settlement, wakes_whoever_waits_for_the_cell) {
  settlement_store store;
  settlement_ring ring{store};
  const cell first = ring.take();
  const cell second = ring.take();
  std::thread one{[&] { EXPECT_TRUE(pending<outcome>{first}.get().ok()); }};
  std::thread two{[&] { EXPECT_TRUE(pending<outcome>{second}.get().ok()); }};
  settle(first, outcome{reason_code::success});
  one.join();
  settle(second, outcome{reason_code::success});
  two.join();
}

TEST(settlement, stops_waiting_when_the_time_is_over) {
  settlement_store store;
  settlement_ring ring{store};
  const cell where = ring.take();
  const pending<outcome> waiting{where};
  EXPECT_FALSE(waiting.wait_for(1ms));
  settle(where, outcome{reason_code::success});
  EXPECT_TRUE(waiting.wait_for(0ms));
  EXPECT_TRUE(where.block->wait(where.at, where.round, long_enough));
}

TEST(settlement, blocks_are_used_again_by_later_rings) {
  settlement_store store;
  settlement_block* used = nullptr;
  {
    settlement_ring ring{store};
    const cell where = ring.take();
    used = where.block;
    settle(where, outcome{reason_code::success});
    const pending<outcome> gone{where};
  }
  settlement_ring ring{store};
  const cell again = ring.take();
  const pending<outcome> gone{again};
  EXPECT_EQ(again.block, used);
}

TEST(settlement, a_block_with_a_pending_is_not_given_to_others_until_that_is_gone) {
  settlement_store store;
  pending<outcome> held;
  settlement_block* used = nullptr;
  {
    settlement_ring ring{store};
    const cell where = ring.take();
    used = where.block;
    settle(where, outcome{errc::closed});
    held = pending<outcome>{where};
  }
  settlement_ring ring{store};
  const cell other = ring.take();
  const pending<outcome> gone{other};
  EXPECT_NE(other.block, used);
  EXPECT_EQ(held.get().error(), errc::closed);
}

// Who frees the block is seen by LeakSanitizer; here, that nobody does so too early.
TEST(settlement, pendings_that_outlive_the_store_keep_their_outcomes) {
  std::vector<pending<outcome>> held;
  {
    settlement_store store;
    settlement_ring ring{store};
    for (int count = 0; count != 300; ++count) {
      const cell where = ring.take();
      settle(where, outcome{errc::closed});
      held.emplace_back(where);
    }
    for (std::size_t each = 0; each < held.size(); each += 3) held[each] = {};
  }
  for (std::size_t each = 1; each < held.size(); each += 3) EXPECT_EQ(held[each].get().error(), errc::closed);
  held.clear();
}

TEST(settlement, pendings_may_go_on_all_threads_while_the_store_ends) {
  for (int round = 0; round != 200; ++round) {
    auto store = std::make_unique<settlement_store>();
    std::vector<std::vector<pending<outcome>>> held(3);
    {
      settlement_ring ring{*store};
      for (int count = 0; count != 150; ++count) {
        const cell where = ring.take();
        settle(where, outcome{reason_code::success});
        held[static_cast<std::size_t>(count) % held.size()].emplace_back(where);
      }
    }
    std::atomic<std::size_t> ready{0};
    const auto all_are_ready = [&] {
      for (++ready; ready != held.size() + 1;) std::this_thread::yield();
    };
    std::vector<std::thread> threads;
    for (auto& mine : held)
      threads.emplace_back([&] {
        all_are_ready();
        mine.clear();
      });
    all_are_ready();
    store.reset();
    for (std::thread& each : threads) each.join();
  }
}

TEST(settlement, pendings_move_and_default_to_nothing) {
  settlement_store store;
  settlement_ring ring{store};
  const cell where = ring.take();
  pending<outcome> one{where};
  pending<outcome> two{std::move(one)};
  pending<outcome> three;
  EXPECT_FALSE(three.valid());
  EXPECT_TRUE(three.done());
  EXPECT_EQ(three.get().error(), errc::closed);
  three = std::move(two);
  settle(where, outcome{reason_code::success});
  EXPECT_TRUE(three.get().ok());
}

} // namespace
