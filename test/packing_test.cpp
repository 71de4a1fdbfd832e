#include <troupe/broker/packing.hpp>

#include <gtest/gtest.h>

#include <string>

namespace troupe::brokerage {
namespace {

TEST(packing, brings_back_what_was_packed) {
  protocol::property_block block;
  ASSERT_TRUE(block.add_user_property("a", "b"));
  for (const auto quality :
       {protocol::qos::at_most_once, protocol::qos::at_least_once, protocol::qos::exactly_once}) {
    for (const std::size_t size : {0U, 1U, 100U, 128U, 20'000U, 3'000'000U}) {
      const std::string payload(size, 'x');
      const publish_run run = pack({.topic = "a/b",
                                    .payload = protocol::as_octets(payload),
                                    .properties = block.view(),
                                    .quality = quality,
                                    .retain = true},
                                   42, {});
      int packets = 0;
      for_each_publish(run.frames, run.form, [&](const protocol::publish& one, protocol::octets whole) {
        ++packets;
        EXPECT_EQ(one.topic, "a/b");
        EXPECT_EQ(one.payload.size(), size);
        EXPECT_EQ(one.quality, quality);
        EXPECT_TRUE(one.retain);
        EXPECT_TRUE(one.properties.has(protocol::property::user_property));
        EXPECT_EQ(whole.size(), run.frames.size());
      });
      EXPECT_EQ(packets, 1);
      EXPECT_EQ(run.from, 42U);
    }
  }
}

TEST(packing, answers_an_empty_run_for_what_cannot_be_written) {
  const std::string topic(70'000, 't');
  const publish_run run = pack({.topic = topic}, 0, {});
  EXPECT_EQ(run.count, 0U);
  EXPECT_TRUE(run.frames.empty());
}

TEST(packing, shares_its_octets_between_shards) {
  publish_run copy;
  {
    const publish_run run = pack({.topic = "t", .payload = protocol::as_octets("x")}, 0, {});
    copy = run;
  }
  int packets = 0;
  for_each_publish(copy.frames, copy.form, [&](const protocol::publish&, protocol::octets) { ++packets; });
  EXPECT_EQ(packets, 1);
}

} // namespace
} // namespace troupe::brokerage
