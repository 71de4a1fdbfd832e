// All packet ids there are: one that stays taken, and none left.
#include <troupe/actors/client.hpp>

#include "support/actors/timed_clients.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace {

using support::line_state;
using support::octets;
using troupe::client;
using troupe::client_state;
using troupe::outcome;
using troupe::qos;

class packet_ids_of_clients : public support::timed_clients {};

/// Acknowledges every publish at QoS 1 but those of one id; remembers the ids.
class forgetful_broker final : public support::player {
public:
  void on_packet(const std::shared_ptr<line_state>& link, octets packet) override {
    if (packet[0] >> 4U == 1) return support::say_here(*link, support::parse_hex("20 02 00 00"));
    if (packet[0] >> 4U != 3) return;
    const unsigned id = unsigned{packet[5]} << 8U | packet[6];
    if (id == 1) ++times_of_one;
    seen = std::max(seen, id);
    if (is_silent || id == 1) return;
    support::say_here(*link, {octet(0x40), octet(2), packet[5], packet[6]});
  }
  void acknowledge(line_state& link, unsigned id) {
    support::say_here(link, {octet(0x40), octet(2), octet(id >> 8U), octet(id & 0xFFU)});
  }
  int times_of_one = 0;
  unsigned seen = 0;
  bool is_silent = false;

private:
  using octet = support::octet;
};

TEST_P(packet_ids_of_clients, an_id_that_is_not_acknowledged_is_stepped_over_by_all_that_follow) {
  forgetful_broker broker;
  network->play(broker);
  auto old = options();
  old.version = troupe::version::v3_1_1;
  client c{stage, old};
  std::atomic<int> ended{0};
  std::vector<troupe::publication> portion(656,
                                           {.topic = "t", .payload = "x", .quality = qos::at_least_once});
  auto held = c.publish("t", "x", qos::at_least_once);
  time.settle();
  for (int n = 0; n != 102; ++n) { // 66,912 publishes: more than there are ids
    c.publish_many(portion, [&](outcome how) { ended += how.ok() ? 1 : 0; });
    time.settle();
  }
  EXPECT_EQ(ended, 102);
  EXPECT_EQ(broker.times_of_one, 1);
  EXPECT_EQ(broker.seen, 657U) << "the lowest that are free";
  EXPECT_FALSE(held.done());
}

/// Counts publishes; the test acknowledges.
class counting_broker final : public support::player {
public:
  void on_packet(const std::shared_ptr<line_state>& link, octets packet) override {
    latest = link;
    if (packet[0] >> 4U == 1) return support::say_here(*link, support::parse_hex("20 02 00 00"));
    if (packet[0] >> 4U != 3) return;
    ++publishes;
    if ((packet[0] & 0x06U) != 0) last_id = unsigned{packet[5]} << 8U | packet[6];
  }
  std::shared_ptr<line_state> latest;
  int publishes = 0;
  unsigned last_id = 0;
};

TEST_P(packet_ids_of_clients, when_all_ids_are_taken_the_next_publish_waits_for_the_first_that_is_free) {
  counting_broker broker;
  network->play(broker);
  auto old = options();
  old.version = troupe::version::v3_1_1;
  old.pending_items = 80'000;
  old.pending_octets = 64U << 20U;
  client c{stage, old};
  std::vector<troupe::publication> all(65'536, {.topic = "t", .payload = "x", .quality = qos::at_least_once});
  auto many = c.publish_many(all);
  time.settle();
  EXPECT_EQ(broker.publishes, 65'535);
  auto more = c.publish("t", "y"); // the client still answers: this one is told that it waits its turn
  time.settle();
  EXPECT_FALSE(many.done());
  troupe::test::at(network->home(),
                   [&] { support::say_here(*broker.latest, support::parse_hex("40 02 00 07")); });
  time.settle();
  EXPECT_EQ(broker.publishes, 65'537) << "one more at QoS 1, and the one at QoS 0 behind it";
  EXPECT_EQ(c.depths().in_flight, 65'535U);
  EXPECT_EQ(c.state(), client_state::connected);
}

INSTANTIATE_TEST_SUITE_P(on, packet_ids_of_clients, support::both_schedulers(), support::scheduler_name);

} // namespace
