// What hooks see and decide, in a shard without actors.
#include "support/shard_rig.hpp"

#include <troupe/broker/access_rules.hpp>
#include <troupe/broker/hooks.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace troupe::brokerage {
namespace {

using protocol::packet_type;
using protocol::qos;
using protocol::reason_code;
using test::rig_client;
using test::shard_rig;
using texts = std::vector<std::string>;

class notebook final : public hooks {
public:
  reason_code on_connect(const identity& who) override {
    return who.client_id == "unwanted" ? reason_code::banned : reason_code::success;
  }
  void on_connected(const identity& who, bool is_present) override {
    said.push_back("in " + std::string{who.client_id} + (is_present ? " again" : ""));
  }
  void on_disconnected(const identity& who) override { said.push_back("out " + std::string{who.client_id}); }
  reason_code on_subscribe(const identity&, const protocol::subscription& what) override {
    return what.filter == "secret" ? reason_code::not_authorized : reason_code::success;
  }
  reason_code on_publish(const identity&, const protocol::publish& what) override {
    const auto text = protocol::as_text(what.payload);
    seen.emplace_back(text);
    if (text == "refuse") return reason_code::payload_format_invalid;
    return text == "swallow" ? reason_code::no_matching_subscribers : reason_code::success;
  }
  bool on_deliver(std::string_view to, const protocol::publish& what) override {
    return !(to == "deaf" && protocol::as_text(what.payload) == "loud");
  }

  texts said{};
  texts seen{};
};

struct hooks_test : testing::Test {
  std::shared_ptr<notebook> notes = std::make_shared<notebook>();
  shard_rig rig{{.hooks = notes}};
};

TEST_F(hooks_test, decide_who_comes_in_and_see_who_goes) {
  {
    rig_client unwanted{rig};
    unwanted.connect({.id = "unwanted"});
    EXPECT_EQ(unwanted.hear().at(0).reason, reason_code::banned);
  }
  for (int round = 0; round < 2; ++round) {
    rig_client one{rig};
    one.connect({.id = "one", .clean = false, .expiry = 60});
  }
  EXPECT_EQ(notes->said, (texts{"in one", "out one", "in one again", "out one"}));
}

TEST_F(hooks_test, decide_on_filters_one_by_one) {
  rig_client one{rig};
  one.connect();
  one.hear();
  one.subscribe({{.filter = "open"}, {.filter = "secret"}});
  EXPECT_EQ(one.hear().at(0).codes, (std::vector{reason_code::granted_qos_0, reason_code::not_authorized}));
  EXPECT_EQ(rig.counts().filters_refused.value(), 1U);
}

TEST_F(hooks_test, see_each_message_and_refuse_or_swallow_it) {
  rig_client one{rig};
  one.connect();
  one.subscribe("t", qos::at_least_once);
  one.hear();
  std::vector<protocol::octet> together; // in one read, of one topic
  for (const char* text : {"a", "refuse", "b", "swallow", "c"}) {
    const auto bytes = one.publish_bytes("t", text);
    together.insert(together.end(), bytes.begin(), bytes.end());
  }
  one.send(together);
  EXPECT_EQ(one.payloads(), (texts{"a", "b", "c"}));
  EXPECT_EQ(notes->seen, (texts{"a", "refuse", "b", "swallow", "c"}));
  EXPECT_EQ(rig.counts().publishes_refused.value(), 1U);
  one.publish("t", "refuse", {.quality = qos::at_least_once});
  EXPECT_EQ(one.hear(packet_type::puback).at(0).reason, reason_code::payload_format_invalid);
  one.publish("t", "swallow", {.quality = qos::at_least_once});
  const auto heard = one.hear();
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].reason, reason_code::success);
}

TEST_F(hooks_test, decide_on_each_delivery) {
  rig_client deaf{rig};
  rig_client other{rig};
  rig_client late{rig};
  deaf.connect({.id = "deaf"});
  other.connect({.id = "other"});
  deaf.subscribe("t");
  other.subscribe("t");
  deaf.hear();
  other.hear();
  for (const char* text : {"quiet", "loud", "quiet"}) other.publish("t", text, {.retain = true});
  EXPECT_EQ(deaf.payloads(), (texts{"quiet", "quiet"}));
  EXPECT_EQ(other.payloads(), (texts{"quiet", "loud", "quiet"}));
  other.publish("t", "loud", {.retain = true});
  EXPECT_EQ(rig.counts().messages_dropped.value(), 2U);
  deaf.subscribe("#");
  EXPECT_TRUE(deaf.payloads().empty()); // retained messages are asked about as well
}

TEST(hooks, hear_where_a_client_came_from) {
  class doorman final : public hooks {
  public:
    reason_code on_connect(const identity& who) override { return note(who); }
    void on_disconnected(const identity& who) override { note(who); }
    texts from{};

  private:
    reason_code note(const identity& who) {
      from.emplace_back(who.peer_name);
      return reason_code::success;
    }
  };
  const auto door = std::make_shared<doorman>();
  shard_rig rig{{.hooks = door}};
  rig_client{rig}.connect();
  EXPECT_EQ(door->from, (texts{"rig", "rig"}));
}

TEST(will_access, is_asked_for_when_a_client_comes) {
  const auto rules = std::make_shared<access_rules>(
      true, std::vector<access_rule>{{.topic = "open", .may_publish = true, .may_subscribe = true}});
  shard_rig rig{{.may = rules}};
  for (const auto& [topic, answer] :
       {std::pair{"open", reason_code::success}, std::pair{"closed", reason_code::not_authorized},
        std::pair{"$SYS/broker/uptime", reason_code::not_authorized}}) {
    rig_client one{rig};
    one.connect(
        {.will = protocol::will_view{.topic = topic, .payload = protocol::as_octets(std::string_view{"x"})}});
    EXPECT_EQ(one.hear().at(0).reason, answer) << topic;
  }
}

// -- rules, whose costs and answers are the same whatever the traffic ---------------------------------------

TEST(system_topics, are_for_no_client_to_write) {
  shard_rig rig;
  rig_client one{rig};
  one.connect();
  one.subscribe("$SYS/#");
  one.hear();
  one.publish("$SYS/broker/uptime", "x", {.quality = qos::at_least_once});
  const auto heard = one.hear();
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].reason, reason_code::not_authorized);
  one.publish("$SYS/broker/uptime", "x");
  EXPECT_TRUE(one.hear().empty());
  one.publish("$SYSTEM", "y"); // not ours
  EXPECT_FALSE(one.is_closed());
}

} // namespace
} // namespace troupe::brokerage
