// Clients that do anything at any moment, on three shards whose mail arrives in any possible order.
#include "support/shard_rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>

namespace troupe {
namespace {

using namespace std::chrono_literals;
using protocol::packet_type;
using protocol::qos;
using protocol::version;
using test::rig_client;
using test::shard_rig;

class chaos {
public:
  explicit chaos(unsigned seed)
      : chance_{seed},
        rig_{{.max_inflight = 5,
              .max_queued_messages = seed % 2 == 0 ? 50U : 5U,
              .when_full = static_cast<brokerage::overflow>(seed % 3),
              .queue_qos0_offline = seed % 5 == 0},
             shards} {}

  void run(int steps) {
    for (int step = 0; step < steps; ++step) act();
  }
  /// Everybody leaves, and time passes: nothing may be left.
  void expect_nothing_left() {
    for (auto& one : clients_) one.reset();
    rig_.settle();
    rig_.advance(200s);
    std::uint64_t sessions = 0, connections = 0, subscriptions = 0, queued = 0, names = 0;
    for (std::size_t each = 0; each < shards; ++each) {
      sessions += rig_.counts(each).sessions.value();
      connections += rig_.counts(each).connections.value();
      subscriptions += rig_.counts(each).subscriptions.value();
      queued += rig_.counts(each).messages_queued.value();
      names += rig_[each].names().size();
      EXPECT_TRUE(rig_[each].is_empty());
      EXPECT_EQ(rig_[each].wishes().size(), 0U);
      EXPECT_EQ(rig_.counts(each).retained_messages.value(), rig_.counts(0).retained_messages.value());
    }
    EXPECT_EQ(sessions, 0U);
    EXPECT_EQ(connections, 0U);
    EXPECT_EQ(subscriptions, 0U);
    EXPECT_EQ(queued, 0U);
    EXPECT_EQ(names, 0U);
    EXPECT_EQ(rig_.mail(), 0U);
  }

private:
  static constexpr std::size_t shards = 3;

  unsigned any(std::size_t below) { return static_cast<unsigned>(chance_() % below); }
  std::string topic() {
    static constexpr std::array topics{"a", "a/b", "b", "a/b/c", "$x/a"};
    return topics[any(topics.size())];
  }
  std::string filter() {
    static constexpr std::array filters{"a", "a/#", "+/b", "#", "$share/g/a/#", "$share/h/+", "b", "$x/+"};
    return filters[any(filters.size())];
  }
  void connect(std::unique_ptr<rig_client>& place) {
    place = std::make_unique<rig_client>(rig_, any(shards));
    test::connect_options how{.version = any(3) == 0 ? version::v3_1_1 : version::v5_0,
                              .id = "client" + std::to_string(any(5)),
                              .clean = any(3) == 0,
                              .keep_alive = static_cast<std::uint16_t>(any(3) * 20)};
    if (how.version == version::v5_0) {
      how.expiry = any(3) * 30;
      how.receive_maximum = static_cast<std::uint16_t>(any(4));
    } else {
      how.clean = true; // such sessions would live for ever
    }
    if (any(3) == 0) how.will = protocol::will_view{.topic = "a/b", .payload = protocol::as_octets("will")};
    place->pipe().high_mark = any(3) == 0 ? 64U : 1U << 20U;
    say(*place, place->connect_bytes(how));
  }
  void say(rig_client& who, const std::vector<protocol::octet>& bytes) {
    if (any(2) == 0)
      who.send(bytes);
    else
      who.deliver_later(bytes);
  }
  void act() {
    std::unique_ptr<rig_client>& place = clients_[any(clients_.size())];
    if (place == nullptr) return connect(place);
    rig_client& who = *place;
    switch (any(12)) {
    case 0: place.reset(); break;
    case 1: who.disconnect(); break;
    case 2:
    case 3: who.subscribe(filter(), static_cast<qos>(any(3)), any(2) * 7); break;
    case 4: who.unsubscribe(filter()); break;
    case 5:
    case 6:
    case 7: {
      const test::publish_options how{.quality = static_cast<qos>(any(3)),
                                      .retain = any(4) == 0,
                                      .id = static_cast<protocol::packet_id>(1 + any(200)),
                                      .expiry = any(5) == 0 ? 3U : 0U};
      say(who, who.publish_bytes(topic(), any(6) == 0 ? "" : std::string(any(200), 'x'), how));
      break;
    }
    case 8: acknowledge(who); break;
    case 9: rig_.advance(std::chrono::seconds{any(3)}); break;
    case 10:
      for (unsigned steps = any(20); steps != 0; --steps) rig_.step_somewhere(chance_());
      break;
    default: who.send({0xC0, 0x00}); break;
    }
  }
  void acknowledge(rig_client& who) {
    for (const test::seen& one : who.hear()) {
      if (any(4) == 0) continue; // forgets one
      if (one.type == packet_type::publish && one.quality == qos::at_least_once)
        who.acknowledge(packet_type::puback, one.id);
      if (one.type == packet_type::publish && one.quality == qos::exactly_once)
        who.acknowledge(packet_type::pubrec, one.id);
      if (one.type == packet_type::pubrel) who.acknowledge(packet_type::pubcomp, one.id);
      if (one.type == packet_type::pubrec) who.acknowledge(packet_type::pubrel, one.id);
    }
  }

  std::minstd_rand chance_;
  shard_rig rig_;
  std::array<std::unique_ptr<rig_client>, 7> clients_{};
};

TEST(shard_chaos, leaves_nothing_behind) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    chaos all{seed};
    all.run(400);
    all.expect_nothing_left();
    if (testing::Test::HasFailure()) return;
  }
}

} // namespace
} // namespace troupe
