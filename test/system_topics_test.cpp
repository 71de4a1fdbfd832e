#include "support/raw_client.hpp"

#include <troupe/broker/system_topics.hpp>
#include <troupe/runtime/clock.hpp>
#include <troupe/runtime/record_store.hpp>

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

namespace troupe::brokerage {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using test::raw_client;
using test::seen;

TEST(system_topics, say_all_at_first_and_then_what_changed) {
  std::map<std::string, std::string> heard;
  const auto hear = [&](std::string_view topic, std::string_view value) {
    EXPECT_TRUE(heard.emplace(topic, value).second) << topic;
  };
  system_topics topics;
  broker_statistics figures;
  topics.say(figures, 0s, hear);
  EXPECT_EQ(heard.at("$SYS/broker/uptime"), "0");
  EXPECT_EQ(heard.at("$SYS/broker/clients/connected"), "0");
  EXPECT_TRUE(heard.at("$SYS/broker/version").starts_with("troupe "));
  EXPECT_GT(heard.size(), 20U);
  heard.clear();
  figures.messages_received = 7;
  topics.say(figures, 10s, hear);
  EXPECT_EQ(heard, (std::map<std::string, std::string>{{"$SYS/broker/uptime", "10"},
                                                       {"$SYS/broker/messages/received", "7"}}));
}

struct system_tree : testing::Test {
  runtime::manual_clock time{};
  stage where{{.workers = 2, .time = &time}};
};

TEST_F(system_tree, is_there_for_who_asks_for_it_by_name) {
  broker our{where, {.sys_interval = 10s}};
  time.settle(); // every shard has heard the figures
  const std::string endpoint = *our.listen("mqtt://127.0.0.1:0");
  raw_client curious{endpoint};
  raw_client other{endpoint};
  curious.say_hello({.id = "curious"});
  other.say_hello({.id = "other"});
  other.subscribe({{.filter = "#"}, {.filter = "+/broker/uptime"}});
  other.next(packet_type::suback);
  curious.subscribe("$SYS/broker/clients/+");
  std::map<std::string, std::string> heard;
  while (heard.size() < 8) {
    const seen one = curious.next(packet_type::publish);
    EXPECT_TRUE(one.retain);
    heard[one.topic] = one.payload;
  }
  EXPECT_EQ(heard.at("$SYS/broker/clients/connected"), "0"); // when it was said
  time.advance(10s);
  seen next = curious.next(packet_type::publish);
  while (next.topic != "$SYS/broker/clients/connected") next = curious.next(packet_type::publish);
  EXPECT_EQ(next.payload, "2");
  EXPECT_FALSE(next.retain);
  other.send({0xC0, 0x00});
  EXPECT_EQ(other.next().type, packet_type::pingresp); // wildcards in front do not reach it [MQTT-4.7.2-1]
}

/// Counts and keeps nothing.
class worn_out final : public runtime::record_store {
public:
  std::error_code for_each(const reader&) override { return {}; }
  std::uint64_t submit(runtime::change_set& changes, runtime::bell*) override {
    changes.clear();
    return 1;
  }
  std::uint64_t committed() const noexcept override { return 0; }
  bool settle() override { return false; }
  std::shared_ptr<const runtime::tally> failures() const override { return failed; }

  const std::shared_ptr<runtime::tally> failed = std::make_shared<runtime::tally>();
};

TEST_F(system_tree, counts_what_could_not_be_written_down) {
  const auto disk = std::make_shared<worn_out>();
  broker our{where, {.store = disk}};
  EXPECT_EQ(our.statistics().store_failures, 0U);
  disk->failed->add(3);
  EXPECT_EQ(our.statistics().store_failures, 3U);
  our.stop();
  EXPECT_EQ(our.statistics().store_failures, 3U); // the store is let go, what it counted is known
}

TEST_F(system_tree, is_not_there_unless_it_is_wanted) {
  broker our{where};
  raw_client curious{*our.listen("mqtt://127.0.0.1:0")};
  curious.say_hello();
  curious.subscribe("$SYS/#");
  EXPECT_EQ(curious.next().type, packet_type::suback);
  time.advance(1h);
  curious.send({0xC0, 0x00});
  EXPECT_EQ(curious.next().type, packet_type::pingresp);
  EXPECT_EQ(our.statistics().retained_messages, 0U);
}

} // namespace
} // namespace troupe::brokerage
