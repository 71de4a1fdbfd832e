// slab_rack: pools wait warm for their next owner, within bounds.
#include <troupe/runtime/slab_rack.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace {

using namespace troupe::runtime;

TEST(slab_racks, hand_the_pool_given_back_last_to_the_next_owner_with_its_slabs) {
  const auto rack = std::make_shared<slab_rack>();
  slab* seen = nullptr;
  {
    const leased_pool mine{rack};
    seen = mine->take(64 * 1024);
    seen->release(1);
  }
  const leased_pool next{rack};
  slab* const again = next->take(64 * 1024);
  EXPECT_EQ(again, seen);
  EXPECT_EQ(next->made(), 1U);
  again->release(1);
}

TEST(slab_racks, keep_little_of_what_a_pool_had) {
  const auto rack = std::make_shared<slab_rack>();
  {
    const leased_pool mine{rack};
    std::vector<slab*> many;
    for (int count = 0; count != 16; ++count) many.push_back(mine->take(64 * 1024));
    many.push_back(mine->take(1024 * 1024));
    for (slab* each : many) each->release(1);
  }
  const leased_pool next{rack};
  EXPECT_LE(next->idle(), slab_rack::kept);
  EXPECT_GT(next->idle(), 0U);
}

TEST(slab_racks, take_in_slabs_that_come_home_while_nobody_owns_their_pool) {
  const auto rack = std::make_shared<slab_rack>();
  slab* outside = nullptr;
  {
    const leased_pool mine{rack};
    outside = mine->take(4096);
  }
  outside->release(1);
  const leased_pool next{rack};
  slab* const again = next->take(4096);
  EXPECT_EQ(again, outside);
  again->release(1);
}

TEST(slab_racks, give_owners_at_one_time_pools_of_their_own) {
  const auto rack = std::make_shared<slab_rack>();
  const leased_pool a{rack};
  const leased_pool b{rack};
  EXPECT_NE(&*a, &*b);
}

TEST(slab_racks, let_pools_go_above_their_number) {
  const auto rack = std::make_shared<slab_rack>();
  std::vector<std::unique_ptr<leased_pool>> all;
  const auto lease_all = [&] {
    for (std::size_t count = 0; count != slab_rack::most_pools + 8; ++count)
      all.push_back(std::make_unique<leased_pool>(rack));
  };
  lease_all();
  for (const auto& each : all) (*each)->take(4096)->release(1);
  all.clear();
  lease_all();
  const auto used_before = std::ranges::count_if(all, [](const auto& each) { return (*each)->made() != 0; });
  EXPECT_EQ(used_before, static_cast<std::ptrdiff_t>(slab_rack::most_pools));
}

} // namespace
