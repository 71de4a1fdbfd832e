// Runs the shipped doorbell over model atomics and walks through every interleaving; and shows that the walk
// finds what is wrong with doorbells that are not quite like it.
#include "support/interleavings.hpp"

#include <gtest/gtest.h>

namespace {

using namespace troupe::runtime;
using namespace support::interleavings;

using shipped = doorbell<model_atomics<true>>;
using without_fence = doorbell<model_atomics<false>>;

// Looks at the counters before it lies down instead of after.
class looks_too_early : public shipped {
public:
  bool may_sleep() noexcept {
    const bool even = is_even();
    if (!even) return false;
    const bool still_even = is_even();
    lie_down();
    model_atomics<true>::full_fence();
    return still_even || !get_up();
  }
};

struct patient_owner {
  template <class Bell>
  static owner_round play(std::uint64_t taken_before) {
    Bell bell;
    bell.took(taken_before);
    const auto taken = playing->perform({operation::sort::take, place::queue});
    bell.took(taken);
    return {taken, bell.may_sleep()};
  }
};

// Leaves when it finds nothing, whatever the counters say.
struct hasty_owner {
  template <class Bell>
  static owner_round play(std::uint64_t taken_before) {
    Bell bell;
    bell.took(taken_before);
    const auto taken = playing->perform({operation::sort::take, place::queue});
    bell.took(taken);
    if (taken == 0) return {0, true};
    return {taken, bell.may_sleep()};
  }
};

TEST(doorbell, loses_no_ring_in_any_interleaving) {
  explorer<shipped, patient_owner> walk;
  walk.explore();
  EXPECT_EQ(walk.lost(), 0U);
  EXPECT_GT(walk.ends(), 0U);
  EXPECT_GT(walk.states(), 10'000U); // or the walk itself is broken
  RecordProperty("states", static_cast<int>(walk.states()));
}

TEST(doorbell, walk_finds_a_missing_fence) {
  explorer<without_fence, patient_owner> walk;
  walk.explore();
  EXPECT_GT(walk.lost(), 0U);
}

TEST(doorbell, walk_finds_a_look_before_lying_down) {
  explorer<looks_too_early, patient_owner> walk;
  walk.explore();
  EXPECT_GT(walk.lost(), 0U);
}

TEST(doorbell, walk_finds_an_owner_who_leaves_on_nothing_dequeued) {
  explorer<shipped, hasty_owner> walk;
  walk.explore();
  EXPECT_GT(walk.lost(), 0U);
}

TEST(doorbell, is_not_even_while_a_producer_is_on_his_way) {
  doorbell<> bell;
  EXPECT_TRUE(bell.may_sleep());
  const auto mine = bell.announce(3);
  EXPECT_EQ(mine.before, 0U);
  EXPECT_FALSE(bell.may_sleep());
  EXPECT_TRUE(bell.must_ring(mine));
  EXPECT_FALSE(bell.must_ring(mine));
  bell.took(3);
  EXPECT_TRUE(bell.may_sleep());
}

TEST(doorbell, tells_late_producers_that_it_is_closed) {
  doorbell<> bell;
  bell.close();
  const auto mine = bell.announce(1);
  EXPECT_EQ(mine.seen, owner_state::closed);
  EXPECT_FALSE(bell.is_even());
  bell.withdraw(1);
  EXPECT_TRUE(bell.is_even());
  EXPECT_FALSE(bell.must_ring(mine));
}

} // namespace
