#include "support/wire.hpp"

#include <troupe/protocol/slice.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe::protocol;

TEST(slice, keeps_its_owner_while_it_lives) {
  support::counting_keeper owner;
  {
    const slice whole{as_octets("hello world"), keeper_ref{&owner}};
    EXPECT_EQ(owner.references, 1);
    {
      const slice part = whole.part(6, 5);
      EXPECT_EQ(part.text(), "world");
      EXPECT_EQ(part.size(), 5U);
      EXPECT_EQ(owner.references, 2);
      slice moved = whole;
      moved = part;
      EXPECT_EQ(owner.references, 3);
    }
    EXPECT_EQ(owner.references, 1);
  }
  EXPECT_EQ(owner.references, 0);
}

TEST(keeper_ref, adopts_and_detaches_without_counting) {
  support::counting_keeper owner;
  owner.retain(1);
  keeper_ref adopted = keeper_ref::adopt(&owner);
  EXPECT_EQ(owner.references, 1);
  keeper* detached = adopted.detach();
  EXPECT_FALSE(adopted);
  detached->release(1);
  EXPECT_EQ(owner.references, 0);
  EXPECT_FALSE(keeper_ref{nullptr});
}

} // namespace
