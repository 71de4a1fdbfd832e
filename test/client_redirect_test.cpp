// Brokers that send a client to another one: when it follows, where to, and how often.
#include <troupe/actors/client_metrics.hpp>
#include <troupe/actors/redirect.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/timed_clients.hpp"

#include <mutex>
#include <string>
#include <vector>

namespace {

using support::dump;
using support::line;
using troupe::client;
using troupe::client_state;
using troupe::qos;
using troupe::redirect_errc;
using troupe::protocol::errc;
using namespace std::chrono_literals;

using addresses = std::vector<std::string>;

class redirects : public support::timed_clients {
protected:
  troupe::client_options patient() const {
    auto result = options();
    result.backoff_first = 1h; // whoever is dialled without time passing is not waited for
    result.backoff_limit = 1h;
    return result;
  }
  /// Somebody is dialled without time passing.
  line next() {
    time.settle();
    EXPECT_TRUE(network->has_caller());
    auto made = network->accept();
    time.settle();
    return made;
  }
  void answer(line& link, const std::string& octets) {
    EXPECT_EQ(link.next(), connect);
    say(link, octets);
    EXPECT_EQ(link.next(), "closed");
  }

  const std::string connect = dump("10 0E 00 04 'MQTT' 05 02 00 00 00 00 01 'c'");
  const std::string busy_b = "20 08 00 9C 05 1C 00 02 'b1'";
  const std::string moved_b = "20 08 00 9D 05 1C 00 02 'b1'";
};

TEST_P(redirects, are_followed_at_once_with_the_same_connect) {
  client c{stage, patient()};
  auto first = next();
  answer(first, busy_b);
  auto second = next();
  EXPECT_EQ(second.next(), connect);
  say(second, "20 03 00 00 00");
  EXPECT_EQ(c.state(), client_state::connected);
  EXPECT_EQ(network->addresses(), (addresses{"mqtt://script:1883", "mqtt://b1:1883"}));
  EXPECT_EQ(c.statistics().redirects, 1U);
  EXPECT_EQ(c.statistics().failed_attempts, 0U);
  EXPECT_EQ(c.last_error(), redirect_errc::use_another_server);
  EXPECT_NE(troupe::write_metrics(c, "c").find("mqtt_client_redirects_total{client=\"c\"} 1\n"),
            std::string::npos);
}

TEST_P(redirects, for_this_time_lead_back_and_for_good_do_not) {
  for (const bool is_for_good : {false, true}) {
    auto mine = options();
    client c{stage, mine};
    auto first = accept();
    answer(first, is_for_good ? moved_b : busy_b);
    auto second = welcome();
    second.cut();
    auto third = accept();
    EXPECT_EQ(network->hosts().back(), is_for_good ? "b1" : "script");
    auto over = c.abort();
    time.settle();
  }
}

TEST_P(redirects, of_a_connection_that_stands_take_along_what_is_under_way) {
  auto mine = patient();
  mine.clean_start = false;
  client c{stage, mine};
  auto first = next();
  EXPECT_EQ(first.next().substr(0, 2), "10");
  say(first, "20 03 00 00 00");
  auto sent = c.publish("t", "1", qos::at_least_once);
  EXPECT_EQ(heard(first), dump("32 07 00 01 't' 00 01 00 '1'"));
  say(first, "E0 14 9D 12 1C 00 0F 'x.example:12 b1'");
  auto second = next();
  EXPECT_EQ(second.next(), dump("10 0E 00 04 'MQTT' 05 00 00 00 00 00 01 'c'"));
  say(second, "20 03 00 00 00");
  EXPECT_EQ(heard(second), dump("32 07 00 01 't' 00 01 00 '1'")) << "a session of its own";
  say(second, "40 02 00 01");
  EXPECT_TRUE(sent.get().ok());
  EXPECT_EQ(network->addresses(), (addresses{"mqtt://script:1883", "mqtt://x.example:12"}));
}

TEST_P(redirects, try_all_that_were_named) {
  auto mine = options();
  client c{stage, mine};
  auto first = accept();
  answer(first, "20 0C 00 9C 09 1C 00 06 'b1 b 2'");
  time.settle();
  network->refuse(std::make_error_code(std::errc::connection_refused));
  for (int turn = 0; turn != 4; ++turn) {
    for (int wait = 0; wait != 100 && (time.settle(), !network->has_caller()); ++wait) time.advance(1ms);
    network->refuse(std::make_error_code(std::errc::connection_refused));
  }
  auto hosts = network->hosts();
  hosts.resize(6);
  EXPECT_EQ(hosts, (std::vector<std::string>{"script", "b1", "b", "2", "script", "script"}));
}

TEST_P(redirects, keep_the_settings_of_tls_and_never_leave_it) {
  auto mine = patient();
  mine.broker = "mqtts://script:8884";
  client c{stage, mine};
  auto first = next();
  answer(first, "20 1C 00 9C 19 1C 00 16 'mqtt://b1:8883 b1:1883'");
  auto second = next();
  answer(second, "20 0F 00 9D 0C 1C 00 09 'mqtt://b2'");
  auto third = next();
  EXPECT_EQ(network->addresses(),
            (addresses{"mqtts://script:8884", "mqtts://b1:1883", "mqtts://script:8884"}));
  answer(third, "20 0F 00 9D 0C 1C 00 09 'mqtt://b2'");
  time.settle();
  EXPECT_EQ(c.state(), client_state::faulted);
  EXPECT_EQ(c.last_error(), redirect_errc::no_usable_reference);
}

TEST_P(redirects, in_a_circle_count_as_a_failure_after_a_while) {
  auto mine = patient();
  mine.redirects_limit = 3;
  client c{stage, mine};
  for (int hop = 0; hop != 4; ++hop) {
    auto link = next();
    answer(link, hop % 2 == 0 ? busy_b : "20 0C 00 9C 09 1C 00 06 'script'");
  }
  time.settle();
  EXPECT_FALSE(network->has_caller());
  EXPECT_EQ(c.state(), client_state::waiting);
  EXPECT_EQ(c.last_error(), redirect_errc::too_many);
  EXPECT_EQ(c.statistics().failed_attempts, 1U);
  EXPECT_EQ(c.statistics().redirects, 3U);
  for (int step = 0; step != 361 && !network->has_caller(); ++step) time.advance(10s);
  auto again = next();
  EXPECT_EQ(network->hosts().back(), "script");
}

TEST_P(redirects, between_brokers_that_accept_and_leave_end_as_well) {
  auto mine = patient();
  mine.redirects_limit = 3;
  client c{stage, mine};
  for (int hop = 0; hop != 4; ++hop) {
    auto link = next();
    link.next();
    say(link, "20 03 00 00 00");
    say(link, "E0 07 9C 05 1C 00 02 'b1'");
  }
  time.settle();
  EXPECT_FALSE(network->has_caller());
  EXPECT_EQ(c.state(), client_state::waiting);
}

TEST_P(redirects, without_a_name_mean_the_other_brokers) {
  auto mine = patient();
  mine.more_brokers = {"mqtt://other"};
  client c{stage, mine};
  auto first = next();
  answer(first, "20 03 00 9C 00");
  auto second = next();
  EXPECT_EQ(network->hosts().back(), "other");
}

TEST_P(redirects, without_a_name_and_without_others_wait_or_give_up) {
  auto mine = options();
  client c{stage, mine};
  auto first = accept();
  answer(first, "20 03 00 9C 00");
  auto second = accept(); // the same, later
  EXPECT_EQ(c.statistics().failed_attempts, 1U);
  EXPECT_EQ(c.last_error(), redirect_errc::use_another_server);
  answer(second, "20 03 00 9D 00");
  time.settle();
  EXPECT_EQ(c.state(), client_state::faulted);
  EXPECT_EQ(c.connected().get().error(), redirect_errc::server_moved);
  EXPECT_EQ(network->hosts(), (std::vector<std::string>{"script", "script"}));
}

TEST_P(redirects, are_not_followed_when_told_so) {
  for (const std::string& each : {busy_b, moved_b}) {
    auto mine = options();
    mine.redirects_limit = 0;
    client c{stage, mine};
    auto first = accept();
    answer(first, each);
    time.settle();
    EXPECT_EQ(c.state(), client_state::faulted);
    EXPECT_EQ(c.last_error(), errc::refused_by_server);
    EXPECT_EQ(c.statistics().redirects, 0U);
  }
}

TEST_P(redirects, find_the_way_in_but_not_back_for_those_who_do_not_reconnect) {
  auto mine = patient();
  mine.reconnect = false;
  client c{stage, mine};
  auto first = next();
  answer(first, busy_b);
  auto second = next();
  EXPECT_EQ(second.next(), connect);
  say(second, "20 03 00 00 00");
  say(second, "E0 07 9C 05 1C 00 02 'b2'");
  EXPECT_EQ(c.state(), client_state::faulted);
  EXPECT_EQ(c.last_error(), errc::disconnected_by_peer);
}

TEST_P(redirects, are_seen_by_whoever_watches) {
  std::mutex mutex;
  std::string seen;
  client c{stage, patient()};
  const auto watch = c.watch([&](const troupe::state_change& change) {
    const std::scoped_lock lock{mutex};
    seen += std::string{name(change.state)} + (change.why ? "(" + change.why.message() + ") " : " ");
  });
  auto first = next();
  answer(first, moved_b);
  time.settle();
  const std::scoped_lock lock{mutex};
  EXPECT_NE(seen.find("handshaking connecting(the broker has moved to another server) "), std::string::npos)
      << seen;
}

TEST_P(redirects, do_not_keep_a_client_that_is_to_end) {
  client c{stage, patient()};
  auto first = next();
  answer(first, busy_b);
  auto done = c.disconnect();
  time.settle();
  EXPECT_TRUE(done.get().ok());
  EXPECT_EQ(c.state(), client_state::disconnected);
  auto up = c.connect();
  time.settle();
  EXPECT_EQ(network->hosts().back(), "script") << "the detour is over";
  auto link = next();
  EXPECT_EQ(link.next(), connect);
  say(link, "20 03 00 00 00");
  EXPECT_TRUE(up.get().ok());
}

INSTANTIATE_TEST_SUITE_P(on, redirects, support::both_schedulers(), support::scheduler_name);

} // namespace
