// What users of other clients ran into, replayed octet by octet: sessions, ids, limits, aliases, order.
#include <troupe/actors/client.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/kept_clients.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace troupe {
namespace {

using protocol::errc;
using support::dump;
using namespace std::chrono_literals;

constexpr auto resumed = "20 03 01 00 00";

class failures : public support::kept_clients {
protected:
  static std::string publish_1(const char* id, const char* text, bool is_again = false) {
    return dump((is_again ? "3A 07 00 01 't' " : "32 07 00 01 't' ") + std::string{id} + " 00 '" + text
                + "'");
  }
};

// -- QoS 2 in both directions ---------------------------------------------------------------------------

TEST_P(failures, a_message_at_qos_2_repeated_before_its_release_is_handled_once_across_a_resume) {
  client c{stage, kept()};
  int seen = 0;
  auto mine = c.subscribe("a", qos::exactly_once, [&](const message&) { ++seen; });
  auto link = welcome();
  heard(link);
  say(link, "90 04 00 01 00 02");
  say(link, "34 07 00 01 'a' 00 05 00 'x' | 3C 07 00 01 'a' 00 05 00 'x' | 3C 07 00 01 'a' 00 05 00 'x'");
  EXPECT_EQ(heard(link), dump("50 02 00 05") + " | " + dump("50 02 00 05") + " | " + dump("50 02 00 05"));
  link.cut();
  auto again = welcome(resumed);
  say(again, "3C 07 00 01 'a' 00 05 00 'x' | 3C 07 00 01 'a' 00 05 00 'x'");
  EXPECT_EQ(heard(again), dump("50 02 00 05") + " | " + dump("50 02 00 05"));
  EXPECT_EQ(seen, 1);
  say(again, "62 02 00 05");
  EXPECT_EQ(heard(again), dump("70 02 00 05"));
  say(again, "34 07 00 01 'a' 00 05 00 'y'"); // the id is free, this is another message
  EXPECT_EQ(seen, 2);
}

TEST_P(failures, a_publish_whose_pubrec_came_is_resumed_with_pubrel_and_one_without_with_dup) {
  client c{stage, kept()};
  auto link = welcome();
  auto sent = c.publish("t", "x", qos::exactly_once);
  EXPECT_EQ(heard(link), dump("34 07 00 01 't' 00 01 00 'x'"));
  link.cut(); // before PUBREC
  auto second = welcome(resumed);
  EXPECT_EQ(heard(second), dump("3C 07 00 01 't' 00 01 00 'x'"));
  say(second, "50 02 00 01");
  EXPECT_EQ(heard(second), dump("62 02 00 01"));
  second.cut(); // right behind PUBREL
  auto third = welcome(resumed);
  EXPECT_EQ(heard(third), dump("62 02 00 01"));
  say(third, "70 02 00 01");
  EXPECT_TRUE(sent.get().ok());
}

TEST_P(failures, what_a_handler_refused_in_3_1_1_comes_again_after_a_reconnect) {
  auto old = kept();
  old.version = version::v3_1_1;
  old.session_expiry = 0s;
  client c{stage, old};
  int calls = 0;
  auto mine = c.subscribe("a", qos::at_least_once,
                          [&](const message&) {
                            if (++calls == 1) throw std::runtime_error{"not now"};
                          },
                          {.acknowledge = ack_policy::handled});
  auto link = welcome("20 02 00 00");
  heard(link);
  say(link, "90 03 00 01 01 | 32 06 00 01 'a' 00 01 'x'");
  EXPECT_EQ(heard(link), "") << "nothing says that it was handled";
  link.cut();
  auto again = welcome("20 02 01 00");
  say(again, "3A 06 00 01 'a' 00 01 'x'");
  EXPECT_EQ(heard(again), dump("40 02 00 01"));
  EXPECT_EQ(calls, 2);
}

TEST_P(failures, a_window_that_is_full_when_the_session_is_lost_wedges_nothing) {
  client c{stage, kept()};
  auto link = welcome("20 06 00 00 03 21 00 02"); // two at a time
  auto first = c.publish("t", "1", qos::at_least_once);
  auto second = c.publish("t", "2", qos::at_least_once);
  auto third = c.publish("t", "3", qos::at_least_once);
  auto fourth = c.publish("t", "4", qos::at_least_once);
  EXPECT_EQ(heard(link), publish_1("00 01", "1") + " | " + publish_1("00 02", "2"));
  say(link, "40 02 00 02");
  EXPECT_EQ(heard(link), publish_1("00 02", "3")) << "the lowest id that is free";
  link.cut();
  auto anew = welcome("20 06 00 00 03 21 00 02"); // the session is gone
  const std::string both = heard(anew);
  EXPECT_EQ(both, publish_1("00 01", "1") + " | " + publish_1("00 02", "3"));
  say(anew, "40 02 00 01 | 40 02 00 02");
  EXPECT_EQ(heard(anew), publish_1("00 01", "4"));
  say(anew, "40 02 00 01");
  auto fifth = c.publish("t", "5", qos::at_least_once);
  EXPECT_EQ(heard(anew), publish_1("00 01", "5"));
  say(anew, "40 02 00 01");
  for (auto* each : {&first, &second, &third, &fourth, &fifth}) EXPECT_TRUE(each->get().ok());
}

// -- limits of the broker, read anew ------------------------------------------------------------------------

TEST_P(failures, a_packet_too_large_for_the_broker_ends_here_and_costs_no_id) {
  client c{stage, kept()};
  auto link = welcome("20 08 00 00 05 27 00 00 00 40"); // 64 octets
  EXPECT_EQ(c.capabilities().maximum_packet_size, 64U);
  const std::string large(100, 'x');
  auto refused = c.publish("t", large, qos::at_least_once);
  auto wide = c.subscribe(std::string(80, 'f'), qos::at_most_once, [](const message&) {});
  time.settle();
  EXPECT_EQ(refused.get().error(), errc::packet_too_large);
  EXPECT_EQ(wide.granted().get().error(), errc::packet_too_large);
  EXPECT_EQ(heard(link), "");
  auto small = c.publish("t", "s", qos::at_least_once);
  EXPECT_EQ(heard(link), publish_1("00 01", "s"));
  say(link, "40 02 00 01");
  EXPECT_TRUE(small.get().ok());
  link.cut();
  auto again = welcome(resumed); // no limit now
  auto passed = c.publish("t", large, qos::at_least_once);
  EXPECT_EQ(heard(again).substr(0, 5), dump("32 6A").substr(0, 5));
  say(again, "40 02 00 01");
  EXPECT_TRUE(passed.get().ok());
}

TEST_P(failures, the_receive_maximum_holds_for_what_is_sent_again_and_is_read_anew) {
  client c{stage, kept()};
  auto link = welcome("20 06 00 00 03 21 00 02");
  std::atomic<int> ended{0};
  for (int n = 0; n != 10; ++n)
    c.publish("t", std::to_string(n), qos::at_least_once, [&](outcome how) { ended += how.ok() ? 1 : 0; });
  EXPECT_EQ(heard(link), publish_1("00 01", "0") + " | " + publish_1("00 02", "1"));
  link.cut();
  auto again = welcome("20 06 01 00 03 21 00 01"); // one at a time
  EXPECT_EQ(heard(again), publish_1("00 01", "0", true));
  say(again, "40 02 00 01");
  EXPECT_EQ(heard(again), publish_1("00 02", "1", true));
  say(again, "40 02 00 02");
  for (const char* const each : {"2", "3", "4", "5", "6", "7", "8", "9"}) {
    EXPECT_EQ(heard(again), publish_1("00 01", each));
    say(again, "40 02 00 01");
  }
  EXPECT_EQ(ended, 10);
}

TEST_P(failures, both_qualities_share_one_window_of_any_size) {
  for (const unsigned window : {1U, 2U, 20U}) {
    network = std::make_shared<support::scripted_network>();
    client c{stage, kept()};
    char connack[32];
    std::snprintf(connack, sizeof connack, "20 06 00 00 03 21 00 %02X", window);
    auto link = welcome(connack);
    std::vector<pending<outcome>> all;
    for (unsigned n = 0; n != 50; ++n)
      all.push_back(c.publish("t", "x", n % 2 == 0 ? qos::at_least_once : qos::exactly_once));
    unsigned open = 0;
    for (unsigned done = 0; done != 50;) {
      time.settle();
      std::string releases;
      for (std::string packet = link.next(); !packet.empty(); packet = link.next()) {
        const bool is_release = packet.starts_with("62");
        open += is_release ? 0U : 1U;
        ASSERT_LE(open, window);
        const std::string id = is_release ? packet.substr(6, 5) : packet.substr(15, 5);
        releases += (packet.starts_with("34") ? "50 02 " : is_release ? "70 02 " : "40 02 ") + id + " ";
      }
      ASSERT_NE(releases, "") << "something is stuck";
      for (std::size_t at = 0; at != releases.size(); at += 12) {
        if (releases[at] != '5') --open, ++done;
        link.say(releases.substr(at, 11));
      }
    }
    for (auto& each : all) EXPECT_TRUE(each.get().ok());
  }
}

TEST_P(failures, an_alias_of_another_connection_is_never_sent_again) {
  auto aliased = kept();
  aliased.outbound_topic_aliases = 5;
  client c{stage, aliased};
  auto link = welcome("20 06 00 00 03 22 00 05");
  auto first = c.publish("sensors/1", "1", qos::at_least_once);
  auto second = c.publish("sensors/1", "2", qos::at_least_once);
  EXPECT_NE(heard(link).find(dump("23 00 01")), std::string::npos) << "aliases are in use";
  say(link, "40 02 00 01");
  link.cut();
  auto bare = welcome(resumed); // takes no aliases
  EXPECT_EQ(heard(bare), dump("3A 0F 00 09 'sensors/1' 00 02 00 '2'"));
  bare.cut();
  auto again = welcome("20 06 01 00 03 22 00 05");
  const std::string said = heard(again);
  EXPECT_NE(said.find(dump("00 09 'sensors/1' 00 02")), std::string::npos) << "the topic stands there again";
  say(again, "40 02 00 02");
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok());
}

