// One connection, packet by packet; and transports of the user's own.
#include <troupe/actors/packet_client.hpp>
#include <troupe/protocol/connect.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/scripted_broker.hpp"
#include "support/actors/timed_clients.hpp"

#include <condition_variable>
#include <mutex>
#include <variant>
#include <vector>

namespace {

using support::dump;
using troupe::client;
using troupe::packet_client;
using troupe::packet_events;
using troupe::qos;
using troupe::protocol::errc;
using troupe::protocol::packet_type;
using namespace std::chrono_literals;

/// What was told, for the test's thread.
class diary {
public:
  packet_events events() {
    return {.on_open = [this] { note([this] { ++opens; }); },
            .on_packet =
                [this](const troupe::protocol::inbound_packet& packet) {
                  note([&] { packets.push_back(describe(packet)); });
                },
            .on_end =
                [this](std::error_code why) {
                  note([&] {
                    ++ends;
                    end = why;
                  });
                }};
  }
  template <class Condition>
  [[nodiscard]] bool wait(Condition condition) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, troupe::test::patience, condition);
  }
  int opens = 0;
  int ends = 0;
  std::error_code end;
  std::vector<std::string> packets;

private:
  static std::string describe(const troupe::protocol::inbound_packet& packet) {
    if (const auto* const arrived = std::get_if<troupe::protocol::inbound_publish>(&packet))
      return "PUBLISH " + std::string{arrived->packet.topic};
    if (const auto* const answer = std::get_if<troupe::protocol::ack>(&packet))
      return std::string{name(answer->type)} + " " + std::to_string(answer->id);
    return std::string{name(std::get_if<troupe::protocol::frame>(&packet)->type())};
  }
  template <class Change>
  void note(Change change) {
    const std::lock_guard lock{mutex_};
    change();
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
};

class packet_clients : public support::timed_clients {};

TEST_P(packet_clients, say_nothing_by_themselves_and_hand_over_every_packet) {
  support::scripted_broker broker;
  troupe::stage real{{.scheduler = GetParam()}};
  diary told;
  troupe::client_options way;
  way.broker = broker.url();
  {
    packet_client c{real, way, told.events()};
    auto link = broker.accept();
    troupe::protocol::connect hello;
    hello.client_id = "raw";
    ASSERT_TRUE(c.send([&](troupe::protocol::outbox& out, troupe::version) {
      return troupe::protocol::encode_connect(out, hello);
    }));
    EXPECT_EQ(link.read().substr(0, 2), "10");
    link.write("20 03 00 00 00 | 32 07 00 01 'a' 00 01 00 'x' | 40 02 00 09 | D0 00");
    ASSERT_TRUE(told.wait([&] { return told.packets.size() == 4; }));
    EXPECT_EQ(told.packets, (std::vector<std::string>{"CONNACK", "PUBLISH a", "PUBACK 9", "PINGRESP"}));
    // No PUBACK, no ping, no answer of any kind: the next packet is the one that the user says.
    const troupe::protocol::publish mine{.topic = "t",
                                         .payload = troupe::protocol::as_octets("p"),
                                         .id = 77,
                                         .quality = qos::at_least_once,
                                         .dup = true};
    ASSERT_TRUE(c.publish(mine));
    EXPECT_EQ(link.read(), dump("3A 07 00 01 't' 00 4D 00 'p'"));
    ASSERT_TRUE(c.send(support::hex("FF 00"))); // whatever it says
    EXPECT_EQ(link.read(), dump("FF 00"));
    c.close();
    EXPECT_EQ(link.read(), "closed");
    link.close();
    EXPECT_TRUE(told.wait([&] { return told.ends == 1; }));
    EXPECT_EQ(c.send(support::hex("C0 00")).error(), errc::closed);
  }
  EXPECT_EQ(told.opens, 1);
  EXPECT_EQ(told.ends, 1);
  EXPECT_FALSE(broker.has_caller()) << "one connection, never another";
}

