#include <troupe/runtime/slab_pool.hpp>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace {

using troupe::protocol::keeper_ref;
using troupe::protocol::read_slack;
using troupe::runtime::largest_pooled_slab;
using troupe::runtime::slab;
using troupe::runtime::slab_pool;

TEST(slab, has_at_least_what_was_asked_and_slack_behind_it) {
  slab_pool pool;
  for (std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{4097}, std::size_t{65'536},
        largest_pooled_slab, largest_pooled_slab + 1, std::size_t{5'000'001}}) {
    slab* const got = pool.take(size);
    ASSERT_GE(got->capacity(), size);
    int sum = 0;
    for (std::size_t i = 0; i < read_slack; ++i) sum += got->data()[got->capacity() + i];
    EXPECT_EQ(sum, 0);
    got->release(1);
  }
}

TEST(slab, comes_home_with_its_last_reference) {
  slab_pool pool;
  slab* const first = pool.take(100);
  first->retain(2);
  first->release(1);
  EXPECT_FALSE(first->is_sole());
  slab* const second = pool.take(100);
  EXPECT_NE(first, second);
  first->release(2);
  EXPECT_EQ(pool.take(100), first);
  first->release(1);
  second->release(1);
  EXPECT_EQ(pool.made(), 2U);
}

TEST(slab, given_back_last_is_handed_out_first) {
  slab_pool pool;
  std::vector<slab*> taken;
  for (int i = 0; i < 5; ++i) taken.push_back(pool.take(4096));
  for (slab* each : taken) each->release(1);
  for (int i = 4; i >= 0; --i) EXPECT_EQ(pool.take(4096), taken[static_cast<std::size_t>(i)]);
  for (slab* each : taken) each->release(1);
}

TEST(slab, may_outlive_its_pool) {
  std::vector<keeper_ref> kept;
  {
    slab_pool pool;
    for (std::size_t size = 1; size < 4'000'000; size *= 3)
      kept.push_back(keeper_ref::adopt(pool.take(size)));
    pool.take(10)->release(1);
  }
  for (keeper_ref& each : kept) static_cast<slab*>(each.get())->data()[0] = 7;
}

TEST(slab, goes_back_to_the_heap_above_the_bound_and_when_huge) {
  slab_pool pool{std::size_t{128} << 10U};
  std::vector<slab*> taken;
  for (int i = 0; i < 8; ++i) taken.push_back(pool.take(65'536));
  for (slab* each : taken) each->release(1);
  pool.take(4096)->release(1);
  EXPECT_LE(pool.idle(), std::size_t{128} << 10U);
  pool.take(largest_pooled_slab + 1)->release(1);
  pool.trim();
  EXPECT_EQ(pool.idle(), 0U);
}

TEST(slab_pool, makes_nothing_once_warm) {
  slab_pool pool;
  const auto round = [&] {
    for (std::size_t size : {std::size_t{10}, std::size_t{65'536}, std::size_t{1} << 20U}) {
      std::vector<slab*> taken;
      taken.reserve(4);
      for (int i = 0; i < 4; ++i) taken.push_back(pool.take(size));
      for (slab* each : taken) each->release(1);
    }
  };
  round();
  const auto made = pool.made();
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(pool.made(), made);
}

TEST(slab_pool, fills_its_reading_slab_from_the_mark) {
  slab_pool pool;
  auto room = pool.reading_room();
  ASSERT_EQ(room.size(), troupe::runtime::reading_slab);
  room[0] = 1;
  const auto first = pool.finish_read(1);
  room = pool.reading_room();
  EXPECT_GE(room.data(), first.bytes().data() + 1 + read_slack);
  room[0] = 2;
  const auto second = pool.finish_read(1);
  EXPECT_EQ(first.owner().get(), second.owner().get());
  EXPECT_EQ(first.bytes()[0], 1);
  EXPECT_EQ(second.bytes()[0], 2);
}

TEST(slab_pool, fills_the_same_slab_again_when_all_has_been_used) {
  slab_pool pool;
  const auto* const begin = pool.reading_room().data();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(pool.reading_room().data(), begin);
    static_cast<void>(pool.finish_read(30'000));
  }
  EXPECT_EQ(pool.made(), 1U);
}

TEST(slab_pool, reads_into_larger_slabs_while_they_are_filled) {
  slab_pool pool;
  static_cast<void>(pool.finish_read(pool.reading_room().size()));
  EXPECT_EQ(pool.reading_room().size(), troupe::runtime::busy_reading_slab);
  std::vector<troupe::protocol::slice> kept;
  std::size_t room = 0;
  for (int i = 0; i < 5000 && room != troupe::runtime::reading_slab; ++i) {
    room = pool.reading_room().size();
    kept.push_back(pool.finish_read(100));
  }
  EXPECT_EQ(room, troupe::runtime::reading_slab) << "small reads, and still a large slab";
}

TEST(slab_pool, keeps_what_others_hold) {
  slab_pool pool;
  std::vector<troupe::protocol::slice> kept;
  for (std::size_t i = 0; i < 300; ++i) {
    auto room = pool.reading_room();
    ASSERT_GE(room.size(), 1000U);
    std::fill_n(room.begin(), 1000, static_cast<std::uint8_t>(i));
    kept.push_back(pool.finish_read(1000));
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    for (const auto each : kept[i].bytes()) ASSERT_EQ(each, static_cast<std::uint8_t>(i));
}

TEST(slab_pool, takes_back_from_other_threads) {
  slab_pool pool;
  constexpr int rounds = 2000;
  std::atomic<slab*> handed{nullptr};
  std::thread other{[&] {
    for (int i = 0; i < rounds; ++i) {
      slab* got = nullptr;
      while ((got = handed.exchange(nullptr)) == nullptr) std::this_thread::yield();
      EXPECT_EQ(got->data()[0], static_cast<std::uint8_t>(i));
      got->release(1);
    }
  }};
  for (int i = 0; i < rounds; ++i) {
    slab* const fresh = pool.take(4096);
    fresh->data()[0] = static_cast<std::uint8_t>(i);
    while (handed.load() != nullptr) std::this_thread::yield();
    handed.store(fresh);
  }
  other.join();
  EXPECT_LT(pool.made(), 10U);
}

} // namespace
