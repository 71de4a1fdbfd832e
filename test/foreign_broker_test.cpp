// Our client against somebody else's broker: mosquitto, started by each test.
#include "support/inbox.hpp"
#include "support/mosquitto.hpp"

#include <troupe/actors/client.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace troupe {
namespace {

using protocol::errc;
using test::inbox;
using test::letter;
using test::mosquitto;
using namespace std::chrono_literals;

constexpr qos qualities[] = {qos::at_most_once, qos::at_least_once, qos::exactly_once};

client_options options_for(const mosquitto& broker, std::string id, version spoken) {
  client_options result;
  result.broker = broker.url();
  result.client_id = std::move(id);
  result.version = spoken;
  return result;
}

class foreign_broker : public testing::TestWithParam<version> {
protected:
  static client_options options(const mosquitto& broker, std::string id) {
    return options_for(broker, std::move(id), GetParam());
  }

  stage where{};
};

TEST_P(foreign_broker, carries_every_quality_both_ways) {
  const mosquitto broker;
  client publisher{where, options(broker, "publisher")};
  client subscriber{where, options(broker, "subscriber")};
  for (const qos taken : qualities) {
    inbox box;
    auto mine = subscriber.subscribe("a/+", taken, box.handler());
    ASSERT_EQ(mine.granted().get().reason(), static_cast<reason_code>(taken));
    for (const qos given : qualities) {
      const outcome how = publisher.publish("a/b", "hello", given).get();
      EXPECT_TRUE(how.ok()) << how.text();
      const letter got = box.next();
      EXPECT_EQ(got.topic, "a/b");
      EXPECT_EQ(got.text, "hello");
      EXPECT_EQ(got.quality, std::min(given, taken));
      EXPECT_FALSE(got.is_retained);
    }
    EXPECT_TRUE(mine.unsubscribe().get().ok());
    EXPECT_TRUE(publisher.publish("a/b", "unheard", qos::exactly_once).get().ok());
    EXPECT_TRUE(box.is_empty());
  }
}

TEST_P(foreign_broker, keeps_and_forgets_retained_messages) {
  const mosquitto broker;
  client c{where, options(broker, "c")};
  for (const qos quality : qualities) {
    const std::string topic = "r/" + std::to_string(static_cast<int>(quality));
    EXPECT_TRUE(c.publish(topic, "kept", quality, {.retain = true}).get().ok());
  }
  EXPECT_TRUE(c.publish("r/1", "newer", qos::at_least_once, {.retain = true}).get().ok());
  inbox box;
  auto mine = c.subscribe("r/#", qos::exactly_once, box.handler());
  std::vector<std::string> seen;
  for (int count = 0; count != 3; ++count) {
    const letter got = box.next();
    EXPECT_TRUE(got.is_retained);
    seen.push_back(got.topic + " " + got.text);
  }
  std::ranges::sort(seen);
  EXPECT_EQ(seen, (std::vector<std::string>{"r/0 kept", "r/1 newer", "r/2 kept"}));
  EXPECT_TRUE(c.publish("r/1", "", qos::at_least_once, {.retain = true}).get().ok());
  EXPECT_FALSE(box.next().is_retained) << "what is said now is news";
  EXPECT_TRUE(mine.unsubscribe().get().ok());

  inbox later;
  auto again = c.subscribe("r/+", qos::at_most_once, later.handler());
  later.await(2);
  EXPECT_TRUE(c.publish("r/end", "end", qos::exactly_once).get().ok());
  later.await(3);
  for (const bool is_retained : {true, true, false}) {
    const letter got = later.next();
    EXPECT_EQ(got.is_retained, is_retained);
    EXPECT_NE(got.topic, "r/1");
  }
}

TEST_P(foreign_broker, understands_wildcards_and_tells_of_itself) {
  const mosquitto broker;
  client c{where, options(broker, "c")};
  inbox one;
  inbox all;
  inbox system;
  auto by_level = c.subscribe("w/+/temp", qos::at_least_once, one.handler());
  auto by_tree = c.subscribe("tree/#", qos::at_least_once, all.handler());
  auto of_itself = c.subscribe("$SYS/broker/version", qos::at_least_once, system.handler());
  ASSERT_TRUE(by_level.granted().get().ok());
  ASSERT_TRUE(by_tree.granted().get().ok());
  for (const char* topic : {"w/1/temp", "w/1/humidity", "w/temp", "w/a/b/temp", "w//temp"})
    EXPECT_TRUE(c.publish(topic, topic, qos::at_least_once).get().ok());
  for (const char* topic : {"tree", "tree/", "tree/a/b/c", "trees"})
    EXPECT_TRUE(c.publish(topic, topic, qos::at_least_once).get().ok());
  for (const char* topic : {"w/1/temp", "w//temp"}) EXPECT_EQ(one.next().topic, topic);
  for (const char* topic : {"tree", "tree/", "tree/a/b/c"}) EXPECT_EQ(all.next().topic, topic);
  EXPECT_TRUE(one.is_empty());
  EXPECT_TRUE(all.is_empty());
  EXPECT_EQ(system.next().text.substr(0, 9), "mosquitto");
}

TEST_P(foreign_broker, shares_the_messages_of_a_group) {
  const mosquitto broker;
  client publisher{where, options(broker, "publisher")};
  client first{where, options(broker, "first")};
  client second{where, options(broker, "second")};
  inbox one;
  inbox other;
  auto mine = first.subscribe("$share/g/t", qos::exactly_once, one.handler());
  auto theirs = second.subscribe("$share/g/t", qos::exactly_once, other.handler());
  ASSERT_TRUE(mine.granted().get().ok());
  ASSERT_TRUE(theirs.granted().get().ok());
  for (int index = 0; index != 20; ++index)
    EXPECT_TRUE(publisher.publish("t", "x", qos::exactly_once).get().ok());
  one.await(10); // mosquitto deals them out in turn
  other.await(10);
}

TEST_P(foreign_broker, carries_a_megabyte) {
  const mosquitto broker;
  client publisher{where, options(broker, "publisher")};
  client subscriber{where, options(broker, "subscriber")};
  std::string large(1U << 20U, 'x');
  for (std::size_t at = 0; at < large.size(); at += 100) large[at] = static_cast<char>('a' + at / 100 % 26);
  inbox box;
  auto mine = subscriber.subscribe("large", qos::exactly_once, box.handler());
  ASSERT_TRUE(mine.granted().get().ok());
  for (const qos quality : qualities) {
    EXPECT_TRUE(publisher.publish("large", large, quality).get().ok());
    const letter got = box.next();
    EXPECT_EQ(got.quality, quality);
    EXPECT_TRUE(got.text == large);
  }
}

TEST_P(foreign_broker, keeps_the_order_of_a_burst) {
  const mosquitto broker; // takes twenty at once, and says so in 5.0
  client publisher{where, options(broker, "publisher")};
  client subscriber{where, options(broker, "subscriber")};
  constexpr int count = 3000;
  for (const qos quality : {qos::at_least_once, qos::exactly_once}) {
    inbox box;
    auto mine = subscriber.subscribe("t", quality, box.handler());
    ASSERT_TRUE(mine.granted().get().ok());
    std::vector<pending<outcome>> ends;
    for (int index = 0; index != count; ++index)
      ends.push_back(publisher.publish("t", std::to_string(index), quality));
    for (auto& each : ends) EXPECT_TRUE(each.get().ok());
    for (int index = 0; index != count; ++index) ASSERT_EQ(box.next().text, std::to_string(index));
    EXPECT_TRUE(mine.unsubscribe().get().ok());
    EXPECT_TRUE(box.is_empty());
  }
}

TEST_P(foreign_broker, refuses_a_wrong_password_with_its_reason) {
  const mosquitto broker{"allow_anonymous false\n"};
  auto wrong = options(broker, "c");
  wrong.user_name = "nobody";
  wrong.password = "nothing";
  client c{where, wrong};
  EXPECT_EQ(c.connected().get().error(), errc::refused_by_server);
  EXPECT_EQ(c.state(), client_state::faulted);
  EXPECT_EQ(c.publish("t", "x", qos::at_least_once).get().error(), errc::refused_by_server);
}

TEST_P(foreign_broker, says_the_will_of_who_was_cut_off_and_not_of_who_said_farewell) {
  const mosquitto broker;
  client watcher{where, options(broker, "watcher")};
  inbox box;
  auto mine = watcher.subscribe("will/#", qos::exactly_once, box.handler());
  ASSERT_TRUE(mine.granted().get().ok());
  const auto mortal = [&](const std::string& id) {
    auto how = options(broker, id);
    how.will = will{.topic = "will/" + id, .payload = "gone", .quality = qos::exactly_once};
    how.reconnect = false;
    return how;
  };
  client polite{where, mortal("polite")};
  client rude{where, mortal("rude")};
  ASSERT_TRUE(polite.connected().get().ok());
  ASSERT_TRUE(rude.connected().get().ok());
  EXPECT_TRUE(polite.disconnect().get().ok());
  client usurper{where, options(broker, "rude")}; // whoever bore the name before is cut off
  EXPECT_EQ(box.next().topic, "will/rude");
  ASSERT_TRUE(usurper.connected().get().ok());
  while (rude.state() != client_state::faulted) std::this_thread::yield();
  EXPECT_EQ(usurper.state(), client_state::connected);
  EXPECT_TRUE(box.is_empty());
}

TEST(foreign_broker_of_5_0, hands_on_properties_and_takes_aliases) {
  const mosquitto broker;
  stage where;
  auto aliasing = options_for(broker, "publisher", version::v5_0);
  aliasing.outbound_topic_aliases = 5;
  client publisher{where, aliasing};
  client subscriber{where, options_for(broker, "subscriber", version::v5_0)};
  std::atomic<int> typed = 0;
  inbox box;
  auto mine = subscriber.subscribe("p/#", qos::at_least_once, [&](const message& m) {
    if (m.properties().text(protocol::property::content_type) == "text/plain") ++typed;
    box.put(m);
  });
  ASSERT_TRUE(mine.granted().get().ok());
  protocol::property_block properties;
  ASSERT_TRUE(properties.set(protocol::property::content_type, "text/plain"));
  for (int index = 0; index != 100; ++index) {
    const std::string topic = "p/" + std::to_string(index % 8);
    const qos quality = index % 2 == 0 ? qos::at_most_once : qos::at_least_once;
    EXPECT_TRUE(publisher.publish(topic, topic, quality, {.properties = properties.view()}).get().ok());
  }
  for (int index = 0; index != 100; ++index) {
    const letter got = box.next();
    EXPECT_EQ(got.topic, "p/" + std::to_string(index % 8));
    EXPECT_EQ(got.text, got.topic) << "an alias stood for another topic";
  }
  EXPECT_EQ(typed, 100);
}

INSTANTIATE_TEST_SUITE_P(mosquitto, foreign_broker, testing::Values(version::v3_1_1, version::v5_0),
                         [](const auto& each) { return each.param == version::v5_0 ? "v5" : "v3"; });

} // namespace
} // namespace troupe