TEST_P(packet_clients, dial_once_and_say_why_it_failed) {
  support::scripted_broker broker;
  broker.close();
  troupe::stage real{{.scheduler = GetParam()}};
  diary told;
  troupe::client_options way;
  way.broker = broker.url();
  const packet_client c{real, way, told.events()};
  ASSERT_TRUE(told.wait([&] { return told.ends == 1; }));
  EXPECT_EQ(told.end, std::errc::connection_refused);
  EXPECT_EQ(told.opens, 0);
}

TEST_P(packet_clients, end_on_octets_that_are_no_packet) {
  diary told;
  packet_client c{stage, options(), told.events()};
  auto link = accept();
  say(link, "00 00");
  EXPECT_EQ(told.ends, 1);
  EXPECT_TRUE(told.end);
  EXPECT_EQ(link.next(), "closed");
}

TEST_P(packet_clients, keep_what_is_sent_before_the_connection_stands_and_have_a_bound) {
  diary told;
  packet_client c{stage, options(), told.events()};
  ASSERT_TRUE(c.send(support::hex("C0 00")));
  auto link = accept();
  EXPECT_EQ(heard(link), dump("C0 00"));
  link.stop_reading();
  const std::vector<support::octet> large(512 * 1024, 0);
  troupe::protocol::result<void> answer;
  for (int n = 0; n != 64 && answer; ++n) {
    answer = c.send(support::octets{large});
    time.settle();
  }
  EXPECT_EQ(answer.error(), errc::backpressure);
  c.abort();
  time.settle();
  EXPECT_EQ(told.ends, 1);
}

TEST_P(packet_clients, leave_in_order_when_the_stage_ends) {
  diary told;
  {
    troupe::stage other{{.scheduler = GetParam()}};
    support::scripted_broker broker;
    troupe::client_options way;
    way.broker = broker.url();
    const packet_client c{other, way, told.events()};
    auto link = broker.accept();
    ASSERT_TRUE(told.wait([&] { return told.opens == 1; }));
  }
  EXPECT_TRUE(told.wait([&] { return told.ends == 1; }));
}

// -- a transport of the user's own -------------------------------------------------------------------

class connectors : public support::timed_clients {};

TEST_P(connectors, carry_a_client_over_whatever_they_make) {
  client c{stage, options()};
  auto link = accept();
  EXPECT_EQ(link.next(), dump("10 0E 00 04 'MQTT' 05 02 00 00 00 00 01 'c'"));
  say(link, "20 03 00 00 00");
  EXPECT_EQ(c.state(), troupe::client_state::connected);
  auto sent = c.publish("t", "x", qos::at_least_once);
  EXPECT_EQ(heard(link), dump("32 07 00 01 't' 00 01 00 'x'"));
  say(link, "40 02 00 01");
  EXPECT_TRUE(sent.get().ok());
  EXPECT_EQ(network->hosts(), std::vector<std::string>{"script"});
}

TEST_P(connectors, are_asked_again_after_a_failure_and_in_turn_for_several_brokers) {
  auto two = options();
  two.more_brokers = {"mqtt://other"};
  client c{stage, two};
  time.settle();
  network->refuse(std::make_error_code(std::errc::no_such_device));
  time.settle();
  EXPECT_EQ(c.last_error(), std::errc::no_such_device);
  auto link = welcome();
  EXPECT_EQ(c.state(), troupe::client_state::connected);
  EXPECT_EQ(network->hosts(), (std::vector<std::string>{"script", "other"}));
}

TEST_P(connectors, that_never_answer_meet_the_time_limit) {
  auto once = options();
  once.connect_timeout = 5s;
  once.reconnect = false;
  client c{stage, once};
  time.settle();
  time.advance(4s);
  EXPECT_EQ(c.state(), troupe::client_state::connecting);
  time.advance(1s);
  EXPECT_EQ(c.last_error(), errc::connect_timeout);
  EXPECT_FALSE(network->has_caller()) << "given up";
}

INSTANTIATE_TEST_SUITE_P(on, packet_clients, support::both_schedulers(), support::scheduler_name);
INSTANTIATE_TEST_SUITE_P(on, connectors, support::both_schedulers(), support::scheduler_name);

} // namespace
