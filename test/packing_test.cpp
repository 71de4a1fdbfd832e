#include <troupe/broker/packing.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <string>

namespace troupe::brokerage {
namespace {

TEST(packing, brings_back_what_was_packed) {
  protocol::property_block block;
  ASSERT_TRUE(block.add_user_property("a", "b"));
  packer ours;
  for (const auto quality :
       {protocol::qos::at_most_once, protocol::qos::at_least_once, protocol::qos::exactly_once}) {
    for (const std::size_t size : {0U, 1U, 100U, 128U, 20'000U, 3'000'000U}) {
      const std::string payload(size, 'x');
      const publish_run run = ours.pack({.topic = "a/b",
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
  packer ours;
  const publish_run run = ours.pack({.topic = topic}, 0, {});
  EXPECT_EQ(run.count, 0U);
  EXPECT_TRUE(run.frames.empty());
}

TEST(packing, shares_its_octets_between_shards) {
  publish_run copy;
  {
    packer gone;
    const publish_run run = gone.pack({.topic = "t", .payload = protocol::as_octets("x")}, 0, {});
    copy = run;
  }
  int packets = 0;
  for_each_publish(copy.frames, copy.form, [&](const protocol::publish&, protocol::octets) { ++packets; });
  EXPECT_EQ(packets, 1);
}

TEST(packing, makes_no_memory_for_a_stream_that_is_read_meanwhile) {
  packer ours;
  std::deque<publish_run> on_their_way;
  std::uint64_t made = 0;
  for (std::size_t each = 0; each < 20'000; ++each) {
    const std::string payload(each * 37 % 2'000, static_cast<char>('a' + each % 26));
    on_their_way.push_back(ours.pack({.topic = "t", .payload = protocol::as_octets(payload)}, 0, {}));
    if (on_their_way.size() > 100) on_their_way.pop_front();
    if (each == 1'000) made = ours.slabs_made();
  }
  EXPECT_EQ(ours.slabs_made(), made);
  std::size_t each = 20'000 - on_their_way.size();
  for (const publish_run& run : on_their_way) {
    for_each_publish(run.frames, run.form, [&](const protocol::publish& one, protocol::octets) {
      EXPECT_EQ(protocol::as_text(one.payload),
                std::string(each * 37 % 2'000, static_cast<char>('a' + each % 26)));
    });
    ++each;
  }
}

TEST(packing, leaves_the_slack_of_one_packet_alone_when_it_writes_the_next) {
  packer ours;
  const publish_run first = ours.pack({.topic = "t", .payload = protocol::as_octets("x")}, 0, {});
  const publish_run second = ours.pack({.topic = "t", .payload = protocol::as_octets("y")}, 0, {});
  EXPECT_EQ(first.owner.get(), second.owner.get());
  EXPECT_GE(second.frames.data(), first.frames.data() + first.frames.size() + protocol::read_slack);
}

TEST(packing, lets_no_small_packet_hold_a_large_slab) {
  packer ours;
  const std::string payload(100'000, 'x');
  const publish_run large = ours.pack({.topic = "t", .payload = protocol::as_octets(payload)}, 0, {});
  const publish_run small = ours.pack({.topic = "t", .payload = protocol::as_octets("x")}, 0, {});
  EXPECT_NE(large.owner.get(), small.owner.get());
}

} // namespace
} // namespace troupe::brokerage
