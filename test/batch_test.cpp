#include "support/counting_bell.hpp"

#include <troupe/actors/batch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using namespace troupe::actors;
using troupe::test::counting_bell;

TEST(batches, come_home_empty_and_are_used_again) {
  counting_bell owner;
  auto& pool = *new batch_pool{owner, {}};
  inbound_batch* const first = pool.take(2000);
  first->packets.emplace_back();
  first->deliveries.push_back(0);
  {
    const batch_ref one = batch_ref::adopt(first);
    const batch_ref two = one;
  }
  inbound_batch* const second = pool.take(2000);
  EXPECT_EQ(second, first);
  EXPECT_TRUE(second->packets.empty());
  EXPECT_TRUE(second->deliveries.empty());
  second->release();
  pool.abandon();
}

TEST(batches, of_lonely_messages_do_not_hold_the_memory_of_a_burst) {
  counting_bell owner;
  auto& pool = *new batch_pool{owner, {}};
  inbound_batch* const large = pool.take(100'000);
  large->release();
  inbound_batch* const small = pool.take(20);
  EXPECT_NE(small, large);
  small->release();
  pool.abandon();
}

TEST(batches, ring_the_owner_when_there_is_room_again) {
  counting_bell owner;
  auto& pool = *new batch_pool{owner, {.octets = 100, .batches = 10}};
  inbound_batch* const full = pool.take(100);
  EXPECT_FALSE(pool.has_room());
  EXPECT_TRUE(pool.wait_for_room());
  EXPECT_EQ(owner.references, 1);
  std::thread{[&] { full->release(); }}.join();
  EXPECT_EQ(owner.rings, 1);
  EXPECT_EQ(owner.references, 0);
  EXPECT_TRUE(pool.has_room());
  EXPECT_FALSE(pool.wait_for_room()) << "there is room already";
  EXPECT_EQ(owner.references, 0);
  pool.abandon();
}

TEST(batches, are_bounded_in_number) {
  counting_bell owner;
  auto& pool = *new batch_pool{owner, {.octets = 1000, .batches = 2}};
  inbound_batch* const one = pool.take(1);
  inbound_batch* const two = pool.take(1);
  EXPECT_FALSE(pool.has_room());
  one->release();
  EXPECT_TRUE(pool.has_room());
  two->release();
  pool.abandon();
}

TEST(batches, may_outlive_their_pool) {
  counting_bell owner;
  auto& pool = *new batch_pool{owner, {.octets = 1, .batches = 10}};
  batch_ref last = batch_ref::adopt(pool.take(10));
  EXPECT_TRUE(pool.wait_for_room());
  pool.abandon();
  EXPECT_EQ(owner.references, 0) << "nobody is rung any more";
  last = {};
  EXPECT_EQ(owner.rings, 0);
}

TEST(batches, come_home_from_any_thread) {
  counting_bell owner;
  auto& pool = *new batch_pool{owner, {.octets = 50, .batches = 1000}};
  for (int turn = 0; turn != 200; ++turn) {
    std::vector<std::thread> threads;
    for (int count = 0; count != 4; ++count)
      threads.emplace_back([batch = pool.take(20)] { batch->release(); });
    if (!pool.has_room() && pool.wait_for_room())
      while (owner.rings.load() == 0) std::this_thread::yield();
    for (auto& each : threads) each.join();
    pool.silence();
    owner.rings = 0;
    EXPECT_TRUE(pool.has_room());
  }
  EXPECT_EQ(owner.references, 0);
  pool.abandon();
}

} // namespace
