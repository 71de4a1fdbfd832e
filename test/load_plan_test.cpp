#include <troupe/bench/load/load_plan.hpp>

#include <gtest/gtest.h>

namespace {

using namespace troupe::bench;

load_plan plan_of(std::uint32_t publishers, std::uint32_t subscribers) {
  load_plan plan;
  plan.publishers = publishers;
  plan.subscribers = subscribers;
  plan.topic = "a/%i";
  return plan;
}

TEST(load_plan, has_everybody_take_every_topic) {
  const load_plan plan = plan_of(4, 3);
  EXPECT_EQ(plan.topic_count(), 4U);
  EXPECT_EQ(plan.copies(2), 3U);
  EXPECT_EQ(plan.filters(1), std::vector<std::string>{"a/+"});
}

TEST(load_plan, names_every_topic_where_no_wildcard_can) {
  load_plan plan = plan_of(2, 1);
  plan.topic = "a/x%i";
  EXPECT_EQ(plan.filters(0), (std::vector<std::string>{"a/x0", "a/x1"}));
}

TEST(load_plan, gives_pairs_one_topic_each) {
  load_plan plan = plan_of(2, 3);
  plan.pairs = true;
  EXPECT_EQ(plan.filters(2), std::vector<std::string>{"a/0"});
  EXPECT_EQ(plan.copies(0), 2U);
  EXPECT_EQ(plan.copies(1), 1U);
}

TEST(load_plan, has_a_group_share_one_copy) {
  load_plan plan = plan_of(1, 5);
  plan.share = "g";
  EXPECT_EQ(plan.copies(0), 1U);
  EXPECT_EQ(plan.filters(3), std::vector<std::string>{"$share/g/a/+"});
}

TEST(load_plan, counts_the_connections_that_there_will_be) {
  load_plan plan = plan_of(4, 3);
  EXPECT_EQ(plan.connection_count(), 7U);
  plan.churn = 1;
  plan.churners = 5;
  EXPECT_EQ(plan.connection_count(), 12U);
  plan = plan_of(4, 3);
  plan.kind = load_kind::subscribe;
  EXPECT_EQ(plan.connection_count(), 3U);
  for (const auto kind : {load_kind::publish, load_kind::connect}) {
    plan.kind = kind;
    EXPECT_EQ(plan.connection_count(), 4U);
  }
  plan.turn = load_turn::takeover;
  EXPECT_EQ(plan.connection_count(), 8U);
}

TEST(load_plan, says_what_does_not_fit_together) {
  EXPECT_EQ(misfit_of(plan_of(1, 1)), "");
  load_plan plan = plan_of(1, 1);
  plan.verify = true;
  plan.payload = 4;
  EXPECT_NE(misfit_of(plan), "");
  plan = plan_of(1, 1);
  plan.kind = load_kind::subscribe;
  plan.broker = "embedded";
  EXPECT_NE(misfit_of(plan), "");
  plan = plan_of(1, 1);
  plan.kind = load_kind::round_trip;
  plan.version = troupe::protocol::version::v3_1_1;
  EXPECT_NE(misfit_of(plan), "");
  plan = plan_of(1, 1);
  plan.topic = "a/#";
  EXPECT_NE(misfit_of(plan), "");
  plan = plan_of(1, 1);
  plan.local_addresses = {"127.0.0.2"};
  EXPECT_EQ(misfit_of(plan), "");
  for (const char* broker : {"embedded", "embedded:unix", "unix:///x"}) {
    plan.broker = broker;
    EXPECT_NE(misfit_of(plan), "") << broker;
  }
}

} // namespace
