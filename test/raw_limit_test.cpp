#include <troupe/bench/load/raw_limit.hpp>
#include <troupe/bench/load/raw_wire.hpp>

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace {

using namespace troupe::bench;
using troupe::protocol::packet_type;
using troupe::protocol::qos;
using troupe::protocol::version;

TEST(raw_wire, writes_a_publish_as_the_standard_says) {
  const raw_format format{version::v5_0, qos::at_least_once, "a/b", 2};
  std::vector<std::uint8_t> bytes(format.frame());
  std::uint8_t* end = put_publish_head(bytes.data(), format, 0x1234);
  *end++ = 'h';
  *end++ = 'i';
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{0x32, 10, 0, 3, 'a', '/', 'b', 0x12, 0x34, 0, 'h', 'i'}));
  EXPECT_EQ(end, bytes.data() + bytes.size());
}

TEST(raw_wire, cuts_only_whole_frames) {
  for (const std::size_t payload : {0U, 100U, 200U, 20'000U, 2'100'000U}) {
    const raw_format format{version::v3_1_1, qos::at_most_once, "topic", payload};
    std::vector<std::uint8_t> bytes(format.frame() + 1);
    put_publish_head(bytes.data(), format, 0);
    const std::size_t size = format.frame();
    for (const std::size_t less : {size, size - 1, std::size_t{2}, std::size_t{1}}) {
      if (less > size || less == 0) continue;
      EXPECT_EQ(cut_frame(bytes.data(), bytes.data() + size - less).size, 0U);
    }
    const raw_frame frame = cut_frame(bytes.data(), bytes.data() + bytes.size());
    EXPECT_EQ(frame.size, size);
    EXPECT_EQ(frame.type(), packet_type::publish);
    const raw_publish taken = take_apart(frame, version::v3_1_1);
    EXPECT_EQ(taken.topic, "topic");
    EXPECT_EQ(taken.payload.size(), payload);
  }
}

using arrangement = std::tuple<raw_medium, qos, unsigned>;

class raw_limit_everywhere : public testing::TestWithParam<arrangement> {};

TEST_P(raw_limit_everywhere, loses_nothing) {
  const auto& [medium, quality, threads] = GetParam();
  if (medium == raw_medium::memory && threads != 1) return; // memory belongs to one thread
  for (const version which : {version::v3_1_1, version::v5_0}) {
    for (const std::size_t payload :
         {std::size_t{10}, std::size_t{1'000}, std::size_t{5'000}, std::size_t{600'000}}) {
      raw_plan plan;
      plan.medium = medium;
      plan.version = which;
      plan.quality = quality;
      plan.topic = "a/topic/of/the/raw/limit";
      plan.payload = payload;
      plan.threads = threads;
      raw_limit limit{plan};
      const std::uint64_t messages = payload > 100'000 ? 4 : 700;
      limit.burst(1);
      limit.burst(messages);
      limit.burst(messages, 64);
      EXPECT_EQ(limit.faults(), 0U) << payload << " octets";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(raw_limit, raw_limit_everywhere,
                         testing::Combine(testing::Values(raw_medium::tcp, raw_medium::tls,
                                                          raw_medium::unix_socket, raw_medium::memory),
                                          testing::Values(qos::at_most_once, qos::at_least_once,
                                                          qos::exactly_once),
                                          testing::Values(1U, 2U, 3U)));

} // namespace
