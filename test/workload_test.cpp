#include <troupe/bench/load/workload.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

using namespace troupe::bench;
using troupe::protocol::qos;
using troupe::protocol::version;

const std::vector<workload>& rows() {
  static const std::vector<workload> all = all_workloads();
  return all;
}

const workload* find(std::string_view id) {
  const auto place =
      std::find_if(rows().begin(), rows().end(), [id](const workload& w) { return w.id == id; });
  return place == rows().end() ? nullptr : &*place;
}

TEST(workload, has_ids_that_are_unique) {
  std::set<std::string> ids;
  for (const workload& row : rows()) EXPECT_TRUE(ids.insert(row.id).second) << row.id;
}

TEST(workload, covers_every_published_number) {
  for (const char* number :
       {"W40", "W41", "W42", "W43", "W44", "W45", "W46", "W47", "W48", "W49", "W50", "W51", "W52", "W54"})
    EXPECT_TRUE(std::any_of(rows().begin(), rows().end(), [number](const workload& row) {
      return row.id.rfind(number, 0) == 0;
    })) << number;
}

TEST(workload, has_every_size_at_every_quality_version_and_transport) {
  for (const std::size_t payload : {10, 1'024, 2'048, 8'192, 32'768, 65'536, 1'048'576})
    for (const qos quality : {qos::at_most_once, qos::at_least_once, qos::exactly_once})
      for (const version which : {version::v3_1_1, version::v5_0})
        for (const medium transport : {medium::tcp, medium::loopback})
          EXPECT_TRUE(std::any_of(rows().begin(), rows().end(), [&](const workload& row) {
            return row.kind == workload_kind::burst && row.payload == payload && row.quality == quality
                   && row.version == which && row.transport == transport;
          })) << payload;
}

TEST(workload, counts_a_published_operation_as_half_a_message) {
  const workload* row = find("W40/burst/v5/tcp/qos0/10B");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->published, 6'486);
  EXPECT_EQ(row->messages, 1'000U);
  ASSERT_NE(find("W40/burst/v5/loopback/qos0/10B"), nullptr);
  EXPECT_FALSE(find("W40/burst/v5/loopback/qos0/10B")->published);
}

TEST(workload, sends_sixteen_messages_of_a_megabyte) {
  for (const workload& row : rows()) {
    if (row.payload == 1'048'576) {
      EXPECT_EQ(row.messages, 16U) << row.id;
    }
  }
}

TEST(workload, shows_in_the_demo_what_dev_demo_promises) {
  std::set<std::size_t> payloads;
  std::set<qos> qualities;
  std::set<medium> media;
  for (const workload& row : rows()) {
    if (!row.in_demo) continue;
    EXPECT_EQ(row.version, version::v5_0);
    payloads.insert(row.payload);
    qualities.insert(row.quality);
    media.insert(row.transport);
  }
  EXPECT_EQ(payloads, (std::set<std::size_t>{10, 1'024, 1'048'576}));
  EXPECT_EQ(qualities.size(), 3U);
  EXPECT_EQ(media.size(), 2U);
}

TEST(workload, matches_globs) {
  EXPECT_TRUE(matches("W40*", "W40/burst/v5"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*tcp*10B", "W40/burst/v5/tcp/qos0/10B"));
  EXPECT_TRUE(matches("W4?/*", "W42/x"));
  EXPECT_TRUE(matches("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(matches("W40", "W40/burst"));
  EXPECT_FALSE(matches("*tcp", "tcp/x"));
  EXPECT_FALSE(matches("", "x"));
}

} // namespace