// -- order ------------------------------------------------------------------------------------------------

TEST_P(failures, after_an_outage_what_was_sent_goes_first_then_what_waited_then_what_is_new) {
  client c{stage, kept()};
  auto link = welcome();
  auto first = c.publish("t", "1", qos::at_least_once);
  auto second = c.publish("t", "2", qos::at_least_once);
  heard(link);
  link.cut();
  auto third = c.publish("t", "3", qos::at_least_once);
  auto fourth = c.publish("t", "4");
  auto fifth = c.publish("t", "5", qos::at_least_once);
  auto again = accept();
  again.next();
  auto sixth = c.publish("t", "6", qos::at_least_once); // in the middle of the handshake
  time.settle();
  say(again, resumed);
  auto seventh = c.publish("t", "7", qos::at_least_once);
  EXPECT_EQ(heard(again), publish_1("00 01", "1", true) + " | " + publish_1("00 02", "2", true) + " | "
                              + publish_1("00 03", "3") + " | " + dump("30 05 00 01 't' 00 '4'") + " | "
                              + publish_1("00 04", "5") + " | " + publish_1("00 05", "6") + " | "
                              + publish_1("00 06", "7"));
}

TEST_P(failures, half_a_packet_of_a_lost_connection_is_forgotten) {
  client c{stage, kept()};
  std::vector<std::string> seen;
  auto mine = c.subscribe("a", qos::at_most_once, [&](const message& m) { seen.emplace_back(m.text()); });
  auto link = welcome();
  heard(link);
  say(link, "90 04 00 01 00 00");
  link.say("30 84 80 04 00 01 'a' 00"); // 65,540 octets to come
  link.say_raw(std::string(1'000, 'x'));
  time.settle();
  link.cut();
  auto again = welcome(resumed);
  say(again, "30 06 00 01 'a' 00 'ok'");
  EXPECT_EQ(seen, std::vector<std::string>{"ok"});
  EXPECT_EQ(c.state(), client_state::connected);
}

INSTANTIATE_TEST_SUITE_P(on, failures, support::both_schedulers(), support::scheduler_name);

} // namespace
} // namespace troupe
