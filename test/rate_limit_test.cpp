#include "support/shard_rig.hpp"

#include <troupe/broker/rate_limit.hpp>

#include <gtest/gtest.h>

namespace troupe::brokerage {
namespace {

using namespace std::chrono_literals;
using protocol::reason_code;

int passing(rate_limit& limit, protocol::time_point now, int tries) {
  int count = 0;
  for (int each = 0; each < tries; ++each) count += limit.pass(now) ? 1 : 0;
  return count;
}

TEST(rate_limit, lets_so_many_pass_at_once_and_as_many_each_second) {
  rate_limit limit{4};
  const protocol::time_point start{1h};
  EXPECT_EQ(passing(limit, start, 10), 4);
  EXPECT_EQ(passing(limit, start + 250ms, 10), 1);
  EXPECT_EQ(passing(limit, start + 750ms, 10), 2);
  EXPECT_EQ(passing(limit, start + 1h, 100), 4); // nothing is saved up
}

TEST(rate_limit, of_none_lets_all_pass) {
  rate_limit limit{0};
  EXPECT_EQ(passing(limit, {}, 1'000), 1'000);
}

// -- limits of a shard --------------------------------------------------------------------------------------

struct limited : testing::TestWithParam<protocol::version> {};
INSTANTIATE_TEST_SUITE_P(both, limited, testing::Values(protocol::version::v3_1_1, protocol::version::v5_0));

TEST_P(limited, connects_beyond_the_rate_are_refused_and_counted) {
  test::shard_rig rig{{.max_connects_per_second = 2}};
  const bool is_new = GetParam() == protocol::version::v5_0;
  for (int each = 0; each < 3; ++each) {
    test::rig_client one{rig};
    one.connect({.version = GetParam(), .id = std::to_string(each)});
    const auto refusal = is_new ? reason_code::connection_rate_exceeded : reason_code::server_unavailable;
    EXPECT_EQ(one.hear().at(0).reason, each < 2 ? reason_code::success : refusal);
  }
  EXPECT_EQ(rig.counts().connections_throttled.value(), 1U);
  rig.advance(1s);
  test::rig_client later{rig};
  later.connect({.version = GetParam()});
  EXPECT_EQ(later.hear().at(0).reason, reason_code::success);
}

TEST_P(limited, connections_beyond_the_number_are_told_so_and_counted) {
  test::shard_rig rig{{.max_connections = 1}};
  const bool is_new = GetParam() == protocol::version::v5_0;
  {
    test::rig_client one{rig};
    test::rig_client two{rig};
    two.connect({.version = GetParam(), .id = "two"});
    EXPECT_EQ(two.hear().at(0).reason,
              is_new ? reason_code::quota_exceeded : reason_code::server_unavailable);
    EXPECT_TRUE(two.is_closed());
    one.connect({.version = GetParam(), .id = "one"});
    EXPECT_EQ(one.hear().at(0).reason, reason_code::success);
    EXPECT_EQ(rig.counts().connections_refused.value(), 1U);
    EXPECT_EQ(rig.counts().sessions.value(), 1U);
  }
  test::rig_client early{rig};
  test::rig_client late{rig}; // came when there was no room, and says CONNECT when there is
  early.hang_up();
  late.connect({.version = GetParam()});
  EXPECT_EQ(late.hear().at(0).reason, reason_code::success);
}

TEST_P(limited, filters_with_too_many_levels_are_refused) {
  test::shard_rig rig{{.max_filter_levels = 3}};
  test::rig_client one{rig};
  one.connect({.version = GetParam()});
  one.hear();
  one.subscribe({{.filter = "a/b/c"}, {.filter = "a/b/c/d"}, {.filter = "$share/g/a/b/c"}});
  const auto codes = one.hear().at(0).codes;
  ASSERT_EQ(codes.size(), 3U);
  EXPECT_EQ(codes[0], reason_code::granted_qos_0);
  EXPECT_EQ(codes[1], GetParam() == protocol::version::v5_0 ? reason_code::quota_exceeded
                                                            : reason_code::unspecified_error);
  EXPECT_EQ(codes[2], reason_code::granted_qos_0);
}

TEST_P(limited, subscriptions_beyond_the_number_are_refused) {
  test::shard_rig rig{{.max_subscriptions = 2}};
  test::rig_client one{rig};
  one.connect({.version = GetParam()});
  one.subscribe({{.filter = "a"}, {.filter = "b"}, {.filter = "c"}, {.filter = "a"}});
  const auto codes = one.hear(protocol::packet_type::suback).at(0).codes;
  EXPECT_TRUE(protocol::is_failure(codes.at(2)));
  EXPECT_FALSE(protocol::is_failure(codes.at(3))); // it is there already
  EXPECT_EQ(rig.counts().filters_refused.value(), 1U);
}

TEST_P(limited, sessions_beyond_the_number_are_refused) {
  test::shard_rig rig{{.max_sessions = 1}};
  test::rig_client one{rig};
  test::rig_client two{rig};
  one.connect({.version = GetParam(), .id = "one"});
  two.connect({.version = GetParam(), .id = "two"});
  EXPECT_EQ(one.hear().at(0).reason, reason_code::success);
  EXPECT_TRUE(protocol::is_failure(two.hear().at(0).reason));
  EXPECT_EQ(rig.counts().connections_refused.value(), 1U);
}

} // namespace
} // namespace troupe::brokerage
