// What a store keeps of names that are as long as MQTT lets them be.
#include "support/shard_rig.hpp"

#include <troupe/runtime/record_store.hpp>

#include <gtest/gtest.h>

#include <string>

namespace troupe {
namespace {

using test::rig_client;
using test::shard_rig;

TEST(store_limits, keep_the_longest_filters_and_topics) {
  const auto records = std::make_shared<runtime::memory_records>();
  const std::string longest(65'535, 't');
  const std::string long_filter = std::string(65'533, 'f') + "/#"; // their keys are longer than they
  {
    shard_rig rig{{.store = records}};
    rig_client reader{rig};
    reader.connect({.id = "reader", .clean = false, .expiry = 1'000});
    reader.subscribe(longest);
    reader.subscribe(long_filter);
    reader.publish(longest, "kept", {.retain = true});
  }
  shard_rig rig{{.store = records}};
  EXPECT_EQ(rig.counts().subscriptions.value(), 2U);
  EXPECT_EQ(rig.counts().retained_messages.value(), 1U);
  rig_client reader{rig};
  reader.connect({.id = "reader", .clean = false, .expiry = 1'000});
  reader.unsubscribe(longest);
  reader.subscribe(longest);
  EXPECT_EQ(reader.payloads(), std::vector<std::string>{"kept"});
}

} // namespace
} // namespace troupe
