// What 5.0 lets both sides say beside the message, octet by octet, from the user to the wire and back.
#include <troupe/actors/client.hpp>
#include <troupe/protocol/errc.hpp>

#include "support/actors/timed_clients.hpp"

#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

using support::dump;
using troupe::client;
using troupe::message;
using troupe::qos;
using troupe::protocol::errc;
using troupe::protocol::property;
using troupe::protocol::property_block;
using troupe::protocol::reason_code;
using namespace std::chrono_literals;

using pairs = std::vector<std::pair<std::string, std::string>>;

pairs user_properties_of(const troupe::protocol::properties_view& all) {
  pairs result;
  all.for_each_user_property([&](const troupe::protocol::user_property& each) {
    result.emplace_back(std::string{each.name}, std::string{each.value});
  });
  return result;
}

class properties_of_clients : public support::timed_clients {};

TEST_P(properties_of_clients, keep_user_properties_in_order_with_their_duplicates_both_ways) {
  client c{stage, options()};
  pairs seen;
  auto mine = c.subscribe("a", qos::at_most_once,
                          [&](const message& m) { seen = user_properties_of(m.properties()); });
  auto link = welcome();
  heard(link);
  say(link, "90 04 00 01 00 00");
  property_block said;
  ASSERT_TRUE(said.add_user_property("k", "2"));
  ASSERT_TRUE(said.add_user_property("a", "1"));
  ASSERT_TRUE(said.add_user_property("k", "2"));
  ASSERT_TRUE(said.add_user_property("k", ""));
  auto sent = c.publish("t", "x", qos::at_most_once, {.properties = said.view()});
  EXPECT_EQ(heard(link),
            dump("30 20 00 01 't' 1B 26 00 01 'k' 00 01 '2' 26 00 01 'a' 00 01 '1' 26 00 01 'k' 00 "
                 "01 '2' 26 00 01 'k' 00 00 'x'"));
  say(link, "30 18 00 01 'a' 13 26 00 01 'z' 00 01 '1' 26 00 01 'b' 00 00 26 00 01 'z' 00 00 'x'");
  EXPECT_EQ(seen, (pairs{{"z", "1"}, {"b", ""}, {"z", ""}}));
}

TEST_P(properties_of_clients, say_subscription_options_and_ask_for_the_same_again) {
  auto kept = options();
  kept.clean_start = false;
  client c{stage, kept};
  troupe::subscribe_options how{
      .no_local = true, .retain_as_published = true, .retained = troupe::retained_messages::never};
  auto all = c.subscribe(
      "a", qos::at_least_once, [](const message&) {}, how);
  auto link = welcome();
  EXPECT_EQ(heard(link), dump("82 07 00 01 00 00 01 'a' 2D"));
  say(link, "90 04 00 01 00 01");
  link.cut();
  auto again = welcome(); // the broker has no session any more
  EXPECT_EQ(heard(again), dump("82 07 00 01 00 00 01 'a' 2D"));
  say(again, "90 04 00 01 00 01");
  again.cut();
  auto resumed = welcome("20 03 01 00 00");
  EXPECT_EQ(heard(resumed), "");
  auto plain = c.subscribe("b", qos::exactly_once, [](const message&) {},
                           {.retained = troupe::retained_messages::if_new});
  EXPECT_EQ(heard(resumed), dump("82 07 00 01 00 00 01 'b' 12"));
}

TEST_P(properties_of_clients, give_a_subscription_its_identifier_and_messages_theirs) {
  client c{stage, options()};
  std::vector<std::uint32_t> seen;
  troupe::subscribe_options how;
  ASSERT_TRUE(how.properties.add_subscription_identifier(300));
  auto mine = c.subscribe(
      "a/+", qos::at_most_once,
      [&](const message& m) {
        m.properties().for_each_subscription_identifier([&](std::uint32_t each) { seen.push_back(each); });
      },
      how);
  auto link = welcome();
  EXPECT_EQ(heard(link), dump("82 0C 00 01 03 0B AC 02 00 03 'a/+' 00"));
  say(link, "90 04 00 01 00 00");
  say(link, "30 0B 00 03 'a/b' 05 0B AC 02 0B 07");
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{300, 7}));
  link.cut();
  auto again = welcome();
  EXPECT_EQ(heard(again), dump("82 0C 00 01 03 0B AC 02 00 03 'a/+' 00")) << "the same identifier again";
}

TEST_P(properties_of_clients, refuse_an_identifier_where_the_broker_takes_none) {
  client c{stage, options()};
  auto link = welcome("20 05 00 00 02 29 00");
  troupe::subscribe_options how;
  ASSERT_TRUE(how.properties.add_subscription_identifier(1));
  auto mine = c.subscribe(
      "a", qos::at_most_once, [](const message&) {}, how);
  time.settle();
  EXPECT_EQ(mine.granted().get().error(), errc::subscription_identifier_not_supported);
  EXPECT_EQ(heard(link), "");
}

// -- what a hook hears -----------------------------------------------------------------------------------

class listening_hooks final : public troupe::client_hooks {
public:
  void on_connack(const troupe::protocol::connack& said) override {
    note("connack " + std::string{said.properties.text(property::response_information).value_or("-")});
  }
  void on_up(const troupe::broker_capabilities& can, bool is_resumed) override {
    note("up " + std::to_string(can.receive_maximum) + (is_resumed ? " resumed" : " anew"));
  }
  void on_down(std::error_code why) override { note("down " + why.message()); }
  void on_farewell(reason_code why, troupe::protocol::properties_view said) override {
    note("farewell " + std::to_string(static_cast<int>(why)) + ' '
         + std::string{said.text(property::reason_string).value_or("-")} + ' '
         + std::string{said.text(property::server_reference).value_or("-")});
  }
  void on_connect(troupe::connect_details&) override { note("connect"); }
  std::vector<std::string> take() {
    const std::scoped_lock lock{mutex_};
    return std::exchange(notes_, {});
  }

private:
  void note(std::string what) {
    const std::scoped_lock lock{mutex_};
    notes_.push_back(std::move(what));
  }
  std::mutex mutex_;
  std::vector<std::string> notes_;
};

using notes = std::vector<std::string>;

TEST_P(properties_of_clients, ask_for_information_about_problems_and_responses_and_hear_it) {
  auto asking = options();
  auto hooks = std::make_shared<listening_hooks>();
  asking.hooks = hooks;
  ASSERT_TRUE(asking.connect_properties.set(property::request_response_information, 1U));
  ASSERT_TRUE(asking.connect_properties.set(property::request_problem_information, 0U));
  client c{stage, asking};
  auto link = accept();
  EXPECT_EQ(link.next(), dump("10 12 00 04 'MQTT' 05 02 00 00 04 19 01 17 00 00 01 'c'"));
  say(link, "20 0B 00 00 08 1A 00 05 'reply'");
  EXPECT_EQ(hooks->take(), (notes{"connect", "connack reply", "up 65535 anew"}));
}

TEST_P(properties_of_clients, tell_each_step_of_a_connections_life_with_its_reason) {
  auto told = options();
  auto hooks = std::make_shared<listening_hooks>();
  told.hooks = hooks;
  told.clean_start = false;
  told.redirects_limit = 0;
  client c{stage, told};
  auto link = accept();
  say(link, "20 03 00 88 00"); // server unavailable
  EXPECT_EQ(hooks->take(), (notes{"connect", "farewell 136 - -", "down the server refused the connection"}))
      << "an attempt that failed";
  auto second = welcome("20 06 01 00 03 21 00 09");
  EXPECT_EQ(hooks->take(), (notes{"connect", "connack -", "up 9 resumed"}));
  say(second, "E0 1A 9D 18 1F 00 05 'moved' 1C 00 0D 'other.example'");
  const auto end = hooks->take();
  ASSERT_EQ(end.size(), 2U);
  EXPECT_EQ(end[0], "farewell 157 moved other.example");
  EXPECT_TRUE(end[1].starts_with("down "));
  EXPECT_EQ(c.state(), troupe::client_state::faulted) << "the same address will say the same again";
}

INSTANTIATE_TEST_SUITE_P(on, properties_of_clients, support::both_schedulers(), support::scheduler_name);

} // namespace
